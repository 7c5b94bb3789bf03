import type { DiscoveryLevel } from '../../dialects/adcp/discovery.ts';
import type { ReleaseChoice } from '../../dialects/adcp/release.ts';
import { resolve } from 'node:path';
import type { CorsOrigins } from '../../platform/cors.ts';
import type { StripeDeps } from '../../directory/billing/stripe-provider.ts';
import type { FeedRetention } from '../../directory/feed/forget-old-events.ts';
import type { OidcSettings } from '../../directory/oauth/oidc-client.ts';
import type { ConfiguredClient } from '../../oauth/client/client.ts';
import type { DevelopmentAccount } from '../../oauth/identity-provider.ts';
import type { NamedPlace } from '../../platform/outbound/allowed-places.ts';
import type { Proxy } from '../../platform/outbound/proxy.ts';
import type { BudgetSizes } from '../../platform/budget/budget-table.ts';
import type { ApprovalThresholds } from '../../sales/approval/approval-policy.ts';
import type { SignatureAlg } from '#receiver/wire/algorithms';
import { adServerSource } from './ad-server-source.ts';
import type { AdServerSource } from './ad-server-source.ts';
import { approvalThresholds } from './approval-thresholds.ts';
import { budgetSizes } from './budget-settings.ts';
import { ConfigError } from './config-error.ts';
import type { KeySetting } from './key-setting.ts';
import { isLoopbackHost } from './loopback.ts';
import { operatorOidcSettings, portalOidcSettings } from './oidc-settings.ts';
import type { OperatorOidcSettings } from './oidc-settings.ts';
import { parseSettings } from './parse-settings.ts';
import type { SettingView } from '../../admin/operator/doctor/installation.ts';
import { shownSettings } from './shown-settings.ts';
import type { RequestLogLevel } from '../wiring/request-log.ts';
import type { Settings } from './settings.ts';

