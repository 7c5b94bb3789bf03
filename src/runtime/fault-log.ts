import { z } from 'zod';
import { toTimestamp } from '../platform/clock.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';

/** So many faults a row tells of; earlier ones are in the log alone. */
export const FAULTS_KEPT = 5;

/** One fault of a run, in our words: what was thrown may say what nobody but the log should know. */
export const TaskFault = z.strictObject({
  at: z.string(),
  turn: z.int(),
  message: z.string(),
  /** By which the log has the rest. */
  error_id: z.string(),
});
export type TaskFault = z.infer<typeof TaskFault>;

/** A fault of a turn, put in the log with an id of its own and told as the row keeps it. */
export function loggedFault(
  { log, ids, clock }: { log: Logger; ids: Ids; clock: Clock },
  { task_id, turn, faults }: { task_id: string; turn: number; faults: number },
  what: 'turn' | 'undo',
  error: unknown,
): TaskFault {
  const error_id = `err_${ids.newId()}`;
  log.error({ task_id, turn, faults, error_id, err: error }, what === 'turn' ? 'task fault' : 'undo fault');
  const did = what === 'turn' ? 'the turn broke down' : 'what the task had begun could not be undone';
  return { at: toTimestamp(clock.now()), turn, message: `${did}: ${kindOf(error)}`, error_id };
}

/** What a run says of its faults once there is one more; the oldest goes. */
export function withFault(
  { fault_log = [] }: { fault_log?: TaskFault[] | undefined },
  fault: TaskFault,
): { fault_log: TaskFault[]; has_faults: true } {
  return { fault_log: [...fault_log, fault].slice(-FAULTS_KEPT), has_faults: true };
}

/** What kind of thing was thrown: the name of its class, and the code that a system or a database gave it. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown';
  const { name } = error;
  const code: unknown = 'code' in error ? error.code : undefined;
  const isNamed = (text: unknown): text is string => typeof text === 'string' && /^[A-Za-z]\w{0,39}$/.test(text);
  return [isNamed(name) ? name : 'Error', ...(isNamed(code) ? [code] : [])].join(' ');
}
