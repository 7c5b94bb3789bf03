import { createSignInLink } from '../admin/sign-in-link.ts';
import { ensureDemoKey, retireDemoKey } from '../directory/bootstrap.ts';
import { createMetrics } from '../platform/metrics/metrics.ts';
import { opening } from './process/closers.ts';
import { compose } from './wiring/compose.ts';
import type { Core } from './wiring/compose.ts';
import { DEMO_CLIENT, demoAccount, seedDemoAccount } from './demo/demo-account.ts';
import { followAddress } from './process/follow-address.ts';
import { openMetricsPort } from './process/metrics-port.ts';
import { runProcess } from './process/process.ts';
import { CARD_PATH, isJsonWanted, printLine } from './process/ready.ts';
import { seedRegistry } from './demo/registry-seed.ts';
import { exampleCurl, makeExampleBuys } from './demo/example-buy.ts';
import { operatorKey } from './wiring/operator-routes.ts';
import { removeRunning, writeRunning } from './process/running-file.ts';
import { startServer } from './wiring/start-server.ts';
import { openWorker, workOf } from './wiring/worker-process.ts';

/** Server and worker in one process, on embedded defaults unless URLs are set. */
await runProcess({ allowLoopback: true, isDemo: true }, (config, log) =>
  opening(async (closers) => {
    const metrics = createMetrics();
    const shown = await openMetricsPort(config, metrics);
    closers.add(() => shown?.stop());
    const server = await startServer(config, log, { metrics });
    closers.add(() => server.stop());
    const { core } = server;
    await seedRegistry(core);
    // Works with what the server has, unless a server elsewhere says another address for the same installation.
    const work = await followAddress(
      config,
      log,
      (baseUrl) =>
        baseUrl === core.baseUrl
          ? Promise.resolve(workOf(core))
          : openWorker(() => compose({ config, log, metrics, baseUrl })),
      core.store,
    );
    closers.add(() => Promise.all([work.stop(), server.stopListening()]));
    const api_key = config.bootstrapApiKey ?? (await demoKey(core));
    if (config.bootstrapApiKey !== undefined) await retireDemoKey(core);
    // A buyer that is suspended buys nothing.
    const owner = await core.authenticator.authenticate(api_key).catch(() => undefined);
    if (owner !== undefined) await makeExampleBuys(core, owner.organization_id);
    closers.add(() => removeRunning(config.dataDir, process.pid));
    const operator_key = await operatorKey(core);
    await writeRunning(config.dataDir, { pid: process.pid, base_url: core.baseUrl, api_key, operator_key });
    await announce(core, { api_key, operator_key, metrics_url: shown?.url });
    return { stop: () => closers.close() };
  }),
);

/** The demo buyer's key: the same at each start, while nobody revokes it. */
async function demoKey(core: Core): Promise<string> {
  const key = await ensureDemoKey(core, core.secret);
  if (core.config.hasDemoAccount) await seedDemoAccount(core);
  return key;
}

async function announce(
  core: Core,
  { api_key, operator_key, metrics_url }: { api_key: string; operator_key: string; metrics_url: string | undefined },
): Promise<void> {
  const { baseUrl, inUse } = core;
  const card_url = `${baseUrl}${CARD_PATH}`;
  const sign_in_url = await createSignInLink(core, baseUrl);
  if (isJsonWanted()) {
    printLine({
      ready: true,
      base_url: baseUrl,
      card_url,
      console_url: `${baseUrl}/admin`,
      api_key,
      ...inUse,
      sign_in_url,
      operator_key,
      ...(metrics_url !== undefined && { metrics_url }),
    });
    return;
  }
  process.stdout.write(`
media-buy-agent is ready

  agent card  ${card_url}
  console     ${baseUrl}/admin
  sign in     ${sign_in_url}   (works once, for 15 minutes)
  API key     ${api_key}
  operator    ${operator_key}   (for /api/operator; npm run agent finds it by itself)
${demoSignIn(core)}  store       ${inUse.store}
  queue       ${inUse.queue}
${metrics_url === undefined ? '' : `  metrics     ${metrics_url}\n`}
Make a media buy:

${exampleCurl(core, api_key)}

To see it arrive by signed webhook: npm run demo, in another terminal. Ctrl-C stops everything.
`);
}

/** How to get a user's access token, where the demo's person can sign in. */
function demoSignIn({ config, secret }: Core): string {
  if (!config.hasDemoAccount) return '';
  const { email, password } = demoAccount(secret);
  return `  OAuth       sign in as ${email}, password ${password} (client_id ${DEMO_CLIENT.client_id})\n`;
}
