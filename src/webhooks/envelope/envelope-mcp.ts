import { withinLimit } from './envelope.ts';
import type { StatusNotification } from './envelope.ts';
import type { Part } from '../../runtime/content.ts';
import { echoed } from '../../runtime/context-text.ts';
import type { Dialect } from '../../runtime/registration.ts';

/** The business domain that every envelope names (rule W1). */
const WEBHOOK_DOMAIN = 'media-buy';

/** Everything an MCP-style envelope can hold (rules C.resources.envelope, W1). */
export interface McpEnvelope {
  idempotency_key: string;
  operation_id?: string | undefined;
  task_id: string;
  task_type: string;
  status: string;
  timestamp: string;
  message: string;
  result?: unknown;
  context?: unknown;
  token?: string | undefined;
  /** Only for state-shaped events (rule C.events.4). */
  notification_id?: string | undefined;
  /** In a public dialect, `protocol` alone names the business domain. */
  dialect?: Dialect | undefined;
}

/** The members of an envelope in the order they are written. */
export function mcpEnvelope(given: McpEnvelope): Record<string, unknown> {
  const { idempotency_key, notification_id, operation_id, task_id, task_type, status, timestamp, message } = given;
  const { result, context, token, dialect } = given;
  return {
    idempotency_key,
    notification_id,
    operation_id,
    task_id,
    task_type,
    domain: dialect === undefined ? WEBHOOK_DOMAIN : undefined,
    protocol: WEBHOOK_DOMAIN,
    status,
    timestamp,
    message,
    result,
    context,
    token,
  };
}

/** The body that tells a task's status to a `push_notification_config`: at most 1 MB of compact JSON. */
export function mcpStatusBody(
  { run, event, idempotency_key }: StatusNotification,
  registration: Pick<McpEnvelope, 'operation_id' | 'token' | 'dialect'>,
): string {
  const { task_id, task_type } = run;
  const build = (omit?: { note: unknown; context: boolean }) =>
    mcpEnvelope({
      idempotency_key,
      operation_id: registration.operation_id,
      task_id,
      task_type,
      status: event.state,
      timestamp: event.timestamp,
      message: omit === undefined ? event.message : event.message.slice(0, 1000),
      result: omit?.note ?? resultOf(event),
      context: omit?.context === true ? undefined : echoed(run),
      ...{ token: registration.token, dialect: registration.dialect },
    });
  return withinLimit(build, task_id);
}

/** The event's structured content; of free content, its last data part, or else its text. */
function resultOf(event: StatusNotification['event']): unknown {
  if (event.data !== undefined) return event.data;
  const parts: readonly Part[] = event.parts ?? [];
  const data = parts.findLast((part) => 'data' in part);
  if (data !== undefined) return data.data;
  return parts.length === 0 ? undefined : { parts };
}
