import { isObject } from '../platform/json-object.ts';
import { shownUrl } from '../platform/outbound/shown-url.ts';
import { withoutQuery } from '../platform/outbound/without-query.ts';

/** Where a request tells a webhook, whatever task it is of. */
const WEBHOOKS: ReadonlySet<string> = new Set(['push_notification_config', 'reporting_webhook']);

/** Where it tells several. */
const LISTS = 'notification_configs';

/** Where a request says how agents of the buyer's are called, which is a secret as well. */
const CALLED = 'governance_agents';

/** No request holds a webhook deeper than this. */
const DEEPEST = 10;

/** What becomes of a webhook's configuration, and of a text, in something that is walked through. */
interface Walk {
  webhook: (config: Webhook) => unknown;
  text: (text: string) => string;
}

/**
 * A request or message as it may be kept and shown: its webhooks without `token`, `authentication.credentials`, and what stands
 * behind `?` or `#` in `url`, governance agents without credentials, those of a request that was pasted as text too. Pure; what holds
 * none is answered as it is, uncopied.
 */
export function withoutWebhookSecrets(value: unknown): unknown {
  return walked(value, { webhook: (config) => withoutSecrets(config), text: withoutSecretsInText }, 0);
}

/** The same as others than the buyer may see it: of the path of `url` only words (rule W11.path). Pure. */
export function withoutWebhookPaths(value: unknown): unknown {
  const webhook = (config: Webhook) => withoutSecrets(config, shownUrl);
  return walked(value, { webhook, text: withoutSecretsInText }, 0);
}

/**
 * The same with `url` as it was sent, and with texts as they are: what tells requests and messages apart, never to be kept but as
 * a digest.
 */
export function withoutWebhookCredentials(value: unknown): unknown {
  return walked(value, { webhook: withoutCredentials, text: (text) => text }, 0);
}

function walked(value: unknown, walk: Walk, depth: number): unknown {
  if (typeof value === 'string') return walk.text(value);
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => walked(item, walk, depth + 1));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  const object = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(object);
  const members = names.map((name) => {
    const member = object[name];
    if (name === CALLED) return withoutAgentCredentials(member);
    if (name === LISTS && Array.isArray(member)) return eachBare(member, walk.webhook);
    return WEBHOOKS.has(name) && isObject(member) ? walk.webhook(member) : walked(member, walk, depth + 1);
  });
  const isChanged = names.some((name, i) => members[i] !== object[name]);
  return isChanged ? Object.fromEntries(names.map((name, i) => [name, members[i]])) : value;
}

function withoutAgentCredentials(agents: unknown): unknown {
  if (!Array.isArray(agents)) return isObject(agents) ? withoutCredentials(agents) : agents;
  return eachBare(agents, withoutCredentials);
}

function eachBare(items: readonly unknown[], bareOf: (item: Webhook) => unknown): unknown {
  const bare = items.map((item) => (isObject(item) ? bareOf(item) : item));
  return bare.some((item, i) => item !== items[i]) ? bare : items;
}

type Webhook = Readonly<Record<string, unknown>>;

function withoutCredentials(webhook: Webhook): Webhook {
  const { token, authentication, ...config } = webhook;
  const credentials = isObject(authentication) ? authentication['credentials'] : undefined;
  if (token === undefined && credentials === undefined) return webhook;
  if (!isObject(authentication)) return authentication === undefined ? config : { ...config, authentication };
  const { credentials: _credentials, ...scheme } = authentication;
  return { ...config, authentication: scheme };
}

function withoutSecrets(webhook: Webhook, shownOf: (url: string) => string = withoutQuery): Webhook {
  const config = withoutCredentials(webhook);
  const { url } = config;
  const shown = typeof url === 'string' ? shownOf(url) : url;
  return shown === url ? config : { ...config, url: shown };
}

/** A text that names a webhook: a request as the text of its JSON, or that with words around it, cut short, or escaped. */
function withoutSecretsInText(text: string): string {
  if (![...WEBHOOKS, LISTS, CALLED].some((name) => text.includes(name))) return text;
  try {
    const value: unknown = JSON.parse(text);
    const bare = walked(value, { webhook: (config) => withoutSecrets(config), text: withoutSecretsInWords }, 0);
    return bare === value ? text : JSON.stringify(bare);
  } catch {
    return withoutSecretsInWords(text);
  }
}

/** What follows `token` or `credentials` and a colon, quoted or not, as JSON, YAML and escaped JSON have it; and queries of URLs. */
function withoutSecretsInWords(text: string): string {
  return text.replace(SECRET_MEMBER, '$1…').replace(URL_IN_WORDS, withoutQuery);
}

/** In double quotes, in such that are escaped, in single ones, or in none; each to its end or that of its line. */
const QUOTED = /"(?:[^"\\\r\n]|\\.)*"?/.source;
const ESCAPED = /\\{1,8}"(?:(?!\\{0,8}")[^\r\n])*(?:\\{0,8}")?/.source;
const BARE = /'[^'\r\n]*'?|[^\s,;}\]"'`]+/.source;
const NAMED = /\b(?:token|credentials)[\\"'`]{0,8}\s{0,40}[:=]\s{0,40}/.source;
const SECRET_MEMBER = new RegExp(`(${NAMED})(?:${QUOTED}|${ESCAPED}|${BARE})`, 'gi');
const URL_IN_WORDS = /\bhttps?:\/\/[^\s"'`<>\\]+/gi;
