import type { TaskRun } from '../runtime/task-run.ts';
import { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import { mediaBuyIdOf } from './create-media-buy/new-media-buy.ts';

/**
 * The media buy that a task is about, if it is about one: its webhooks show in that buy's `webhook_activity` (rule B9).
 */
export function subjectOf({
  task_type,
  task_id,
  input,
}: Pick<TaskRun, 'task_type' | 'task_id' | 'input'>): MediaBuyId | null {
  if (task_type === 'create_media_buy') return mediaBuyIdOf(task_id);
  const { media_buy_id } = input;
  return task_type === 'update_media_buy' && typeof media_buy_id === 'string' ? MediaBuyId.parse(media_buy_id) : null;
}