/** How one process is set up. Goes down by argument. */
export interface Config {
  port: number;
  host: string;
  /** Absent: no gRPC. */
  grpcPort: number | undefined;
  /** `host:port` at which buyers reach it; absent: the host of `publicUrl` with `grpcPort`. */
  grpcAddress: string | undefined;
  /** Whose pages may call over A2A from a browser; absent: nobody's. */
  corsOrigins: CorsOrigins | undefined;
  /** Absent: nobody is shown what is measured. */
  metricsPort: number | undefined;
  metricsHost: string;
  /** Absent: the address the server listens on. */
  publicUrl: string | undefined;
  /** Proxies in front whose `X-Forwarded-*` headers are believed; false for none. */
  trustProxy: number | false;
  /** How long a server answers still once it is told to stop, in milliseconds. */
  drainMs: number;
  dataDir: string;
  mongodbUrl: string | undefined;
  redisUrl: string | undefined;
  protocolName: string;
  /** In which release of the public protocol callers are answered who do not say it as such. */
  releases: ReleaseChoice;
  /** What is told in the public protocol to those without a credential. */
  anonymousDiscovery: DiscoveryLevel;
  /** Which tasks are tools of MCP, and in whose words they are called. */
  mcpTasks: 'public' | 'contract';
  /** Tests of the public protocol may force states; see `comply_test_controller`. */
  isTested: boolean;
  allowLoopback: boolean;
  /** Ports of this machine at which publishers of a rehearsal are, by domain. */
  loopbackPublishers: ReadonlyMap<string, number>;
  /** Where webhooks and look-ups may go besides public addresses at the usual ports. */
  outboundAllow: readonly NamedPlace[];
  /** Absent: requests go out by themselves. */
  outboundProxy: Proxy | undefined;
  allowLegacyBearer: boolean;
  /** Whether what receivers answered when they failed is kept for a while. */
  keepsReceiverAnswers: boolean;
  bootstrapApiKey: string | undefined;
  /** Absent: one that the installation makes for itself. */
  operatorApiKey: string | undefined;
  /** Absent: one-time links alone sign operators in. */
  operatorOidc: OperatorOidcSettings | undefined;
  /** Whether one-time links open the console; where they do not, `operatorOidc` is set. */
  hasSignInLinks: boolean;
  /** How old a sign-in to the console may be where one of late is asked for, in milliseconds; 0: as old as its session. */
  freshSignInMs: number;
  /** Absent: this agent's own authorization server. */
  oauthIssuer: string | undefined;
  /** The portal as an application of `oauthIssuer`; absent: nobody signs in to it there. */
  portalOidc: OidcSettings | undefined;
  oauthClients: readonly ConfiguredClient[];
  /** Whether applications may register themselves. */
  isRegistrationOpen: boolean;
  devAccounts: readonly DevelopmentAccount[];
  /** Whether nobody but this machine reaches it: `HOST`, and `PUBLIC_URL` where it is set, are loopback addresses, and no proxy is in front. */
  isLocal: boolean;
  /** Whether there is the demo's buyer. */
  hasDemoBuyer: boolean;
  /** Whether the demo's person can sign in, to the demo's application. */
  hasDemoAccount: boolean;
  /** Whether the media buys that the card's examples name are made. */
  hasExampleBuys: boolean;
  hasSandboxBilling: boolean;
  /** Absent: memberships are not sold through Stripe. */
  stripe: StripeConfig | undefined;
  secretKey: string | undefined;
  /** Open what they sealed, and seal nothing any more. */
  previousSecretKeys: readonly string[];
  signing: SigningConfig;
  /** Absent: the operator reads of receivers in trouble in the log. */
  operatorWebhookUrl: string | undefined;
  /** Absent: whoever finds a weakness is told nothing of whom to write to. */
  securityContact: string | undefined;
  /** Empty: no buy waits for a person. */
  approvalOver: ApprovalThresholds;
  /** Empty: the yes of one person is enough. */
  secondApproverOver: ApprovalThresholds;
  simSpeed: number;
  /** What else the simulated ad server can do. */
  simulator: { budgetCut: 'exact' | 'after_pause'; adUnits: readonly string[] };
  /** Where orders go; `configuredAdServer` reads it. */
  adServer: AdServerSource;
  adServerPort: number;
  /** Absent: one that the ad server makes for itself. */
  adServerToken: string | undefined;
  /** Whom the ad server's process rings; absent: nobody. */
  adServerRings: string | undefined;
  /** Where the ad server's process finds the keys of its callers; absent: it asks for no signature. */
  adServerVerify: string | undefined;
  creativeReviewSeconds: number;
  impairmentWindowSeconds: number;
  /** How long, and how many, events of the registry's feed are kept. */
  feedRetention: FeedRetention;
  /** Budgets whose size is not the table's. */
  budgets: BudgetSizes;
  catalogDir: string;
  logLevel: string;
  /** At which each request is logged. */
  requestLogLevel: RequestLogLevel;
  /** Where spans go; absent: none are recorded. */
  otlpEndpoint: string | undefined;
  /** Whether a caller's trace goes on here; else it is only linked to. */
  trustsTraces: boolean;
  /** Where people look at a trace, with `{trace_id}` in it; absent: nowhere. */
  traceUrl: string | undefined;
  /** All settings as they were given, for operators to see. */
  shown: readonly SettingView[];
}

/** The keys that sign. */
export interface SigningConfig {
  keys: KeySetting;
  webhooksOnly: KeySetting;
  revokedKids: readonly string[];
  alg: SignatureAlg;
  rotateAfterDays: number;
}

type StripeConfig = Pick<StripeDeps, 'secretKey' | 'webhookSecret' | 'prices' | 'apiUrl'>;

/** What the ways to start this product differ in, as long as only this machine reaches it. */
export interface ConfigDefaults {
  allowLoopback: boolean;
  /** Whether there is a demo's buyer to play. */
  isDemo?: boolean;
}

