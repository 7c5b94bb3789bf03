import type { Clock, Ids } from '../platform/clock.ts';
import type { Store } from '../platform/collection.ts';
import type { Logger } from '../platform/log.ts';
import type { Outbound } from '../platform/outbound/outbound-client.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import type { QueueWorker, Queues } from '../platform/queue.ts';
import type { Sealer } from '../platform/sealer.ts';
import type { Notifier } from '../runtime/notifier.ts';
import { TaskRuns } from '../runtime/task-run.ts';
import type { TaskRun } from '../runtime/task-run.ts';
import { createDeliveries } from './create-delivery.ts';
import type { WebhookEvent } from './create-delivery.ts';
import { deliver } from './deliver.ts';
import { Deliveries, DELIVERY_QUEUE } from './delivery.ts';
import type { Delivery, DeliveryJob } from './delivery.ts';
import { endRegistration } from './end-registration.ts';
import { brandDocument, jwksDocument } from './keys/documents.ts';
import type { AgentIdentity } from './keys/documents.ts';
import { createKeyRing } from './keys/key-ring.ts';
import type { KeyRing } from './keys/key-ring.ts';
import { SigningKeys } from './keys/signing-key-row.ts';
import { createNotifier } from './notifier.ts';
import { reconcileDeliveries } from './reconcile.ts';
import type { PublicJwk } from './signing/signing-key.ts';

export interface WebhooksDependencies {
  store: Store;
  queues: Queues;
  outbound: Pick<Outbound, 'send'>;
  clock: Clock;
  ids: Ids;
  log: Logger;
  sealer: Sealer;
  names: ProtocolNames;
  identity: AgentIdentity;
  allowLoopback: boolean;
  allowLegacyBearer: boolean;
  /** See the notifier. */
  subjectOf?(run: TaskRun): string | null;
  /** A receiver that is no task's registration answered 410, such as a reporting webhook. */
  onGone?(delivery: Delivery): Promise<void>;
  /** 0 up to 1; default `Math.random`. */
  random?(): number;
  /** Default: 5 s to connect, 15 s in all (decisions W8). */
  timeouts?: { connectTimeoutMs: number; totalTimeoutMs: number };
}

/** What is sent to buyers, how it is signed, and what became of it. */
export interface Webhooks {
  notifier: Notifier;
  keys: KeyRing;
  /** Records and queues events of any producer; see {@link createDeliveries}. */
  send(events: readonly WebhookEvent[]): Promise<void>;
  /** `/.well-known/jwks.json`. */
  jwks(): Promise<{ keys: PublicJwk[] }>;
  /** `/.well-known/brand.json`. */
  brand(): Record<string, unknown>;
  /** One attempt, as a worker makes it. */
  attempt: (job: DeliveryJob, signal: AbortSignal) => ReturnType<typeof deliver>;
  /** Starts delivering in this process. */
  start(options: { concurrency: number }): QueueWorker;
  reconcile(overdueMs: number): Promise<number>;
}

/** Wires the sender together. Call before `store.prepare()`, which makes its collections. */
export function createWebhooks(given: WebhooksDependencies): Webhooks {
  const { store, clock, sealer, names, log } = given;
  const runs = store.collection(TaskRuns);
  const deps = {
    random: () => Math.random(),
    ...given,
    deliveries: store.collection(Deliveries),
    queue: given.queues.queue<DeliveryJob>(DELIVERY_QUEUE),
    ring: createKeyRing({ keys: store.collection(SigningKeys), sealer, names, clock, log }),
    async endRegistration(delivery: Delivery) {
      await endRegistration({ runs, clock }, delivery.task_id, delivery.registration_id);
      await given.onGone?.(delivery);
    },
  };
  const attempt = (job: DeliveryJob, signal: AbortSignal) => deliver(deps, job, signal);
  return {
    notifier: createNotifier(deps),
    keys: deps.ring,
    send: (events) => createDeliveries(deps, events),
    jwks: () => jwksDocument(deps.ring),
    brand: () => brandDocument(given.identity),
    attempt,
    start: ({ concurrency }) =>
      given.queues.work<DeliveryJob>(DELIVERY_QUEUE, (job, signal) => attempt(job.data, signal), { concurrency }),
    reconcile: (overdueMs) => reconcileDeliveries(deps, overdueMs),
  };
}
