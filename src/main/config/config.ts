import { resolve } from 'node:path';
import type { ReleaseChoice } from '../../dialects/adcp/release.ts';
import { adServerSource } from './ad-server-source.ts';
import { approvalThresholds } from './approval-thresholds.ts';
import { budgetSizes } from './budget-settings.ts';
import type { Config } from './config-shape.ts';
import { isLoopbackHost } from './loopback.ts';
import { loopbackPublishersOf } from './loopback-publishers.ts';
import { operatorOidcSettings, portalOidcSettings } from './oidc-settings.ts';
import { parseSettings } from './parse-settings.ts';
import { shownSettings } from './shown-settings.ts';
import { signingConfig } from './signing-config.ts';
import { stripeConfig } from './stripe-config.ts';

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

function isLoopbackUrl(url: string | undefined): boolean {
  return url === undefined || isLoopbackHost(new URL(url).hostname);
}