/** The names of pre-releases that clients in use insist on, by the release that they became. */
const DEFAULT_ALIASES: ReleaseChoice['aliases'] = new Map([
  ['3.2-beta.5', '3.2'],
  ['3.2-rc.7', '3.2'],
]);

/**
 * Reads the settings from an environment. Relative folders are resolved against `cwd`.
 * @throws {ConfigError} naming every mistake at once.
 */
export function readConfig(env: NodeJS.ProcessEnv, defaults: ConfigDefaults, cwd: string = process.cwd()): Config {
  const s = parseSettings(env);
  const hasProxy = s.TRUST_PROXY !== undefined && s.TRUST_PROXY !== false;
  const isLocal = isLoopbackHost(s.HOST ?? DEFAULT_HOST) && isLoopbackUrl(s.PUBLIC_URL) && !hasProxy;
  const isDemo = defaults.isDemo ?? false;
  const allowLoopback = s.ALLOW_LOOPBACK ?? (defaults.allowLoopback && isLocal);
  const hasDemoBuyer = isDemo && (s.DEMO_ACCOUNT ?? (isLocal && s.BOOTSTRAP_API_KEY === undefined));
  return {
    shown: shownSettings(env),
    port: s.PORT ?? 8080,
    host: s.HOST ?? DEFAULT_HOST,
    grpcPort: s.GRPC_PORT,
    grpcAddress: s.GRPC_PUBLIC_URL,
    corsOrigins: s.A2A_CORS_ORIGINS,
    metricsPort: s.METRICS_PORT,
    metricsHost: s.METRICS_HOST ?? '127.0.0.1',
    publicUrl: s.PUBLIC_URL,
    trustProxy: s.TRUST_PROXY ?? false,
    drainMs: (s.DRAIN_SECONDS ?? (isLocal ? 0 : 5)) * 1000,
    dataDir: resolve(cwd, s.DATA_DIR ?? 'data'),
    mongodbUrl: s.MONGODB_URL,
    redisUrl: s.REDIS_URL,
    protocolName: s.PROTOCOL_NAME ?? 'proto',
    releases: { aliases: s.ADCP_ALIASES ?? DEFAULT_ALIASES, majorOnly: s.ADCP_MAJOR_ONLY_RELEASE ?? '3.0' },
    anonymousDiscovery: s.ANONYMOUS_DISCOVERY ?? 'products',
    mcpTasks: s.MCP_TASKS ?? 'public',
    isTested: s.COMPLIANCE_TESTING ?? false,
    isLocal,
    allowLoopback,
    loopbackPublishers: loopbackPublishersOf(s, allowLoopback),
    outboundAllow: s.OUTBOUND_ALLOW ?? [],
    outboundProxy: s.OUTBOUND_PROXY && { ...s.OUTBOUND_PROXY, resolvesNames: s.OUTBOUND_PROXY_RESOLVES ?? false },
    allowLegacyBearer: s.ALLOW_LEGACY_BEARER ?? false,
    keepsReceiverAnswers: s.KEEP_RECEIVER_ANSWERS ?? true,
    bootstrapApiKey: s.BOOTSTRAP_API_KEY,
    operatorApiKey: s.OPERATOR_API_KEY,
    operatorOidc: operatorOidcSettings(s),
    hasSignInLinks: s.SIGN_IN_LINKS ?? true,
    freshSignInMs: (s.FRESH_SIGN_IN_MINUTES ?? 15) * 60_000,
    oauthIssuer: s.OAUTH_ISSUER,
    portalOidc: portalOidcSettings(s),
    oauthClients: s.OAUTH_CLIENTS ?? [],
    isRegistrationOpen: s.OAUTH_REGISTRATION ?? false,
    devAccounts: s.DEV_ACCOUNTS ?? [],
    hasDemoBuyer,
    hasDemoAccount: hasDemoBuyer && s.OAUTH_ISSUER === undefined,
    hasExampleBuys: isDemo && (s.EXAMPLE_BUYS ?? isLocal),
    hasSandboxBilling: s.BILLING_SANDBOX ?? (isDemo && isLocal && s.STRIPE_SECRET_KEY === undefined),
    stripe: stripeConfig(s),
    secretKey: s.SECRET_KEY,
    previousSecretKeys: s.PREVIOUS_SECRET_KEYS ?? [],
    signing: signingConfig(s, cwd),
    operatorWebhookUrl: s.OPERATOR_WEBHOOK_URL,
    securityContact: s.SECURITY_CONTACT,
    ...approvalThresholds(s),
    simSpeed: s.SIM_SPEED ?? 1,
    simulator: { budgetCut: s.SIM_BUDGET_CUT ?? 'exact', adUnits: s.SIM_AD_UNITS ?? [] },
    adServer: adServerSource(s, env, cwd),
    adServerPort: s.AD_SERVER_PORT ?? 8070,
    adServerToken: s.AD_SERVER_TOKEN,
    adServerRings: s.AD_SERVER_RINGS,
    adServerVerify: s.AD_SERVER_VERIFY,
    creativeReviewSeconds: s.CREATIVE_REVIEW_SECONDS ?? 2,
    impairmentWindowSeconds: s.IMPAIRMENT_WINDOW_SECONDS ?? 60,
    feedRetention: { days: s.FEED_RETENTION_DAYS ?? 90, events: s.FEED_RETENTION_EVENTS ?? 1_000_000 },
    budgets: budgetSizes(s),
    catalogDir: resolve(cwd, s.CATALOG_DIR ?? 'catalog'),
    logLevel: s.LOG_LEVEL ?? 'info',
    requestLogLevel: s.REQUEST_LOG_LEVEL ?? 'debug',
    otlpEndpoint: s.OTEL_EXPORTER_OTLP_ENDPOINT,
    trustsTraces: s.TRUST_TRACE ?? false,
    traceUrl: s.TRACE_URL,
  };
}

