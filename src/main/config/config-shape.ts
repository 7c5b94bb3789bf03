import type { SettingView } from '../../admin/operator/doctor/installation.ts';
import type { DiscoveryLevel } from '../../dialects/adcp/discovery.ts';
import type { ReleaseChoice } from '../../dialects/adcp/release.ts';
import type { StripeDeps } from '../../directory/billing/stripe-provider.ts';
import type { FeedRetention } from '../../directory/feed/forget-old-events.ts';
import type { OidcSettings } from '../../directory/oauth/oidc-client.ts';
import type { ConfiguredClient } from '../../oauth/client/client.ts';
import type { DevelopmentAccount } from '../../oauth/identity-provider.ts';
import type { BudgetSizes } from '../../platform/budget/budget-table.ts';
import type { CorsOrigins } from '../../platform/cors.ts';
import type { NamedPlace } from '../../platform/outbound/allowed-places.ts';
import type { Proxy } from '../../platform/outbound/proxy.ts';
import type { ApprovalThresholds } from '../../sales/approval/approval-policy.ts';
import type { SignatureAlg } from '#receiver/wire/algorithms';
import type { RequestLogLevel } from '../wiring/request-log.ts';
import type { AdServerSource } from './ad-server-source.ts';
import type { KeySetting } from './key-setting.ts';
import type { OperatorOidcSettings } from './oidc-settings.ts';

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

export type StripeConfig = Pick<StripeDeps, 'secretKey' | 'webhookSecret' | 'prices' | 'apiUrl'>;
