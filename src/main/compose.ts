import { createHash } from 'node:crypto';
import { randomIds, systemClock } from '../platform/clock.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Store } from '../platform/collection.ts';
import { createDestinationGate } from '../platform/destination-gate-redis.ts';
import { createDoorbell } from '../platform/doorbell-redis.ts';
import type { Logger } from '../platform/log.ts';
import { createOutbound } from '../platform/outbound/outbound-client.ts';
import type { Outbound } from '../platform/outbound/outbound-client.ts';
import { usePrivateRedis } from '../platform/private-redis.ts';
import { protocolNames } from '../platform/protocol-name.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import { createQueues } from '../platform/queue-bullmq.ts';
import type { BullQueues } from '../platform/queue-bullmq.ts';
import type { Doorbell } from '../platform/queue.ts';
import type { RateLimiter } from '../platform/rate-limit.ts';
import { createRateLimiter } from '../platform/rate-limit-redis.ts';
import { sealer } from '../platform/sealer.ts';
import type { Sealer } from '../platform/sealer.ts';
import { loadOrCreateSecret, readSecret, secrets } from '../platform/secret.ts';
import { openStore } from '../platform/store.ts';
import { ResendRanges } from '../admin/operator/webhooks/resend-range.ts';
import { apiKeys } from '../directory/api-key/api-key.ts';
import { authenticator } from '../directory/api-key/authenticator.ts';
import type { Authenticator } from '../directory/api-key/authenticator.ts';
import { organizations } from '../directory/organization/organization.ts';
import { askForChoreCollections } from '../registry/chores.ts';
import { createReporting } from '../reporting/reporting.ts';
import type { Reporting } from '../reporting/reporting.ts';
import { createRuntime } from '../runtime/runtime.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { RUN_QUEUE } from '../runtime/dependencies.ts';
import { TaskRuns } from '../runtime/task-run.ts';
import { createApprovalDesk } from '../sales/approval/approval-desk.ts';
import type { ApprovalDesk } from '../sales/approval/approval-desk.ts';
import { approvalOver } from '../sales/approval/approval-policy.ts';
import { loadCatalog } from '../sales/catalog.ts';
import type { Catalog } from '../sales/catalog.ts';
import { createFullTextRanker } from '../sales/product/full-text-ranker.ts';
import { taskDefinitions } from '../tasks/index.ts';
import { subjectOf } from '../tasks/subject-of.ts';
import { advertisedSchemes } from '../webhooks/schemes/named-schemes.ts';
import { createWebhooks } from '../webhooks/webhooks.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { opening } from './closers.ts';
import type { Closers } from './closers.ts';
import type { Config } from './config.ts';
import { addressBook } from './known-address.ts';
import { composeSales } from './sales.ts';
import type { Sales } from './sales.ts';
import { readRingOptions } from './signing-keys.ts';

/** Everything a process of this product is made of, wired once. */
export interface Core {
  config: Config;
  /** What buyers call this agent by; no slash at the end. */
  baseUrl: string;
  /**
   * Whether `baseUrl` is still what buyers call it by: always with `PUBLIC_URL`; without, asked of the store each time,
   * and false until a server has said its address.
   */
  isNewestAddress(): Promise<boolean>;
  log: Logger;
  clock: Clock;
  ids: Ids;
  store: Store;
  queues: BullQueues;
  bell: Doorbell;
  limiter: RateLimiter;
  outbound: Outbound;
  names: ProtocolNames;
  catalog: Catalog;
  sales: Sales;
  approvals: ApprovalDesk;
  webhooks: Webhooks;
  reporting: Reporting;
  runtime: Runtime;
  authenticator: Authenticator;
  /** The installation's secret: `SECRET_KEY`, or the one it made for itself. */
  secret: string;
  /** Seals with it, and opens what former ones sealed. */
  sealer: Sealer;
  /** Which store and queue are in use, for people. */
  inUse: { store: string; queue: string };
  /** Closes in the reverse order of opening. */
  close(): Promise<void>;
}

export interface ComposeOptions {
  config: Config;
  baseUrl: string;
  log: Logger;
  /** Default: the system's; for tests that let a month pass. */
  clock?: Clock;
  /** Seen by nothing but what is passed here; for tests that crash at a chosen write. */
  wrapStore?: (store: Store) => Store;
}

/** Opens the store and the queue, and wires what stands on them. */
export function compose(options: ComposeOptions): Promise<Core> {
  const { config, baseUrl, log, clock = systemClock, wrapStore = (store: Store) => store } = options;
  return opening(async (closers) => {
    const catalog = await loadCatalog(config.catalogDir, { baseUrl });
    const opened = await openStore({ mongodbUrl: config.mongodbUrl, dataDir: config.dataDir, logger: log, clock });
    const store = wrapStore(opened);
    closers.add(() => store.close());
    const core = await wire({ config, baseUrl, log, clock, store, catalog, closers });
    return { ...core, close: () => closers.close() };
  });
}

interface Wiring {
  config: Config;
  baseUrl: string;
  log: Logger;
  clock: Clock;
  store: Store;
  catalog: Catalog;
  closers: Closers;
}

