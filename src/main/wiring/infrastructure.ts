import { createHash } from 'node:crypto';
import { randomIds, systemClock } from '../../platform/clock.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import { RING_EVERY_MS, RUNG_COLLECTIONS } from '../../admin/live-topics.ts';
import { sparingRing } from '../../platform/sparing-ring.ts';
import type { Store } from '../../platform/store/collection.ts';
import { measuredStore } from '../../platform/store/measured-store.ts';
import { rungStore } from '../../platform/store/rung-store.ts';
import type { DestinationGate, GateSettings } from '../../platform/redis/destination-gate.ts';
import { createDestinationGate } from '../../platform/redis/destination-gate-redis.ts';
import { DEFAULT_TARGET_GATE_SETTINGS } from '../../platform/redis/target-gate.ts';
import type { TargetGate } from '../../platform/redis/target-gate.ts';
import { createTargetGate } from '../../platform/redis/target-gate-redis.ts';
import { createChangeSignal } from '../../platform/redis/change-signal-redis.ts';
import type { Logger } from '../../platform/log.ts';
import { createBudgets } from '../../platform/budget/budgets.ts';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { createUnfinishedBytes } from '../../platform/intake/unfinished-bytes.ts';
import type { UnfinishedBytes } from '../../platform/intake/unfinished-bytes.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { allowedPlaces } from '../../platform/outbound/allowed-places.ts';
import { createOutbound } from '../../platform/outbound/outbound-client.ts';
import type { Outbound } from '../../platform/outbound/outbound-client.ts';
import { findRedis } from '../../platform/redis/find-redis.ts';
import { usePrivateRedis } from '../../platform/redis/private-redis.ts';
import { startTelemetry } from '../../platform/telemetry/telemetry.ts';
import { protocolNames } from '../../platform/protocol-name.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import { createQueues } from '../../platform/queue/queue-bullmq.ts';
import type { BullQueues } from '../../platform/queue/queue-bullmq.ts';
import type { ChangeSignal } from '../../platform/redis/change-signal.ts';
import type { RateLimiter } from '../../platform/redis/rate-limit.ts';
import { createRateLimiter } from '../../platform/redis/rate-limit-redis.ts';
import { createSecurityLog } from '../../platform/security/security-log.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import { loadOrCreateSecret } from '../../platform/crypto/secret.ts';
import { openStore } from '../../platform/store/store.ts';
import { ANSWER_WAIT_MS } from '../../runtime/follow.ts';
import { loadCatalog } from '../../sales/catalog.ts';
import type { Catalog } from '../../sales/catalog.ts';
import { createFullTextRanker } from '../../sales/product/full-text-ranker.ts';
import type { ProductRanker } from '../../sales/product/ranker.ts';
import { createBlockList } from '../../directory/blocked-domain/block-list.ts';
import type { BlockList } from '../../directory/blocked-domain/block-list.ts';
import { createSuspensions } from '../../directory/organization/suspension.ts';
import type { Suspensions } from '../../directory/organization/suspension.ts';
import type { Closers } from '../process/closers.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/config-shape.ts';
import { closedDataDir } from '../process/data-dir.ts';
import { prepareCollections } from './collections.ts';
import { productVersion } from './product-version.ts';
import { installationSecret } from './installation-secret.ts';
import type { InstallationSecret } from './installation-secret.ts';

/** What everything else stands on: store, queue, the way out, and what this installation is. */
export interface Infrastructure extends InstallationSecret {
  config: Config;
  /** What buyers call this agent by; no slash at the end. */
  baseUrl: string;
  log: Logger;
  metrics: Metrics;
  /** Where decisions about access are put on record. */
  security: SecurityLog;
  clock: Clock;
  ids: Ids;
  names: ProtocolNames;
  /** How long an answer in the public dialect, or over MCP, waits for what was asked, in milliseconds. */
  answerWaitMs: number;
  catalog: Catalog;
  /** Orders products by a brief. */
  ranker: ProductRanker;
  store: Store;
  queues: BullQueues;
  changeSignal: ChangeSignal;
  /** What anybody may use, and how whoever uses more is refused. */
  budgets: Budgets;
  /** Counts what this process holds of requests that have not come to their end, over all edges. */
  unfinished: UnfinishedBytes;
  /** What all webhooks pass. */
  gate: TargetGate;
  /** A gate for other requests, with rules of its own; closed with the rest. */
  openGate: (settings: Partial<GateSettings>) => DestinationGate;
  /** To URLs that others chose. */
  outbound: Outbound;
  /** To addresses that the operator set: of any kind, with the same limits (rule S4.operator-addresses). */
  operatorOutbound: Outbound;
  /** Which organizations an operator has suspended. */
  suspensions: Suspensions;
  /** Which domains the registry sorts out as infrastructure. */
  blockList: BlockList;
}

export interface InfrastructureOptions {
  config: Config;
  baseUrl: string;
  log: Logger;
  /** What the process shows at its port for metrics; default: one that nobody sees. */
  metrics?: Metrics;
  /** Default: the system's; for tests that let a month pass. */
  clock?: Clock;
  /** Default: random ones; for tests that are to happen again as they did. */
  ids?: Ids;
  /** Default: the product's own; for tests on machines that may be slow. */
  answerWaitMs?: number;
  /** Seen by nothing but what is passed here; for tests that crash at a chosen write. */
  wrapStore?: (store: Store) => Store;
  /** The same of what is sent to others. */
  wrapOutbound?: (outbound: Outbound) => Outbound;
}

