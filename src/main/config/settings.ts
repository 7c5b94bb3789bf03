import { z } from 'zod';
import { ConfiguredClient } from '../../oauth/client/client.ts';
import { dollars, thresholdByCurrency } from './approval-thresholds.ts';
import { BUDGET_SETTINGS } from './budget-settings.ts';
import {
  accounts,
  adServerToken,
  adServerUrl,
  commaSeparated,
  corsOrigins,
  flag,
  grpcAddress,
  jsonOf,
  oidcIssuer,
  places,
  proxies,
  strongKey,
  text,
  tierByPrice,
  url,
  wholeNumber,
  withoutSlash,
} from './setting-values.ts';

interface Setting<T> {
  schema: z.ZodType<T | undefined>;
  /** One line for people; goes into `.env.example`. */
  doc: string;
  example: string;
}

function setting<T>(value: z.ZodType<T>, example: string, doc: string): Setting<T> {
  return { schema: value.optional(), doc, example };
}

/**
 * Every setting, in the order of `.env.example`. The environment is read here and nowhere else; an empty value counts as
 * not set.
 */
export const SETTINGS = {
  PORT: setting(wholeNumber(0, 65535), '8080', 'port to listen on; 0 picks a free one'),
  HOST: setting(text(/^[\w.:-]+$/, 'must be a host name or address'), '127.0.0.1', 'address to listen on'),
  GRPC_PORT: setting(
    wholeNumber(1, 65535),
    '50051',
    'port of A2A over gRPC, without TLS: put it behind a proxy that adds it (docs/calling.md); default: no gRPC',
  ),
  GRPC_PUBLIC_URL: setting(
    grpcAddress,
    'https://grpc.publisher.example',
    'where buyers reach that port through a proxy, as the card says it; default: the host of PUBLIC_URL with GRPC_PORT',
  ),
  METRICS_PORT: setting(
    wholeNumber(0, 65535),
    '9464',
    'port where this process shows what it measures, at /metrics, without credentials; default: nowhere',
  ),
  METRICS_HOST: setting(
    text(/^[\w.:-]+$/, 'must be a host name or address'),
    '127.0.0.1',
    'address of that port; whoever reaches it may read it',
  ),
  PUBLIC_URL: setting(
    url(['http:', 'https:'], 'an http or https URL without query or fragment')
      .refine((given) => !/[?#]/.test(given), 'must be an http or https URL without query or fragment')
      .transform(withoutSlash),
    'https://sales.publisher.example',
    'what buyers call this agent by; default: the address it listens on',
  ),
  TRUST_PROXY: setting(
    proxies,
    'false',
    'how many proxies in front of this server to believe about who calls; default: none, and with one npm start is no demo',
  ),
  A2A_CORS_ORIGINS: setting(
    corsOrigins,
    'https://app.buyer.example',
    'whose pages may call /a2a from a browser, origins with commas between, or * for all; default: nobody',
  ),
  DATA_DIR: setting(
    z.string(),
    './data',
    'folder of the embedded store, its secret and the private Redis, for this account alone',
  ),
  MONGODB_URL: setting(
    // The driver reads the rest: a URL with several hosts, as of a replica set, is none for the URL parser.
    text(/^mongodb(\+srv)?:\/\/[^\s/?#]+([/?][^\s#]*)?$/, 'must be a mongodb:// or mongodb+srv:// URL'),
    'mongodb://127.0.0.1:27017/media_buy_agent',
    'MongoDB to keep everything in; default: the embedded store',
  ),
  REDIS_URL: setting(
    url(['redis:', 'rediss:', 'unix:'], 'a redis://, rediss:// or unix:// URL'),
    'redis://127.0.0.1:6379',
    'Redis for the queues; default: a private one in DATA_DIR',
  ),
  PROTOCOL_NAME: setting(
    text(/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z, 0-9 and -, beginning with a letter'),
    'proto',
    "the protocol's name, from which header, tag and key-field names derive; adcp for the public ecosystem",
  ),
  ALLOW_LOOPBACK: setting(
    flag,
    'false',
    'let webhooks and look-ups go to this machine over http; on for npm start while only this machine reaches it, else off',
  ),
  OUTBOUND_ALLOW: setting(
    places,
    '10.20.0.0/16,10.1.2.3:9443,*:9443',
    'where webhooks and look-ups may go by https besides public addresses at ports 443 and 8443: subnets, ports, or both',
  ),
  ALLOW_LEGACY_BEARER: setting(flag, 'false', 'accept Bearer webhooks for tasks that change something'),
  BOOTSTRAP_API_KEY: setting(
    strongKey,
    'mk_live_at-least-32-random-characters',
    "a first organization's API key, for deployments that start from nothing",
  ),
  OPERATOR_API_KEY: setting(
    strongKey,
    'op_live_at-least-32-random-characters',
    'the key of /api/operator and npm run agent; default: one made at the first start, which npm start then prints on loopback',
  ),
  OPERATOR_OIDC_ISSUER: setting(
    oidcIssuer,
    'https://login.publisher.example',
    'the identity provider at which people who were invited sign in to the console, exactly as its tokens spell it; default: none',
  ),
  OPERATOR_OIDC_CLIENT_ID: setting(
    text(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters'),
    'media-buy-agent',
    'what this agent is called there; its redirect URI is PUBLIC_URL with /admin/sign-in/oidc/callback',
  ),
  OPERATOR_OIDC_CLIENT_SECRET: setting(
    text(/^[\x20-\x7e]{8,1024}$/, 'must be 8 to 1024 printable ASCII characters'),
    'from-the-identity-provider',
    'its secret there',
  ),
  OAUTH_ISSUER: setting(
    url(['http:', 'https:'], 'an http or https URL'),
    'https://login.publisher.example',
    "whose access tokens count for users, exactly as its tokens spell it; default: this agent's own authorization server",
  ),
  OAUTH_CLIENTS: setting(
    jsonOf(z.array(ConfiguredClient).max(100)),
    '[{"client_id":"console","client_name":"Console","redirect_uris":["https://console.example/callback"]}]',
    "applications that may ask this agent's own authorization server for tokens, as JSON",
  ),
  OAUTH_REGISTRATION: setting(flag, 'false', 'let applications register themselves there (RFC 7591)'),
  DEV_ACCOUNTS: setting(
    accounts,
    'ada@acme.example:at-least-12-characters',
    'people who can sign in there, for development; default: nobody, and the demo account (DEMO_ACCOUNT)',
  ),
  DEMO_ACCOUNT: setting(
    flag,
    'false',
    "let npm start make the demo's buyer, with its person and application; on while only this machine reaches it, without BOOTSTRAP_API_KEY",
  ),
  EXAMPLE_BUYS: setting(
    flag,
    'false',
    'let npm start make the media buys that the examples of the card name; on while only this machine reaches it',
  ),
  BILLING_SANDBOX: setting(
    flag,
    'false',
    'sell memberships without money, for trying out; on for npm start while only this machine reaches it, without Stripe; else off',
  ),
  STRIPE_SECRET_KEY: setting(
    text(/^[sr]k_\w{8,}$/, 'must be a secret or restricted key of Stripe'),
    'sk_live_from_the_dashboard',
    'sells memberships through Stripe; needs the next two settings',
  ),
  STRIPE_WEBHOOK_SECRET: setting(
    text(/^whsec_\S{8,}$/, 'must be the signing secret of a Stripe webhook endpoint'),
    'whsec_from_the_dashboard',
    'verifies the events that Stripe sends to /api/billing/events',
  ),
  STRIPE_PRICES: setting(
    tierByPrice,
    'price_1AbC=company_standard,price_2DeF=company_leader',
    'the tier that each price is for',
  ),
  STRIPE_API_URL: setting(
    url(['http:', 'https:'], 'an http or https URL').transform(withoutSlash),
    'https://api.stripe.com',
    "where Stripe's API is",
  ),
  SECRET_KEY: setting(
    z.string().min(32, 'must be at least 32 characters'),
    'at-least-32-random-characters-here',
    'seals stored credentials and private keys; default: a random one in DATA_DIR/secret; needed with MONGODB_URL',
  ),
  PREVIOUS_SECRET_KEYS: setting(
    commaSeparated.pipe(z.array(z.string().min(32, 'must be the former SECRET_KEYs, each at least 32 characters'))),
    'the-32-or-more-characters-before-these,and-those-of-the-time-before-that',
    'former SECRET_KEYs, which open what they sealed; needed until npm run agent -- secret move-out, and 90 days for OAuth',
  ),
  SIGNING_KEYS: setting(
    z.string(),
    '{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k-1","x":"...","d":"..."}]}',
    'private keys that sign, as JWKs or PEM, the first of them now; default: made and kept in the store',
  ),
  SIGNING_KEYS_FILE: setting(z.string(), '/run/secrets/signing-keys.pem', 'a file with the same'),
  WEBHOOK_SIGNING_KEYS: setting(
    z.string(),
    '{"kty":"OKP","crv":"Ed25519","kid":"webhooks-1","x":"...","d":"..."}',
    'private keys that sign webhooks and nothing else, in the same forms; default: those that sign the rest',
  ),
  WEBHOOK_SIGNING_KEYS_FILE: setting(z.string(), '/run/secrets/webhook-keys.json', 'a file with the same'),
  REVOKED_KIDS: setting(
    commaSeparated,
    'k-0,webhooks-0',
    'ids of such keys that must not be trusted any more, for the published list',
  ),
  SIGNING_KEY_ALG: setting(
    z.enum(['ed25519', 'ecdsa-p256-sha256'], 'must be ed25519 or ecdsa-p256-sha256'),
    'ed25519',
    'of the keys that this agent makes',
  ),
  SIGNING_KEY_DAYS: setting(
    wholeNumber(1, 3650),
    '90',
    'after so many days of signing, a key that this agent made is followed by a new one',
  ),
  OPERATOR_WEBHOOK_URL: setting(
    url(['http:', 'https:'], 'an http or https URL'),
    'https://ops.publisher.example/webhooks',
    'told by a signed webhook when a receiver fails for an hour, takes webhooks again, or refuses our signature; default: only the log is',
  ),
  SECURITY_CONTACT: setting(
    text(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+[\d-]+)$/, 'must be a mailto:, https: or tel: URI'),
    'mailto:security@publisher.example',
    'where whoever finds a weakness of this installation is to write to, for /.well-known/security.txt; default: none is served',
  ),
  APPROVAL_OVER: setting(
    thresholdByCurrency,
    'USD:50000,EUR:45000',
    'media buys with a larger total budget wait for a person, and so do all in other currencies; default: none does',
  ),
  APPROVAL_OVER_USD: setting(dollars, '50000', 'the same for US dollars alone, or beside APPROVAL_OVER without USD'),
  SECOND_APPROVER_OVER: setting(
    thresholdByCurrency,
    'USD:250000,EUR:225000',
    'approvals of a larger total take the yes of two people, and so do all in other currencies; needs APPROVAL_OVER; default: one is enough',
  ),
  SIM_SPEED: setting(
    text(/^\d{1,7}(\.\d{1,3})?$/, 'must be a number of at least 1')
      .transform(Number)
      .refine((speed) => speed >= 1, 'must be a number of at least 1'),
    '1',
    'how many times faster than real time the simulated ad server delivers',
  ),
  SIM_BUDGET_CUT: setting(
    z.enum(['exact', 'after_pause'], 'must be exact or after_pause'),
    'exact',
    'after_pause lets the simulated ad server take budgets below what is spent, and count half an hour late, as real ones do',
  ),
  SIM_AD_UNITS: setting(
    commaSeparated,
    'home-top,home-side',
    'ad units of the simulated ad server, which products then may name; default: none',
  ),
  AD_SERVER: setting(
    z.enum(['simulator', 'http'], 'must be simulator or http'),
    'simulator',
    'the ad server that orders go to: the embedded simulator, or whatever answers the HTTP bridge at AD_SERVER_URL',
  ),
  AD_SERVER_URL: setting(
    adServerUrl,
    'http://127.0.0.1:8070',
    'where that bridge is, what stands before /v1; needs AD_SERVER=http and AD_SERVER_TOKEN',
  ),
  AD_SERVERS_FILE: setting(
    z.string(),
    './ad_servers.json',
    'a file that says the same in place of the two settings above, as JSON, with secrets by name',
  ),
  AD_SERVER_PORT: setting(
    wholeNumber(0, 65535),
    '8070',
    'port of npm run ad-server, the simulated ad server as a process',
  ),
  AD_SERVER_TOKEN: setting(
    adServerToken,
    'at-least-16-random-characters',
    'sent to the ad server at AD_SERVER_URL; also what npm run ad-server asks for, by default one that it makes and prints',
  ),
  AD_SERVER_SIGN: setting(
    flag,
    'false',
    'sign each call to the ad server at AD_SERVER_URL (RFC 9421), with the key that signs all but webhooks',
  ),
  AD_SERVER_RINGS: setting(
    url(['http:', 'https:'], 'an http or https URL').transform(withoutSlash),
    'http://127.0.0.1:8080',
    'the agent that npm run ad-server rings when something happens to an order; default: nobody',
  ),
  AD_SERVER_VERIFY: setting(
    url(['http:', 'https:'], 'an http or https URL'),
    'http://127.0.0.1:8080/.well-known/jwks.json',
    'the keys by which npm run ad-server verifies what calls it; default: the token is enough',
  ),
  CREATIVE_REVIEW_SECONDS: setting(
    wholeNumber(0, 2_592_000),
    '2',
    'how long the simulated review of a creative takes, whatever SIM_SPEED',
  ),
  IMPAIRMENT_WINDOW_SECONDS: setting(
    wholeNumber(0, 300),
    '60',
    'how long news of a general impairment waits for more of the same media buy; at most 300',
  ),
  ...BUDGET_SETTINGS,
  CATALOG_DIR: setting(z.string(), './catalog', 'folder of the products, formats and properties for sale'),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be a pino level'),
    'info',
    'trace, debug, info, warn, error, fatal or silent',
  ),
  REQUEST_LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'silent'], 'must be trace, debug, info, warn or silent'),
    'debug',
    'the level at which each request is logged, by its route; so LOG_LEVEL=info shows none unless this is info',
  ),
} satisfies Record<string, Setting<unknown>>;

/** The settings by name, parsed; absent where not set. */
export type Settings = { [Name in keyof typeof SETTINGS]: z.infer<(typeof SETTINGS)[Name]['schema']> };
