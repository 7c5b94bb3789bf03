import { createSignInLink } from '../../admin/sign-in-link.ts';
import { CARD_PATH, howToSignIn, isJsonWanted, printLine } from '../process/ready.ts';
import type { Core } from '../wiring/compose.ts';
import { DEMO_CLIENT, demoAccount } from './demo-account.ts';
import { exampleCurl } from './example-buy.ts';

/** What this start has to tell besides addresses: keys that it has made, on loopback. What was configured is never told. */
export interface News {
  api_key: string | undefined;
  operator_key: string | undefined;
  /** Whether the demo's person could not sign in before. */
  hasNewAccount: boolean;
  metrics_url: string | undefined;
}

/**
 * Says on standard output that the agent is ready, as words or one line of JSON. Where others reach it, standard output is a log
 * that others keep: there it tells addresses, and no secret but the password of a demo account that was asked for by name (rule S4).
 */
export async function announce(core: Core, news: News): Promise<void> {
  const { baseUrl, inUse, config } = core;
  const addresses = { card_url: `${baseUrl}${CARD_PATH}`, console_url: `${baseUrl}/admin` };
  const { api_key, operator_key, hasNewAccount, metrics_url } = news;
  const sign_in_url =
    config.isLocal && config.hasSignInLinks
      ? await createSignInLink(core, baseUrl, undefined, { makesFirstAdmin: true })
      : undefined;
  if (isJsonWanted()) {
    const secrets = { api_key, sign_in_url, operator_key };
    printLine({ ready: true, base_url: baseUrl, ...addresses, ...inUse, ...secrets, metrics_url });
    return;
  }
  const line = (name: string, value: string | undefined) =>
    value === undefined ? '' : `  ${name.padEnd(11)} ${value}\n`;
  process.stdout.write(`
media-buy-agent is ready

${line('agent card', addresses.card_url)}${line('console', addresses.console_url)}${line('sign in', sign_in_url && `${sign_in_url}   (works once, for 15 minutes)`)}${line('API key', api_key && `${api_key}   (told this once)`)}${line('operator', operator_key && `${operator_key}   (told this once; npm run agent finds it by itself)`)}${line('OAuth', hasNewAccount ? demoSignIn(core) : undefined)}${line('store', inUse.store)}${line('queue', inUse.queue)}${line('metrics', metrics_url)}
`);
  process.stdout.write(config.isLocal ? howToTry(core, api_key) : howToLetIn(core));
}

function howToLetIn({ config }: Core): string {
  const means = config.hasSignInLinks ? 'a link into the console' : 'who may sign in to the console';
  return `Others reach this agent, so no key is told here. At this machine, in another terminal:

  npm run -s agent -- ${howToSignIn(config)}      ${means}
  npm run -s agent -- buyers add NAME           an organization for a buyer; it prints ORG
  npm run -s agent -- buyers keys add ORG KEY   an API key for it, called KEY

Ctrl-C stops everything.
`;
}

function howToTry(core: Core, api_key: string | undefined): string {
  const elsewhere =
    api_key === undefined ? ' (with an API key you have; another: npm run -s agent -- buyers keys add)' : '';
  return `Make a media buy${elsewhere}:

${exampleCurl(core, api_key ?? 'API_KEY')}

To see it arrive by signed webhook: npm run demo, in another terminal. Ctrl-C stops everything.
`;
}

/** By whom and by which application a user's access token is got (`examples/registry/access-token.mjs`), where the demo's person can sign in. */
function demoSignIn({ config, secret }: Core): string | undefined {
  if (!config.hasDemoAccount) return undefined;
  const { email, password } = demoAccount(secret);
  return `sign in as ${email}, password ${password} (client_id ${DEMO_CLIENT.client_id}, redirect_uri ${DEMO_CLIENT.redirect_uris[0]} with any port)`;
}