/** Opens it all; what was opened is left to `closers`. */
export async function openInfrastructure(options: InfrastructureOptions, closers: Closers): Promise<Infrastructure> {
  const { config, baseUrl, log, metrics = createMetrics() } = options;
  const { clock = systemClock, ids = randomIds, wrapStore = (store: Store) => store } = options;
  const { answerWaitMs = ANSWER_WAIT_MS } = options;
  const telemetry = await startTelemetry({
    endpoint: config.otlpEndpoint,
    version: config.otlpEndpoint === undefined ? '' : await productVersion(),
    trustsCallers: config.trustsTraces,
    log,
  });
  closers.add(() => telemetry.stop());
  const security = createSecurityLog({ log, counters: metrics, clock });
  closers.add(() => {
    security.close();
  });
  const catalog = await loadCatalog(config.catalogDir, { baseUrl });
  await closedDataDir(config.dataDir).catch(ifNeeded(config));
  const opened = wrapStore(
    await openStore({ mongodbUrl: config.mongodbUrl, dataDir: config.dataDir, logger: log, clock }),
  );
  const bells: { signal?: ChangeSignal } = {};
  const ring = sparingRing((topic, key) => void bells.signal?.publish(topic, key), RING_EVERY_MS);
  const store = measuredStore(rungStore(opened, RUNG_COLLECTIONS, ring), metrics);
  closers.add(() => store.close());
  await prepareCollections(store);
  const sealing = await installationSecret({ config, store, clock, log });
  const { limiter, ...redis } = await openRedis(config, store, clock, log, closers);
  bells.signal = redis.changeSignal;
  const budgets = createBudgets({ limiter, clock, counters: metrics, sizes: config.budgets });
  const unfinished = createUnfinishedBytes({ budgets, clock });
  const proxy = config.outboundProxy;
  const { wrapOutbound = (way: Outbound) => way } = options;
  const outbound = wrapOutbound(
    createOutbound({
      proxy,
      allowLoopback: config.allowLoopback,
      security,
      places: allowedPlaces(config.outboundAllow),
      // Where the gate lets a request pass, it never waits for a connection that another one holds.
      maxConnectionsPerOrigin: DEFAULT_TARGET_GATE_SETTINGS.originMaxInFlight,
    }),
  );
  closers.add(() => outbound.close());
  const operatorOutbound = createOutbound({ allowLoopback: true, trustsUrls: true, proxy });
  closers.add(() => operatorOutbound.close());
  const names = protocolNames(config.protocolName);
  const suspensions = createSuspensions({ store, clock });
  const blockList = createBlockList({ store, clock });
  const ranker = createFullTextRanker(catalog);
  const served = { config, baseUrl, log, metrics, security, clock, ids, names, catalog, ranker, store, budgets };
  return {
    ...served,
    answerWaitMs,
    outbound,
    operatorOutbound,
    ...redis,
    unfinished,
    suspensions,
    blockList,
    ...sealing,
  };
}

/** With a store and a Redis elsewhere, a data folder that cannot be made or read is done without; an open one is refused. */
function ifNeeded({ mongodbUrl, redisUrl }: Config): (error: unknown) => void {
  return (error) => {
    const isElsewhere = mongodbUrl !== undefined && redisUrl !== undefined;
    if (!isElsewhere || error instanceof ConfigError) throw error;
  };
}

/** All that lives in Redis, under a prefix of this installation's. */
async function openRedis(
  config: Config,
  store: Store,
  clock: Clock,
  log: Logger,
  closers: Closers,
): Promise<Pick<Infrastructure, 'queues' | 'changeSignal' | 'gate' | 'openGate'> & { limiter: RateLimiter }> {
  const installation = await loadOrCreateSecret(store, clock, 'installation');
  const { redisUrl } = config;
  const connection = redisUrl === undefined ? await ownRedis(config, log, closers) : await findRedis(redisUrl, log);
  // Installations that share a Redis stay apart. In a cluster each subsystem tags its keys by itself, so that they spread over nodes.
  const name = `mba-${createHash('sha256').update(installation).digest('hex').slice(0, 12)}`;
  const prefix = typeof connection === 'string' ? `{${name}}` : name;
  const options = { connection, prefix, logger: log };
  const queues = createQueues(options);
  closers.add(() => queues.close());
  const changeSignal = createChangeSignal(options);
  closers.add(() => changeSignal.close());
  const limiter = createRateLimiter(options);
  closers.add(() => limiter.close());
  const gate = createTargetGate(options);
  closers.add(() => gate.close());
  const openGate = (settings: Partial<GateSettings>) => {
    const opened = createDestinationGate({ ...options, settings });
    closers.add(() => opened.close());
    return opened;
  };
  return { queues, changeSignal, limiter, gate, openGate };
}

async function ownRedis(config: Config, log: Logger, closers: Closers): Promise<string> {
  const redis = await usePrivateRedis({ dataDir: config.dataDir, logger: log });
  closers.add(() => redis.release());
  return redis.url;
}
