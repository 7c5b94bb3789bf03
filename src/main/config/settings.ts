import { z } from 'zod';
import { weaknessOf } from '../../directory/api-key/api-key.ts';
import { MembershipTier } from '../../directory/organization/organization.ts';
import { ConfiguredClient } from '../../oauth/client/client.ts';
import type { DevelopmentAccount } from '../../oauth/identity-provider.ts';

interface Setting<T> {
  schema: z.ZodType<T>;
  /** One line for people; goes into `.env.example`. */
  doc: string;
  example: string;
}

function setting<T>(schema: z.ZodType<T>, example: string, doc: string): Setting<T> {
  return { schema, doc, example };
}

const flag = z
  .enum(['true', 'false', '1', '0', 'on', 'off'], 'must be true or false')
  .transform((text) => ['true', '1', 'on'].includes(text));

function wholeNumber(low: number, high: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${low} to ${high}`)
    .transform(Number)
    .refine((value) => value >= low && value <= high, `must be a whole number from ${low} to ${high}`);
}

function url(schemes: readonly string[], what: string) {
  const expected = `must be ${what}`;
  return z.string().refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol), expected);
}

const strongKey = z.string().superRefine((key, context) => {
  const weakness = weaknessOf(key);
  if (weakness !== undefined) context.addIssue({ code: 'custom', message: weakness });
});

function jsonOf<T>(schema: z.ZodType<T>) {
  return z.string().transform((text, context): T => {
    const result = schema.safeParse(parsedJson(text));
    if (result.success) return result.data;
    const { path = [], message = 'is not valid' } = result.error.issues[0] ?? {};
    context.addIssue({
      code: 'custom',
      message: path.length === 0 ? 'must be a JSON list' : `${path.join('.')} ${message}`,
    });
    return z.NEVER;
  });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function accountOf(text: string): DevelopmentAccount {
  const end = text.indexOf(':');
  return { email: text.slice(0, end), password: text.slice(end + 1) };
}

/**
 * Every setting, in the order of `.env.example`. The environment is read here and nowhere else; an empty value counts as
 * not set.
 */
export const SETTINGS = {
  PORT: setting(wholeNumber(0, 65535).optional(), '8080', 'port to listen on; 0 picks a free one'),
  HOST: setting(
    z
      .string()
      .regex(/^[\w.:-]+$/, 'must be a host name or address')
      .optional(),
    '127.0.0.1',
    'address to listen on',
  ),
  GRPC_PORT: setting(wholeNumber(1, 65535).optional(), '50051', 'port of A2A over gRPC, without TLS; default: no gRPC'),
  PUBLIC_URL: setting(
    url(['http:', 'https:'], 'an http or https URL without query or fragment')
      .refine((text) => !/[?#]/.test(text), 'must be an http or https URL without query or fragment')
      .transform((text) => text.replace(/\/+$/, ''))
      .optional(),
    'https://sales.publisher.example',
    'what buyers call this agent by; default: the address it listens on',
  ),
  TRUST_PROXY: setting(
    z
      .string()
      .regex(/^(false|[0-9])$/, 'must be false or the number of proxies in front, 1 to 9')
      .transform((text): number | false => Number(text) || false)
      .optional(),
    'false',
    'how many proxies in front of this server to believe about who calls; default: none',
  ),
  DATA_DIR: setting(z.string().optional(), './data', 'folder of the embedded store and the private Redis'),
  MONGODB_URL: setting(
    // The driver reads the rest: a URL with several hosts, as of a replica set, is none for the URL parser.
    z
      .string()
      .regex(/^mongodb(\+srv)?:\/\/[^\s/?#]+([/?][^\s#]*)?$/, 'must be a mongodb:// or mongodb+srv:// URL')
      .optional(),
    'mongodb://127.0.0.1:27017/media_buy_agent',
    'MongoDB to keep everything in; default: the embedded store',
  ),
  REDIS_URL: setting(
    url(['redis:', 'rediss:', 'unix:'], 'a redis://, rediss:// or unix:// URL').optional(),
    'redis://127.0.0.1:6379',
    'Redis for the queues; default: a private one in DATA_DIR',
  ),
  PROTOCOL_NAME: setting(
    z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z, 0-9 and -, beginning with a letter')
      .optional(),
    'proto',
    "the protocol's name, from which header, tag and key-field names derive; adcp for the public ecosystem",
  ),
  ALLOW_LOOPBACK: setting(
    flag.optional(),
    'false',
    'let webhooks and look-ups go to this machine over http; on for npm start, off for npm run server and worker',
  ),
  ALLOW_LEGACY_BEARER: setting(flag.optional(), 'false', 'accept Bearer webhooks for tasks that change something'),
  BOOTSTRAP_API_KEY: setting(
    strongKey.optional(),
    'mk_live_at-least-32-random-characters',
    "a first organization's API key, for deployments that start from nothing",
  ),
  OPERATOR_API_KEY: setting(
    strongKey.optional(),
    'op_live_at-least-32-random-characters',
    'the key of /api/operator and npm run agent; default: one made at the first start, which npm start prints',
  ),
  OAUTH_ISSUER: setting(
    url(['http:', 'https:'], 'an http or https URL').optional(),
    'https://login.publisher.example',
    "whose access tokens count for users, exactly as its tokens spell it; default: this agent's own authorization server",
  ),
  OAUTH_CLIENTS: setting(
    jsonOf(z.array(ConfiguredClient).max(100)).optional(),
    '[{"client_id":"console","client_name":"Console","redirect_uris":["https://console.example/callback"]}]',
    "applications that may ask this agent's own authorization server for tokens, as JSON",
  ),
  OAUTH_REGISTRATION: setting(flag.optional(), 'false', 'let applications register themselves there (RFC 7591)'),
  DEV_ACCOUNTS: setting(
    z
      .string()
      .regex(
        /^[^\s:@,]+@[^\s:@,]+:[^\s,]{12,}(,[^\s:@,]+@[^\s:@,]+:[^\s,]{12,})*$/,
        'must be address:password, several with commas between, each password at least 12 characters without comma or space',
      )
      .transform((text) => text.split(',').map(accountOf))
      .optional(),
    'ada@acme.example:at-least-12-characters',
    'people who can sign in there, for development; default: nobody, and the demo account on npm start',
  ),
  BILLING_SANDBOX: setting(
    flag.optional(),
    'false',
    'sell memberships without money, for trying out; on for npm start unless Stripe is set, off for npm run server',
  ),
  STRIPE_SECRET_KEY: setting(
    z
      .string()
      .regex(/^[sr]k_\w{8,}$/, 'must be a secret or restricted key of Stripe')
      .optional(),
    'sk_live_from_the_dashboard',
    'sells memberships through Stripe; needs the next two settings',
  ),
  STRIPE_WEBHOOK_SECRET: setting(
    z
      .string()
      .regex(/^whsec_\S{8,}$/, 'must be the signing secret of a Stripe webhook endpoint')
      .optional(),
    'whsec_from_the_dashboard',
    'verifies the events that Stripe sends to /api/billing/events',
  ),
  STRIPE_PRICES: setting(
    z
      .string()
      .transform((text) => new Map(text.split(',').map((pair) => pair.split('=') as [string, string])))
      .pipe(z.map(z.string().min(1), MembershipTier))
      .optional(),
    'price_1AbC=company_standard,price_2DeF=company_leader',
    'the tier that each price is for',
  ),
  STRIPE_API_URL: setting(
    url(['http:', 'https:'], 'an http or https URL')
      .transform((text) => text.replace(/\/+$/, ''))
      .optional(),
    'https://api.stripe.com',
    "where Stripe's API is",
  ),
  SECRET_KEY: setting(
    z.string().min(32, 'must be at least 32 characters').optional(),
    'at-least-32-random-characters-here',
    'seals stored credentials and private keys; default: a random one kept in the store',
  ),
  PREVIOUS_SECRET_KEYS: setting(
    z
      .string()
      .transform((text) => text.split(','))
      .pipe(z.array(z.string().min(32, 'must be the former SECRET_KEYs, each at least 32 characters')))
      .optional(),
    'the-32-or-more-characters-before-these,and-those-of-the-time-before-that',
    'former SECRET_KEYs, which open what they sealed; needed while media buys of their time run',
  ),
  SIGNING_KEYS: setting(
    z.string().optional(),
    '{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k-1","x":"...","d":"..."}]}',
    'private keys that sign, as JWKs or PEM, the first of them now; default: made and kept in the store',
  ),
  SIGNING_KEYS_FILE: setting(z.string().optional(), '/run/secrets/signing-keys.pem', 'a file with the same'),
  WEBHOOK_SIGNING_KEYS: setting(
    z.string().optional(),
    '{"kty":"OKP","crv":"Ed25519","kid":"webhooks-1","x":"...","d":"..."}',
    'private keys that sign webhooks and nothing else, in the same forms; default: those that sign the rest',
  ),
  WEBHOOK_SIGNING_KEYS_FILE: setting(z.string().optional(), '/run/secrets/webhook-keys.json', 'a file with the same'),
  REVOKED_KIDS: setting(
    z
      .string()
      .transform((text) => text.split(','))
      .optional(),
    'k-0,webhooks-0',
    'ids of such keys that must not be trusted any more, for the published list',
  ),
  SIGNING_KEY_ALG: setting(
    z.enum(['ed25519', 'ecdsa-p256-sha256'], 'must be ed25519 or ecdsa-p256-sha256').optional(),
    'ed25519',
    'of the keys that this agent makes',
  ),
  SIGNING_KEY_DAYS: setting(
    wholeNumber(1, 3650).optional(),
    '90',
    'after so many days of signing, a key that this agent made is followed by a new one',
  ),
  APPROVAL_OVER_USD: setting(
    z
      .string()
      .regex(/^\d{1,12}(\.\d{1,2})?$/, 'must be an amount in dollars, such as 50000')
      .transform(Number)
      .optional(),
    '50000',
    'media buys with a larger total budget wait for a person; default: none does',
  ),
  SIM_SPEED: setting(
    z
      .string()
      .regex(/^\d{1,7}(\.\d{1,3})?$/, 'must be a number of at least 1')
      .transform(Number)
      .refine((speed) => speed >= 1, 'must be a number of at least 1')
      .optional(),
    '1',
    'how many times faster than real time the simulated ad server delivers',
  ),
  CREATIVE_REVIEW_SECONDS: setting(
    wholeNumber(0, 2_592_000).optional(),
    '2',
    'how long the simulated review of a creative takes, whatever SIM_SPEED',
  ),
  IMPAIRMENT_WINDOW_SECONDS: setting(
    wholeNumber(0, 300).optional(),
    '60',
    'how long news of a general impairment waits for more of the same media buy; at most 300',
  ),
  CATALOG_DIR: setting(z.string().optional(), './catalog', 'folder of the products, formats and properties for sale'),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be a pino level').optional(),
    'info',
    'trace, debug, info, warn, error, fatal or silent',
  ),
} satisfies Record<string, Setting<unknown>>;

/** The settings by name, parsed; absent where not set. */
export type Settings = { [Name in keyof typeof SETTINGS]: z.infer<(typeof SETTINGS)[Name]['schema']> };
