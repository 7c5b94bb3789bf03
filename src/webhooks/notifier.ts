import type { Ids } from '../platform/clock.ts';
import { registeredUrl } from '../platform/crypto/sealed-url.ts';
import type { Notifier } from '../runtime/notifier.ts';
import type { Registration } from '../runtime/registration.ts';
import { lastSequence } from '../runtime/task-run.ts';
import type { Ending, StatusEvent, TaskRun } from '../runtime/task-run.ts';
import type { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import { createDeliveries, createEnded, deliveryId } from './delivery/create-delivery.ts';
import type { CreateDeliveryDependencies, OutgoingEvent } from './delivery/create-delivery.ts';
import { endDeliveries } from './delivery/end-deliveries.ts';
import type { FirstAttempts } from './delivery/first-attempts.ts';
import { eventKey } from './envelope/event-key.ts';
import { statusBody } from './envelope/status-body.ts';
import { registerWebhook } from './registration/register.ts';
import type { RegisterDependencies } from './registration/register.ts';
import { sealedFor } from './registration/webhook-target.ts';

export interface NotifierDependencies extends CreateDeliveryDependencies, RegisterDependencies {
  ids: Ids;
  firstAttempts: FirstAttempts;
  /** The media buy a task is about, if any: under it the delivery shows in that buy's `webhook_activity`. */
  subjectOf?(run: TaskRun): MediaBuyId | null;
}

/** An event that a registration is to hear of. */
interface Owed {
  delivery_id: string;
  event: StatusEvent;
  registration: Registration;
  /** The delivery of the event before to the same registration, which it knows of if it was there by then. */
  follows: string | undefined;
}

/**
 * Makes the deliveries of a task's status events (rules C.events.1, W1, W5). `submitted` is no event: it
 * acknowledges what the caller has just sent. An event that this process has just written is sent from memory where it can be
 * (see {@link FirstAttempts}); of any other, somebody else may have made the delivery, which is looked for first.
 */
export function createNotifier(deps: NotifierDependencies): Notifier {
  const { firstAttempts } = deps;

  /** Answers what is on its way; of all else, the rows are in the store. */
  async function tell(run: TaskRun, owed: readonly Owed[], isNew: boolean): Promise<Promise<void>[]> {
    const underWay: Promise<void>[] = [];
    const anew: Owed[] = [];
    const earlier: Owed[] = [];
    for (const one of owed) {
      const born = firstAttempts.underWay(one.delivery_id);
      if (born !== undefined) underWay.push(born);
      else if (isNew && one.event.sequence === lastSequence(run)) anew.push(one);
      else earlier.push(one);
    }
    const left: OutgoingEvent[] = [];
    for (const one of anew) {
      const event = webhookEvent(deps, run, one);
      // Without a seed nobody could make the same bytes again: the row comes first.
      const born = run.webhook_seed === undefined ? undefined : firstAttempts.begin(event);
      if (born === undefined) left.push(event);
      else underWay.push(born);
    }
    const missing = await withoutDelivery(deps, earlier);
    await createDeliveries(deps, [...missing.map((one) => webhookEvent(deps, run, one)), ...left]);
    return underWay;
  }

  return {
    register: (request, definition) =>
      // A throw becomes a rejection.
      new Promise((resolve) => {
        resolve(registerWebhook(deps, request, definition));
      }),
    async notify(run, { isNew = false, told = () => undefined } = {}) {
      const live = run.registrations.filter((registration) => registration.ended_at === undefined);
      const underWay = await tell(run, owedOf(run, live, { after: run.notified_sequence }), isNew);
      for (const ending of run.endings ?? []) await carryOut(deps, run, ending);
      if (underWay.length === 0) await told();
      else firstAttempts.afterwards(run.task_id, Promise.all(underWay).then(told));
    },
  };
}

/** Those whose delivery nobody has made. */
async function withoutDelivery({ deliveries }: NotifierDependencies, owed: readonly Owed[]): Promise<readonly Owed[]> {
  if (owed.length === 0) return owed;
  const ids = owed.map(({ delivery_id }) => delivery_id);
  // One that cannot be read is left out when it is inserted again.
  const made = new Set((await deliveries.getMany(ids, { skipUnreadable: true })).map(({ delivery_id }) => delivery_id));
  return owed.filter(({ delivery_id }) => !made.has(delivery_id));
}

/**
 * Ends what is pending for a registration. First what is not made yet: a process that wrote an event before the registration
 * ended may make its delivery only now, and must find it ended.
 */
async function carryOut(deps: NotifierDependencies, run: TaskRun, ending: Ending): Promise<void> {
  const { registration, until } = ending;
  const owed = owedOf(run, [registration], ending);
  await createEnded(
    deps,
    owed.map((one) => webhookEvent(deps, run, one)),
  );
  await endDeliveries(deps, { task_id: run.task_id, registration_id: registration.registration_id, until });
}

/** What these registrations are to hear of the events after one, and up to another if that is given. */
function owedOf(
  run: TaskRun,
  registrations: readonly Registration[],
  { after, until = Infinity }: { after: number; until?: number },
): Owed[] {
  const told = run.events.filter(
    (event): event is StatusEvent => event.kind === 'status' && event.sequence > 1 && event.state !== 'submitted',
  );
  return told.flatMap((event, place) => {
    if (event.sequence <= after || event.sequence > until) return [];
    return registrations.map((registration) => ({
      delivery_id: idOf(run, event, registration),
      ...{ event, registration },
      follows: before(run, told[place - 1], registration),
    }));
  });
}

function idOf({ task_id }: TaskRun, { sequence }: StatusEvent, target: Registration): string {
  return deliveryId({ task_id, sequence, target });
}

/** A registration that came after the event before was never told of it. */
function before(run: TaskRun, event: StatusEvent | undefined, registration: Registration): string | undefined {
  if (event === undefined || event.timestamp < registration.created_at) return undefined;
  return idOf(run, event, registration);
}

function webhookEvent(
  deps: NotifierDependencies,
  run: TaskRun,
  { delivery_id, event, registration, follows }: Owed,
): OutgoingEvent {
  const { channel, sealed_token, created_at: registered_at } = registration;
  const { webhook_seed: seed } = run;
  const idempotency_key = seed === undefined ? deps.ids.newId() : eventKey(seed, { delivery_id, registered_at });
  const isMcp = channel === 'mcp';
  const token = isMcp && sealed_token !== undefined ? openToken(deps, registration.url, sealed_token) : undefined;
  return {
    organization_id: run.organization_id,
    task_id: run.task_id,
    task_type: run.task_type,
    subject_id: deps.subjectOf?.(run) ?? null,
    sequence: event.sequence,
    event: event.state,
    target: registration,
    idempotency_key,
    body: statusBody({ run, event, idempotency_key }, registration, token),
    isBodySecret: token !== undefined,
    sealed_header_token: isMcp ? undefined : sealed_token,
    follows,
    traceparent: run.traceparent,
  };
}

function openToken({ sealer }: NotifierDependencies, url: string, sealed: string): string {
  return sealer.open(sealed, sealedFor(registeredUrl(sealer, url)));
}
