import type { Ids } from '../platform/clock.ts';
import { registeredUrl } from '../platform/crypto/sealed-url.ts';
import type { Notifier } from '../runtime/notifier.ts';
import type { Registration } from '../runtime/registration.ts';
import type { Ending, StatusEvent, TaskRun } from '../runtime/task-run.ts';
import type { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import { createDeliveries, createEnded, deliveryId } from './delivery/create-delivery.ts';
import type { CreateDeliveryDependencies, OutgoingEvent } from './delivery/create-delivery.ts';
import { endDeliveries } from './delivery/end-deliveries.ts';
import { a2aStatusBody } from './envelope/envelope-a2a.ts';
import { mcpStatusBody } from './envelope/envelope-mcp.ts';
import { registerWebhook } from './registration/register.ts';
import type { RegisterDependencies } from './registration/register.ts';
import { sealedFor } from './registration/webhook-target.ts';

export interface NotifierDependencies extends CreateDeliveryDependencies, RegisterDependencies {
  ids: Ids;
  /** The media buy a task is about, if any: under it the delivery shows in that buy's `webhook_activity`. */
  subjectOf?(run: TaskRun): MediaBuyId | null;
}

/**
 * Makes the deliveries of a task's status events (rules C.events.1, W1, W5). `submitted` is no event: it
 * acknowledges what the caller has just sent.
 */
export function createNotifier(deps: NotifierDependencies): Notifier {
  return {
    register: (request, definition) =>
      // A throw becomes a rejection.
      new Promise((resolve) => {
        resolve(registerWebhook(deps, request, definition));
      }),
    async notify(run) {
      const live = run.registrations.filter((registration) => registration.ended_at === undefined);
      await createDeliveries(deps, eventsOf(deps, run, live, { after: run.notified_sequence }));
      for (const ending of run.endings ?? []) await carryOut(deps, run, ending);
    },
  };
}

/**
 * Ends what is pending for a registration. First what is not made yet: a process that wrote an event before the registration
 * ended may make its delivery only now, and must find it ended.
 */
async function carryOut(deps: NotifierDependencies, run: TaskRun, ending: Ending): Promise<void> {
  const { registration, until } = ending;
  await createEnded(deps, eventsOf(deps, run, [registration], ending));
  await endDeliveries(deps, { task_id: run.task_id, registration_id: registration.registration_id, until });
}

/** What these registrations are to hear of the events after one, and up to another if that is given. */
function eventsOf(
  deps: NotifierDependencies,
  run: TaskRun,
  registrations: readonly Registration[],
  { after, until = Infinity }: { after: number; until?: number },
): OutgoingEvent[] {
  const told = run.events.filter(
    (event): event is StatusEvent => event.kind === 'status' && event.sequence > 1 && event.state !== 'submitted',
  );
  return told.flatMap((event, place) => {
    if (event.sequence <= after || event.sequence > until) return [];
    return registrations.map((registration) => ({
      ...webhookEvent(deps, run, event, registration),
      follows: before(run, told[place - 1], registration),
    }));
  });
}

/** The delivery of the event before to the same registration, whether there is one or the registration came later. */
function before(run: TaskRun, event: StatusEvent | undefined, target: Registration): string | undefined {
  return event && deliveryId({ task_id: run.task_id, sequence: event.sequence, target });
}

function webhookEvent(
  deps: NotifierDependencies,
  run: TaskRun,
  event: StatusEvent,
  registration: Registration,
): OutgoingEvent {
  const { channel, wire = '0.3', sealed_token, operation_id } = registration;
  const idempotency_key = deps.ids.newId();
  const notification = { run, event, idempotency_key };
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
    body: isMcp
      ? mcpStatusBody(notification, { operation_id, token })
      : a2aStatusBody(notification, wire, operation_id),
    isBodySecret: token !== undefined,
    sealed_header_token: isMcp ? undefined : sealed_token,
  };
}

function openToken({ sealer }: NotifierDependencies, url: string, sealed: string): string {
  return sealer.open(sealed, sealedFor(registeredUrl(sealer, url)));
}
