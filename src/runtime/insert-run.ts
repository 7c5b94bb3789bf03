import { fromTimestamp } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import { countSubmitted } from './count-runs.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { spendBytes } from './spend.ts';
import { isTerminal } from './states.ts';
import type { QueuedTask } from './task-definition.ts';
import type { TaskRun } from './task-run.ts';

/** How long after its task is over an idempotency key still answers with it (rules B7, B7.effect), in milliseconds. */
export const IDEMPOTENCY_MS = 24 * 3_600_000;
/** How long a message stands for the task that it began (rule T6), in milliseconds. */
const MESSAGE_MS = 24 * 3_600_000;
/** Tries to store a run whose place is taken and left again in between. */
const MAX_TRIES = 20;

/** `replayed`: this very request has been taken before, and this is its task. */
export interface Submitted {
  run: TaskRun;
  replayed: boolean;
}

/**
 * Stores the run; answers the earlier task when the same message or idempotency key came first.
 * @throws {AppError} when another run is at work on the same thing, or is stored under the same chosen id; `RATE_LIMITED`.
 */
export async function insertRun(
  deps: RuntimeDependencies,
  run: TaskRun,
  exclusive?: QueuedTask['exclusive'],
): Promise<Submitted | undefined> {
  await spendBytes(deps, run.organization_id, run, run.is_read);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const inserted = await deps.runs.insert(run);
    if (inserted.inserted) {
      countSubmitted(deps, run);
      return undefined;
    }
    const taken = (await replay(deps, run)) ?? (await replayMessage(deps, run));
    if (taken !== undefined) return taken;
    if ((await deps.runs.get(run.task_id)) !== undefined) throw idInUse();
    if (exclusive === undefined) continue;
    const { organization_id, exclusive_key } = run;
    const holding = { organization_id, exclusive_key, exclusive_live: true };
    const holder = (await deps.runs.find({ where: holding, limit: 1 })).rows[0];
    if (holder !== undefined) throw exclusive.refusal(holder);
  }
  throw new Error(`task ${run.task_id} is refused as a duplicate of none that can be found`);
}

/** Ids are random, unless a test of the public protocol has chosen one. */
function idInUse(): AppError {
  return new AppError('CONFLICT', 'another request has become the task of the id that was chosen; send this one again');
}

/** The task that this very message began, if any: while it is open, and in the 24 hours after the message (rule T6). */
export async function replayMessage(deps: RuntimeDependencies, draft: TaskRun): Promise<Submitted | undefined> {
  const { organization_id, message_key } = draft;
  const run = (await deps.runs.find({ where: { organization_id, message_key }, limit: 1 })).rows[0];
  if (run === undefined) return undefined;
  if (isTerminal(run.state) && fromTimestamp(run.created_at) < deps.clock.now() - MESSAGE_MS) {
    const released = `${message_key} of ${run.task_id}`;
    await deps.runs.update(run.task_id, (stored) => ({ ...stored, message_key: released }));
    return undefined;
  }
  return { run, replayed: true };
}

/** The refusal of a key that stood for what may have been done, and is no longer answered by it. */
export function keyExpired(): AppError {
  return new AppError(
    'IDEMPOTENCY_EXPIRED',
    'idempotency_key: this key stood for a request that ended more than 24 hours ago; see what was done, and send a new key for a new request',
    { field: 'idempotency_key', suggestion: 'read what there is, and send a new key if it is still wanted' },
  );
}

/**
 * The task that this idempotency key stands for, if any (rule B7).
 * @throws {AppError} `IDEMPOTENCY_CONFLICT` when the key came with another request; `IDEMPOTENCY_EXPIRED` when it came in a public
 * dialect, and that is over for more than 24 hours (rule D2.expired).
 */
export async function replay(
  deps: RuntimeDependencies,
  draft: Pick<TaskRun, 'organization_id' | 'idempotency_key' | 'request_hash'>,
): Promise<Submitted | undefined> {
  const { organization_id, idempotency_key, request_hash } = draft;
  if (idempotency_key === null) return undefined;
  const where = { organization_id, idempotency_key, idempotency_live: true };
  const run = (await deps.runs.find({ where, limit: 1 })).rows[0];
  if (run === undefined) return undefined;
  if (isTerminal(run.state) && fromTimestamp(run.updated_at) < deps.clock.now() - IDEMPOTENCY_MS) {
    if (run.spoken !== undefined) throw keyExpired();
    await deps.runs.update(run.task_id, (stored) => ({ ...stored, idempotency_live: false }));
    return undefined;
  }
  if (run.request_hash === request_hash) return { run, replayed: true };
  throw new AppError(
    'IDEMPOTENCY_CONFLICT',
    'this idempotency_key stands for another request, which is under way or ended in the last 24 hours; send a new key for a new request',
    { field: 'idempotency_key' },
  );
}
