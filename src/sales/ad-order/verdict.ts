import { toTimestamp, fromTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { DAY_MS } from '../../platform/hours.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { Verdict } from '../media-buy/open-change.ts';

/** For how long a verdict is kept: a turn that is later than this, and does not know that its task is over, there is not. */
const VERDICT_KEPT_MS = 7 * DAY_MS;

/** The buy with what its task is to answer. Pure. */
export function withVerdict(buy: MediaBuy, task_id: string | null, verdict: Verdict): MediaBuy {
  if (task_id === null) return buy;
  const keptFrom = toTimestamp(fromTimestamp(verdict.at) - VERDICT_KEPT_MS);
  const kept = Object.entries(buy.verdicts ?? {}).filter(([, { at }]) => at >= keptFrom);
  return { ...buy, verdicts: { ...Object.fromEntries(kept), [task_id]: verdict } };
}

/** That a task's change will not be: `error` is what it answers. */
export function refusedAs(error: AppError, at: string): Verdict {
  return { outcome: 'refused', at, error: error.toBody() };
}

/** How a task's change came out; undefined while it has not. */
export function verdictOf({ verdicts }: MediaBuy, task_id: string): Verdict | undefined {
  return verdicts?.[task_id];
}

/** The tasks that have their verdict now, and had none before. */
export function newlyDecided(before: Pick<MediaBuy, 'verdicts'>, after: Pick<MediaBuy, 'verdicts'>): TaskId[] {
  const tasks = Object.keys(after.verdicts ?? {}) as TaskId[];
  return tasks.filter((task_id) => before.verdicts?.[task_id] === undefined);
}

/** What a task answers whose change was refused. */
export function errorOf({
  error: { code, message, recovery: _recovery, ...details },
}: Verdict & { outcome: 'refused' }): AppError {
  return new AppError(code, message, details);
}
