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
  notification: StatusNotification,
  { channel, wire = '0.3', operation_id }: Registration,
  token: string | undefined,
): string {
  return channel === 'mcp'
    ? mcpStatusBody(notification, { operation_id, token })
    : a2aStatusBody(notification, wire, operation_id);
}
