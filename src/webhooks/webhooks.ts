import { apiKeys } from '../directory/api-key/api-key.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Store } from '../platform/store/collection.ts';
import type { TargetGate } from '../platform/redis/target-gate.ts';
import type { Logger } from '../platform/log.ts';
import { noCounters } from '../platform/metrics/metrics.ts';
import type { Counters } from '../platform/metrics/metrics.ts';
import type { AllowedPlaces } from '../platform/outbound/allowed-places.ts';
import type { Outbound } from '../platform/outbound/outbound-client.ts';
import { within } from '../platform/within.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import type { QueueWorker, Queues } from '../platform/queue/queue.ts';
import { storedUrl } from '../platform/crypto/sealed-url.ts';
import type { Sealer } from '../platform/crypto/sealer.ts';
import type { OrganizationId } from '../platform/organization-id.ts';
import type { Notifier } from '../runtime/notifier.ts';
import { TaskRuns } from '../runtime/task-run.ts';
import type { TaskRun } from '../runtime/task-run.ts';
import type { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import { createLastAnswers } from './answers/last-answers.ts';
import { ReceiverAnswers } from './answers/receiver-answer.ts';
import { createWebhooksOfBuyer } from './buyer/buyer.ts';
import type { WebhooksOfBuyer } from './buyer/buyer.ts';
import { BuyerRanges } from './buyer/resend-range.ts';
import { sendTestEvent } from './buyer/test-event.ts';
import type { TestOutcome } from './buyer/test-event.ts';
import { webhookActivity } from './delivery/activity.ts';
import type { WebhookActivity } from './delivery/activity.ts';
import { createAttemptSlots, openGate } from './delivery/admission.ts';
import { openBuyChannel, sealBuyChannel } from './registration/buy-channel.ts';
import type { BuyChannelConfig } from './registration/buy-channel.ts';
import { createDeliveries } from './delivery/create-delivery.ts';
import type { OutgoingEvent } from './delivery/create-delivery.ts';
import { deliver } from './delivery/deliver.ts';
import { endDeliveries } from './delivery/end-deliveries.ts';
import { createFirstAttempts } from './delivery/first-attempts.ts';
import { createDeliveryBatches } from './delivery/delivery-batches.ts';
import { Deliveries } from './delivery/delivery.ts';
import type { Delivery, DeliveryJob } from './delivery/delivery.ts';
import { brandDocument, jwksDocument, revocationsDocument } from './keys/documents.ts';
import type { AgentIdentity } from './keys/documents.ts';
import { createSigningKeySets } from './keys/signing-key-sets.ts';
import type { KeySetOptions, SigningKeySets } from './keys/signing-key-sets.ts';
import { SigningKeys, WebhookSigningKeys } from './keys/signing-key-row.ts';
import { deliveryQueues, LANE_QUEUES } from './delivery/lanes.ts';
import type { Lane } from './delivery/lanes.ts';
import { createNotifier } from './notifier.ts';
import { createWebhookOperator } from './operator.ts';
import type { WebhookOperator } from './operator.ts';
import { createPauses, PausedDestinations } from './delivery/paused-destinations.ts';
import { createReconcileDeliveries } from './delivery/reconcile.ts';
import { retireGone } from './registration/retire-registration.ts';
import { createTaskOrder } from './delivery/task-order.ts';
import { createWakeUps, WAKE_UP_QUEUE } from './delivery/wake-ups.ts';
import type { PublicJwk } from './signing/signing-key.ts';
import { challenge } from './subscription/challenge.ts';
import type { AskedReceiver } from './subscription/challenge.ts';
import { createTroubleWatch } from './troubles/trouble-watch.ts';
import type { TroubleWatch } from './troubles/trouble-watch.ts';
import { Troubles } from './troubles/trouble.ts';
import { eventOfNotification } from './delivery/notification.ts';
import type { Notification } from './delivery/notification.ts';

export interface WebhooksDependencies {
  store: Store;
  queues: Queues;
  outbound: Pick<Outbound, 'send'>;
  /** The way to the operator's own receiver; default: the same as to others. */
  operatorOutbound?: Pick<Outbound, 'send'>;
  /** Shared by all processes. Without one nothing spares a destination; only for a sender that has the queue alone. */
  gate?: TargetGate;
  /** Default: nothing is counted. */
  counters?: Counters;
  /** Whose webhooks wait while they are suspended. */
  suspensions?: { areWebhooksStopped(organization_id: string): Promise<boolean> };
  /** Of each lane of a process, how many webhooks of one organization may be on their way to destinations that never answered. */
  maxUnproven?: number;
  /** Where the operator is told of receivers in trouble. */
  operatorUrl?: string | undefined;
  clock: Clock;
  ids: Ids;
  log: Logger;
  sealer: Sealer;
  names: ProtocolNames;
  identity: AgentIdentity;
  allowLoopback: boolean;
  /** Where else webhooks may go, as the way out has it. */
  places?: AllowedPlaces;
  allowLegacyBearer: boolean;
  keyOptions?: KeySetOptions;
  /** Whether what receivers answered is kept and shown; default: it is. */
  keepsAnswers?: boolean;
  /** See the notifier. */
  subjectOf?(run: TaskRun): MediaBuyId | null;
  /** A receiver that is no task's registration answered 410, such as a reporting webhook. */
  onGone?(delivery: Delivery): Promise<void>;
  /** 0 up to 1; default `Math.random`. */
  random?(): number;
  /** How long an event is on its way for the first time before its row is stored, in milliseconds; default: a second. */
  patienceMs?: number;
  /** Default: 5 s to connect, 15 s in all (rule W8). */
  timeouts?: { connectTimeoutMs: number; totalTimeoutMs: number };
}

/** What is sent to buyers, how it is signed, and what became of it. */
export interface Webhooks {
  notifier: Notifier;
  keys: SigningKeySets;
  operator: WebhookOperator;
  buyer: WebhooksOfBuyer;
  troubles: Pick<TroubleWatch, 'process' | 'countFailing'>;
  /** Records and queues events of any producer; see {@link createDeliveries}. */
  send(events: readonly OutgoingEvent[]): Promise<void>;
  /** The same for what no task's status says: once each, however often it is given. */
  enqueue(notifications: readonly Notification[]): Promise<void>;
  /** See {@link sealBuyChannel}. */
  sealBuyChannel<C extends BuyChannelConfig>(config: C, field: string): C;
  /** Ends what is pending for a registration that has ended: see {@link endDeliveries}. */
  end(of: Parameters<typeof endDeliveries>[1]): Promise<void>;
  /** Sends a test event to where a sealed configuration leads; see `WebhooksOfBuyer.test`. */
  testChannel(organization_id: OrganizationId, sealed: BuyChannelConfig): Promise<TestOutcome>;
  /** See {@link challenge}. */
  challenge(asked: AskedReceiver): Promise<string | undefined>;
  /** See {@link webhookActivity}. */
  activity(of: { organization_id: OrganizationId; subject_id: MediaBuyId }): Promise<WebhookActivity[]>;
  /** `/.well-known/jwks.json`. */
  jwks(): Promise<{ keys: PublicJwk[] }>;
  /** `/.well-known/brand.json`. */
  brand(): Record<string, unknown>;
  /** `/.well-known/revoked-keys.json`. */
  revocations(): Promise<{ revoked_kids: string[]; next_update: string }>;
  /** One attempt, as a worker makes it, and what it leaves to be done in the background. */
  attempt(job: DeliveryJob, signal: AbortSignal): ReturnType<typeof deliver>;
  /** Starts delivering in this process: so many prompt attempts at once, half as many late ones, and 256 first attempts of its own events. */
  start(options: { concurrency: number; firstAttempts?: number }): QueueWorker;
  /** Queues again what is owed and overdue, and rotates the signing key when its time has come. */
  reconcile(overdueMs: number): Promise<number>;
}

/** Targets that one process looks at at once. */
const WAKE_UPS_AT_ONCE = 16;

/** Wires the sender together. */
export function createWebhooks(given: WebhooksDependencies): Webhooks {
  const { store, queues, clock, sealer, names, log } = given;
  const runs = store.collection(TaskRuns);
  const deliveries = store.collection(Deliveries);
  const batches = createDeliveryBatches(deliveries);
  const lanes = deliveryQueues(queues);
  const pauses = createPauses({ rows: store.collection(PausedDestinations), clock });
  const counters = given.counters ?? noCounters;
  const troubleWatch = createTroubleWatch({
    ...{ ...given, counters, troubles: store.collection(Troubles) },
    operatorUrl: given.operatorUrl === undefined ? undefined : storedUrl(sealer, given.operatorUrl),
    send: (events) => createDeliveries(deps, events),
  });
  const entry = { random: () => Math.random(), gate: openGate, ...given, pauses };
  const answers = createLastAnswers({ ...given, answers: store.collection(ReceiverAnswers) });
  const deps = {
    ...entry,
    ...{ counters, troubleWatch, deliveries, answers },
    batches,
    order: createTaskOrder({ batches, clock }),
    lanes,
    wakeUps: createWakeUps({ ...entry, lanes, deliveries, queue: queues.queue(WAKE_UP_QUEUE) }),
    keySet: createSigningKeySets({
      ...given.keyOptions,
      keys: store.collection(SigningKeys),
      webhookKeys: store.collection(WebhookSigningKeys),
      sealer,
      names,
      clock,
      log,
    }),
    async retireGone(delivery: Delivery) {
      const isOfTask = await retireGone({ runs, notifier, clock, sealer }, delivery);
      await given.onGone?.(delivery);
      const { task_id, organization_id, subject_id, registration_id, url } = delivery;
      // What was sent anew for a registration that has left its task's row is found by the task alone. Reports and impairments are of
      // no task: they are found by the media buy that they tell of.
      const of = isOfTask ? { task_id } : subject_id === null ? undefined : { organization_id, subject_id };
      if (of !== undefined) await endDeliveries(deps, { ...of, registration_id, url });
    },
  };
  const firstAttempts = createFirstAttempts(deps);
  const notifier = createNotifier({ ...deps, firstAttempts });

  const reconcileDeliveries = createReconcileDeliveries(deps);
  const work = (lane: Lane, concurrency: number): QueueWorker => {
    const places = createAttemptSlots(concurrency, given.maxUnproven);
    return queues.work(LANE_QUEUES[lane], (job, signal) => deliver(deps, job.data, signal, places), {
      concurrency,
    });
  };

  return {
    notifier,
    keys: deps.keySet,
    operator: createWebhookOperator(deps),
    buyer: createWebhooksOfBuyer({
      ...{ ...deps, runs, notifier },
      ...{ ranges: store.collection(BuyerRanges), keys: store.collection(apiKeys) },
    }),
    troubles: troubleWatch,
    send: (events) => createDeliveries(deps, events),
    enqueue: (notifications) =>
      createDeliveries(
        deps,
        notifications.map((one) => eventOfNotification(sealer, one)),
      ),
    sealBuyChannel: (config, field) => sealBuyChannel(deps, config, field),
    end: (of) => endDeliveries(deps, of),
    testChannel: (organization_id, sealed) => sendTestEvent(deps, organization_id, openBuyChannel(sealer, sealed)),
    challenge: (asked) =>
      challenge({ ...deps, agentUrl: given.identity.agentUrl ?? given.identity.publicBaseUrl }, asked),
    activity: (of) => webhookActivity(deps.deliveries, of),
    jwks: () => jwksDocument(deps.keySet),
    brand: () => brandDocument(given.identity),
    revocations: () => revocationsDocument(deps.keySet, clock.now()),
    async attempt(job, signal) {
      const outcome = await deliver(deps, job, signal);
      await answers.idle();
      return outcome;
    },
    start({ concurrency, firstAttempts: most = 256 }) {
      const workers = [
        work('prompt', concurrency),
        work('late', Math.ceil(concurrency / 2)),
        queues.work(WAKE_UP_QUEUE, ({ data }) => deps.wakeUps.wake(data), { concurrency: WAKE_UPS_AT_ONCE }),
      ];
      firstAttempts.open(most, given.maxUnproven);
      return {
        busy: () => workers.reduce((sum, one) => sum + one.busy(), 0),
        async close(graceMs) {
          await Promise.all([...workers, firstAttempts].map((one) => one.close(graceMs)));
          await within(graceMs, answers.idle(), () => undefined);
        },
      };
    },
    async reconcile(overdueMs) {
      await deps.keySet.rotateWhenDue();
      return reconcileDeliveries(overdueMs);
    },
  };
}
