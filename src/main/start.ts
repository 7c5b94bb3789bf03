import { hasOperatorKey } from '../admin/operator/operator-key.ts';
import { ensureDemoKey, ensureDemoOrganization, hasDemoOrganization, retireDemoKey } from '../directory/bootstrap.ts';
import type { Caller } from '../directory/caller.ts';
import { AppError } from '../platform/errors.ts';
import { createMetrics } from '../platform/metrics/metrics.ts';
import { readinessOf } from './health/readiness-of.ts';
import { opening } from './process/closers.ts';
import { compose } from './wiring/compose.ts';
import type { Core } from './wiring/compose.ts';
import { announce } from './demo/announce.ts';
import { seedDemoAccount } from './demo/demo-account.ts';
import { followAddress } from './process/follow-address.ts';
import { openMetricsPort } from './process/metrics-port.ts';
import { runProcess } from './process/process.ts';
import { makeExampleBuys } from './demo/example-buy.ts';
import { operatorKey } from './wiring/operator-routes.ts';
import { seedRegistry } from './wiring/registry-seed.ts';
import { removeRunning, writeRunning } from './process/running-file.ts';
import { startServer } from './wiring/start-server.ts';
import { openWorker, workOf } from './wiring/worker-process.ts';

/**
 * Server and worker in one process, on embedded defaults unless URLs are set. While only this machine reaches it, it is a demo:
 * with a buyer, and keys that are told when they are made. Else it is a deployment, and tells addresses alone (rule S4).
 */
await runProcess({ allowLoopback: true, isDemo: true }, (config, log) =>
  opening(async (closers) => {
    const metrics = createMetrics();
    const shown = await openMetricsPort(config, metrics);
    closers.add(() => shown?.stop());
    const server = await startServer(config, log, { metrics, keepsStats: true, first: seedRegistry });
    closers.add(() => server.stop());
    const { core } = server;
    shown?.watch(() => readinessOf(core));
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
    // What is asked of it while it drains is still done here: it may be all there is.
    closers.add(() => {
      shown?.leave();
      return server.drain().then(() => Promise.all([work.stop(), server.stopListening()]));
    });
    const demo = config.hasDemoBuyer ? await demoBuyer(core) : undefined;
    if (demo?.key === undefined) await retireDemoKey(core);
    const api_key = config.bootstrapApiKey ?? demo?.key;
    const owner = config.hasExampleBuys && api_key ? await ownerOf(core, api_key) : undefined;
    if (owner !== undefined) await makeExampleBuys(core, owner.organization_id);
    closers.add(() => removeRunning(config.dataDir, process.pid));
    const isFirst = config.operatorApiKey === undefined && !(await hasOperatorKey(core.store));
    const operator_key = await operatorKey(core);
    const known = { pid: process.pid, base_url: core.baseUrl, operator_key };
    await writeRunning(config.dataDir, { ...known, ...(config.isLocal && api_key && { api_key }) });
    await announce(core, {
      api_key: demo?.isNew === true ? demo.key : undefined,
      operator_key: isFirst && config.isLocal ? operator_key : undefined,
      hasNewAccount: demo?.isNew === true,
      metrics_url: shown?.url,
    });
    return { stop: () => closers.close() };
  }),
);

/** The demo's buyer; its key, the same at each start, only where nobody else reaches it. `isNew` at the start that made it. */
async function demoBuyer(core: Core): Promise<{ key?: string; isNew: boolean }> {
  const isFirst = !(await hasDemoOrganization(core.store));
  await ensureDemoOrganization(core);
  if (core.config.hasDemoAccount) await seedDemoAccount(core);
  return core.config.isLocal ? ensureDemoKey(core, core.secret) : { isNew: isFirst };
}

/** Whose key it is; undefined for one that was revoked, and while its organization is suspended, which buys nothing. */
async function ownerOf(core: Core, api_key: string): Promise<Caller | undefined> {
  return core.authenticator.authenticate(api_key).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
}