const DEFAULT_HOST = '127.0.0.1';

/** @throws {ConfigError} where loopback is closed: nobody's publisher is to be played there. */
function loopbackPublishersOf({ LOOPBACK_PUBLISHERS }: Settings, allowLoopback: boolean): ReadonlyMap<string, number> {
  if (LOOPBACK_PUBLISHERS !== undefined && !allowLoopback)
    throw new ConfigError([
      'LOOPBACK_PUBLISHERS is for rehearsals: set ALLOW_LOOPBACK=true beside it, or leave it out',
    ]);
  return LOOPBACK_PUBLISHERS ?? new Map();
}

function isLoopbackUrl(url: string | undefined): boolean {
  return url === undefined || isLoopbackHost(new URL(url).hostname);
}

function signingConfig(s: Settings, cwd: string): SigningConfig {
  const source = (name: 'SIGNING_KEYS' | 'WEBHOOK_SIGNING_KEYS'): KeySetting => {
    const file = s[`${name}_FILE`];
    return { name, text: s[name], file: file === undefined ? undefined : resolve(cwd, file) };
  };
  return {
    keys: source('SIGNING_KEYS'),
    webhooksOnly: source('WEBHOOK_SIGNING_KEYS'),
    revokedKids: s.REVOKED_KIDS ?? [],
    alg: s.SIGNING_KEY_ALG ?? 'ed25519',
    rotateAfterDays: s.SIGNING_KEY_DAYS ?? 90,
  };
}

/** @throws {ConfigError} for a key without what it needs. */
function stripeConfig(s: Settings): StripeConfig | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_PRICES: prices } = s;
  if (secretKey === undefined) return undefined;
  if (webhookSecret === undefined || prices === undefined)
    throw new ConfigError(['STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET and STRIPE_PRICES']);
  return { secretKey, webhookSecret, prices, apiUrl: s.STRIPE_API_URL ?? 'https://api.stripe.com' };
}
