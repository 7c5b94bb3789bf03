import type { Registration } from '../../runtime/registration.ts';
import type { StatusEvent } from '../../runtime/task-run.ts';
import type { StatusNotification } from './envelope.ts';
import { a2aStatusBody } from './envelope-a2a.ts';
import { mcpStatusBody } from './envelope-mcp.ts';

/** Makes the text of a body of a stored event and the registration that hears of it, and of nothing else: no clock, no chance, no settings. */
type StatusBody = (notification: StatusNotification, registration: Registration, token: string | undefined) => string;

/**
 * By the `format` of events. A form is never changed, since its events may be on their way, and a copy has the bytes of the first
 * (rule W20): what is told otherwise is a new form, and the one before stays for the 30 days that a run is kept.
 */
const BUILDERS: ReadonlyMap<number, StatusBody> = new Map([[1, firstForm]]);

/**
 * The body that tells a registration of an event, in the form of the event's own time.
 * @param token The registration's own, opened, where it goes into the body.
 * @throws {Error} for a form that only a newer release has: one of those must tell it.
 */
export const statusBody: StatusBody = (notification, registration, token) => {
  const format = formatOf(notification.event);
  const build = BUILDERS.get(format);
  if (build === undefined) throw new Error(`a newer release wrote this event: no webhook of format ${format} is known`);
  return build(notification, registration, token);
};

/** Events of 0.1.0 name none. */
function formatOf({ format = 1 }: StatusEvent): number {
  return format;
}

function firstForm(
  given: StatusNotification,
  { channel, wire = '0.3', operation_id, dialect }: Registration,
  token: string | undefined,
): string {
  const notification = dialect === undefined ? given : inWordsOfDialect(given);
  return channel === 'mcp'
    ? mcpStatusBody(notification, { operation_id, token, dialect })
    : a2aStatusBody(notification, wire, operation_id);
}

/** The event as it was put into the caller's words when it was recorded, under the task's public name. */
function inWordsOfDialect({ run, event: stored, idempotency_key }: StatusNotification): StatusNotification {
  const { data_texts: _texts, parts: _parts, ...event } = stored;
  const task_type = run.spoken?.skill ?? run.task_type;
  return { run: { ...run, task_type }, event: { ...event, data: toldOf(run, stored) }, idempotency_key };
}

function toldOf({ task_id }: StatusNotification['run'], { state, data, told }: StatusNotification['event']): unknown {
  if (told !== undefined || state === 'working') return told ?? data;
  // Whoever registered while it was being recorded reads it.
  return { message: 'the content was not put into words for this webhook; read it with get_task_status', task_id };
}