async function wire({ config, baseUrl, log, clock, store, catalog, closers }: Wiring): Promise<Omit<Core, 'close'>> {
  const ids = randomIds;
  const names = protocolNames(config.protocolName);
  for (const spec of [secrets, apiKeys, organizations, TaskRuns, ResendRanges])
    store.collection(spec as typeof secrets);
  askForChoreCollections({ store });
  const book = addressBook(store);
  const sales = composeSales({
    ...{ store, clock, log, catalog, simSpeed: config.simSpeed },
    creativeReviewMs: config.creativeReviewSeconds * 1000,
    onFlightProgress: (media_buy_id) => reporting.touch(media_buy_id),
  });
  await store.prepare();
  const { secret, seals } = await installationSecret(config, store, clock);
  const installation = await loadOrCreateSecret(store, clock, 'installation');

  const redisUrl = config.redisUrl ?? (await ownRedis(config, log, closers));
  // Installations that share a Redis stay apart; the braces keep a queue's keys on one node of a Redis Cluster.
  const prefix = `{mba-${createHash('sha256').update(installation).digest('hex').slice(0, 12)}}`;
  const queues = createQueues({ connection: redisUrl, prefix, logger: log });
  closers.add(() => queues.close());
  const bell = createDoorbell({ connection: redisUrl, prefix, logger: log });
  closers.add(() => bell.close());
  const limiter = createRateLimiter({ connection: redisUrl, prefix, logger: log });
  closers.add(() => limiter.close());
  const gate = createDestinationGate({ connection: redisUrl, prefix, logger: log });
  closers.add(() => gate.close());
  const outbound = createOutbound({ allowLoopback: config.allowLoopback, logger: log });
  closers.add(() => outbound.close());

  const webhooks = createWebhooks({
    ...{ store, queues, gate, outbound, clock, ids, log, names },
    sealer: seals,
    keyOptions: await readRingOptions(config.signing),
    identity: { publicBaseUrl: baseUrl, name: catalog.publisher.name },
    allowLoopback: config.allowLoopback,
    allowLegacyBearer: config.allowLegacyBearer,
    subjectOf,
    onGone: (delivery) => reporting.endChannel(delivery),
  });
  const impairmentWindowMs = config.impairmentWindowSeconds * 1000;
  const reporting: Reporting = createReporting({ ...sales, store, webhooks, clock, ids, log, impairmentWindowMs });
  await store.prepare();
  const wakeTask = (task_id: string): Promise<boolean> => runtime.wake(task_id, { interrupted: true });
  const tasks = taskDefinitions({
    ...{ ...sales, clock, catalog },
    ranker: createFullTextRanker(catalog),
    approvalPolicy: approvalOver(config.approvalOverUsd),
    wakeTask,
    buyWebhooks: reporting.buyWebhooks,
    redirectTask: (task_id, registration) => runtime.redirect(task_id, registration),
    names,
    outbound,
    tasks: {
      read: (caller, task_id) => runtime.read(caller, task_id),
      list: (caller, filter, limit, cursor) => runtime.list(caller, filter, limit, cursor),
      names: () => [...runtime.tasks.keys()],
    },
    webhookActivity: (of) => webhooks.activity(of),
    capabilities: {
      legacySchemes: advertisedSchemes(config),
      hasApproval: config.approvalOverUsd !== undefined,
      impairmentWindowSeconds: config.impairmentWindowSeconds,
    },
  });
  const approvals = createApprovalDesk({ ...sales, clock, wake: wakeTask });
  const queue = queues.queue(RUN_QUEUE);
  const { notifier } = webhooks;
  const runtime: Runtime = await createRuntime({
    runs: store.collection(TaskRuns),
    queue,
    bell,
    notifier,
    tasks,
    clock,
    ids,
    log,
  });
  closers.add(() => {
    runtime.close();
  });
  const auth = authenticator({ keys: store.collection(apiKeys), clock, log });
  closers.add(() => auth.idle());
  const inUse = {
    store: config.mongodbUrl === undefined ? `sqlite (${config.dataDir})` : 'mongodb',
    queue: config.redisUrl === undefined ? `private redis (${config.dataDir})` : 'redis',
  };
  return {
    config,
    baseUrl,
    isNewestAddress: async () => config.publicUrl !== undefined || (await book.read()) === baseUrl,
    log,
    clock,
    ids,
    store,
    queues,
    bell,
    limiter,
    outbound,
    names,
    catalog,
    sales,
    approvals,
    webhooks,
    reporting,
    runtime,
    authenticator: auth,
    secret,
    sealer: seals,
    inUse,
  };
}

/** What the installation seals with. What it sealed with a secret of its own making opens too, once one is configured. */
async function installationSecret(
  config: Config,
  store: Store,
  clock: Clock,
): Promise<{ secret: string; seals: Sealer }> {
  const { secretKey, previousSecretKeys } = config;
  if (secretKey === undefined) {
    const secret = await loadOrCreateSecret(store, clock);
    return { secret, seals: sealer(secret, previousSecretKeys) };
  }
  const own = await readSecret(store);
  return { secret: secretKey, seals: sealer(secretKey, [...previousSecretKeys, ...(own === undefined ? [] : [own])]) };
}

async function ownRedis(config: Config, log: Logger, closers: Closers): Promise<string> {
  const redis = await usePrivateRedis({ dataDir: config.dataDir, logger: log });
  closers.add(() => redis.release());
  return redis.url;
}
