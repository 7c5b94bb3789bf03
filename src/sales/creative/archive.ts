import { AppError } from '../../platform/errors.ts';
import type { ErrorBody } from '../../platform/errors.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { Creative } from './creative.ts';
import { transitionCreative } from './transitions.ts';
import type { CreativeUse } from './uses.ts';

/** What `delete_missing` does to one creative: `row` is the creative afterwards, to be written unless `isWritten`. */
export type ArchivePlan =
  { action: 'archived'; row: Creative; isWritten: boolean } | { action: 'failed'; error: ErrorBody };

/**
 * Archives a creative that a sync left out, unless it serves an active buy (rule B11). Undefined when it was
 * archived before by somebody else, and so is none of this sync's business. Pure.
 * @param uses where it is assigned.
 */
export function planArchive(
  stored: Creative,
  uses: readonly CreativeUse[],
  { at, task_id }: { at: string; task_id: TaskId },
): ArchivePlan | undefined {
  if (stored.status === 'archived') {
    const isOwn = stored.history.some((event) => event.task_id === task_id && event.action === 'archived');
    return isOwn ? { action: 'archived', row: stored, isWritten: true } : undefined;
  }
  const active = uses.filter(({ media_buy_status }) => media_buy_status === 'active');
  if (stored.status === 'approved' && active.length > 0) return { action: 'failed', error: inUse(stored, active) };
  const note = 'left out of a sync with delete_missing';
  const row = transitionCreative(stored, 'archived', { at, action: 'archived', actor: 'buyer', note, task_id });
  return { action: 'archived', row, isWritten: false };
}

function inUse({ creative_id }: Creative, active: readonly CreativeUse[]): ErrorBody {
  const media_buy_ids = [...new Set(active.map(({ media_buy_id }) => media_buy_id))];
  const package_ids = active.map(({ package_id }) => package_id);
  const message = `creative ${creative_id} serves the active media ${media_buy_ids.length === 1 ? 'buy' : 'buys'} ${media_buy_ids.join(', ')} and was not archived`;
  return new AppError('CREATIVE_IN_USE', message, {
    field: 'delete_missing',
    suggestion: 'take it out of the packages with update_media_buy first, or send it along',
    details: { media_buy_ids, package_ids },
  }).toBody();
}
