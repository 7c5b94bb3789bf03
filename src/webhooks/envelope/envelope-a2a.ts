import type { JsonObject } from '../../platform/json-object.ts';
import type { Artifact, Part } from '../../runtime/content.ts';
import { echoed } from '../../runtime/context-text.ts';
import { isTerminal } from '../../runtime/states.ts';
import type { TaskState } from '../../runtime/states.ts';
import type { ArtifactEvent } from '../../runtime/task-run.ts';
import { withinLimit } from './envelope.ts';
import type { Omission, StatusNotification } from './envelope.ts';

/** Wire generations of A2A. */
export type A2aWire = '0.3' | '1.0';

/**
 * The body that tells a task's status to an A2A-native registration, in the wire generation it was made in
 * (rule W5): the Task for a final state, else a TaskStatusUpdateEvent. `metadata` carries what the protocol has no
 * place for: the `idempotency_key` to dedupe by, and the request's `context` (rules C.events.2, C.events.4). At most 1
 * MB of compact JSON.
 */
export function a2aStatusBody(
  notification: StatusNotification,
  wire: A2aWire,
  operation_id: string | undefined,
): string {
  const write = WIRES[wire];
  const build = (omit?: Omission): unknown => {
    const metadata = metadataOf(notification, operation_id, omit);
    return isTerminal(notification.event.state)
      ? write.task({
          ...identity(notification),
          status: statusOf(notification, wire, undefined),
          artifacts: artifactsOf(notification, wire, omit),
          metadata,
        })
      : write.update({ ...event(notification), status: statusOf(notification, wire, omit ?? 'with data'), metadata });
  };
  return withinLimit(build, notification.run.task_id);
}

interface WireForm {
  task: (task: JsonObject) => JsonObject;
  update: (update: JsonObject) => JsonObject;
  state: (state: TaskState) => string;
  role: string;
  message: (message: JsonObject) => JsonObject;
  part: (part: Part) => JsonObject;
}

const WIRES: Record<A2aWire, WireForm> = {
  '0.3': {
    task: (task) => ({ kind: 'task', ...task }),
    update: (update) => ({ kind: 'status-update', ...update, final: false }),
    state: (state) => state,
    role: 'agent',
    message: (message) => ({ kind: 'message', ...message }),
    part: partOf03,
  },
  '1.0': {
    task: (task) => ({ task }),
    update: (statusUpdate) => ({ statusUpdate }),
    state: (state) => `TASK_STATE_${state.toUpperCase().replaceAll('-', '_')}`,
    role: 'ROLE_AGENT',
    message: (message) => message,
    part: partOf10,
  },
};

function identity({ run }: StatusNotification): JsonObject {
  return { id: run.task_id, contextId: run.context_id };
}

function event({ run }: StatusNotification): JsonObject {
  return { taskId: run.task_id, contextId: run.context_id };
}

function metadataOf(
  { run, idempotency_key }: StatusNotification,
  operation_id: string | undefined,
  omit?: Omission,
): JsonObject {
  const context = omit?.context === true ? undefined : echoed(run);
  return { idempotency_key, operation_id, task_type: run.task_type, context };
}

/** The status with its message; interim states put their data behind the text (rule C.events.5). */
function statusOf(
  notification: StatusNotification,
  wire: A2aWire,
  content: Omission | 'with data' | undefined,
): JsonObject {
  const { run, event } = notification;
  const write = WIRES[wire];
  const parts = content === 'with data' ? statusParts(notification) : textThen(event.message, content?.note);
  return {
    state: write.state(event.state),
    timestamp: event.timestamp,
    message: write.message({
      messageId: `${run.task_id}-${event.sequence}`,
      taskId: run.task_id,
      contextId: run.context_id,
      role: write.role,
      parts: parts.map(write.part),
    }),
  };
}

function statusParts({ event }: StatusNotification): Part[] {
  return event.parts ?? textThen(event.message, event.data);
}

function textThen(text: string, data: unknown): Part[] {
  return [{ text }, ...(data === undefined ? [] : [{ data }])];
}

/** First the result, whose last data part is the task's response; then what the task had put out before. */
function artifactsOf(notification: StatusNotification, wire: A2aWire, omit?: Omission): JsonObject[] {
  const { event } = notification;
  const result = resultArtifact(notification, omit);
  const earlier = omit === undefined ? emitted(notification) : [];
  return [...(result === undefined ? [] : [result]), ...earlier].map(({ artifact_id, name, parts }) => ({
    artifactId: artifact_id,
    ...(name !== undefined && { name }),
    parts: parts.map(WIRES[wire].part),
    ...(artifact_id === RESULT && { description: `result of ${notification.run.task_type} (${event.state})` }),
  }));
}

/** Id of the artifact that holds a task's response. */
const RESULT = 'result';

function resultArtifact({ event }: StatusNotification, omit?: Omission): Artifact | undefined {
  const data = omit?.note ?? event.data;
  if (data !== undefined) return { artifact_id: RESULT, name: RESULT, parts: textThen(event.message, data) };
  return undefined;
}

/** The artifacts announced before the end, chunks joined. */
function emitted({ run, event }: StatusNotification): Artifact[] {
  const artifacts = new Map<string, Artifact>();
  const announced = run.events.filter((other): other is ArtifactEvent => other.kind === 'artifact');
  for (const { artifact, sequence } of announced) {
    if (sequence > event.sequence) continue;
    const known = artifact.append === true ? artifacts.get(artifact.artifact_id) : undefined;
    artifacts.set(artifact.artifact_id, { ...artifact, parts: [...(known?.parts ?? []), ...artifact.parts] });
  }
  return [...artifacts.values()];
}

function partOf03(part: Part): JsonObject {
  if ('text' in part) return { kind: 'text', text: part.text };
  if ('data' in part) return { kind: 'data', data: part.data };
  const { media_type: mimeType, filename: name } = part;
  return { kind: 'file', file: { ...('url' in part ? { uri: part.url } : { bytes: part.raw }), mimeType, name } };
}

function partOf10(part: Part): JsonObject {
  if ('text' in part || 'data' in part) return { ...part };
  const { media_type: mediaType, filename, ...content } = part;
  return { ...content, mediaType, filename };
}
