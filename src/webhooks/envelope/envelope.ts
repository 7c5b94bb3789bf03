import { writeJson } from '../../platform/json-text.ts';
import type { StatusEvent, TaskRun } from '../../runtime/task-run.ts';

/** The largest body a receiver must take, in bytes (rule C.errors.too-large). */
const MAX_BODY_BYTES = 1_048_576;

/** A status of a task, about to be told to one registration. */
export interface StatusNotification {
  run: TaskRun;
  event: StatusEvent;
  /** Random, new for each event and registration. */
  idempotency_key: string;
}

/**
 * The text of a body, or of a smaller one when that is over 1 MB: without its content, then also without the buyer's
 * `context`, each with a note in its place that says how to read it by polling: `advice`, or else as a task's status.
 */
export function withinLimit(
  build: (omit: Omission | undefined) => unknown,
  task_id: string,
  advice = READ_TASK,
): string {
  const whole = writeJson(build(undefined));
  const size = Buffer.byteLength(whole);
  if (size <= MAX_BODY_BYTES) return whole;
  const note = {
    too_large: true,
    size_bytes: size,
    limit_bytes: MAX_BODY_BYTES,
    message: advice,
    task_id,
  };
  const short = writeJson(build({ note, context: false }));
  return Buffer.byteLength(short) <= MAX_BODY_BYTES ? short : writeJson(build({ note, context: true }));
}

const READ_TASK = 'the content is too large for a webhook; read it with get_task_status or the GetTask method';

/** What a body leaves out for its size, and what it says instead. */
export interface Omission {
  note: Record<string, unknown>;
  context: boolean;
}
