import { z } from 'zod';
import { TaskId } from '../../platform/task-id.ts';
import type { MediaBuy } from './media-buy.ts';

/** A change that the ad server has been told of and has not answered (rule B9): the buy is not so yet. */
export const PendingChangeView = z.object({
  /** Whose request it is; absent for the system's own. */
  task_id: TaskId.optional(),
  kind: z.enum(['create', 'activate', 'update', 'pause', 'cancel']),
  since: z.string(),
});
export type PendingChangeView = z.infer<typeof PendingChangeView>;

/** What of the buy the ad server has yet to answer; a stop before a change. Undefined when there is nothing a buyer waits for. */
export function pendingChangeOf({ stop, open_change }: MediaBuy): PendingChangeView | undefined {
  const [cause] = stop?.causes ?? [];
  if (stop && cause !== undefined && cause.to_status !== null) {
    const kind = cause.to_status === 'paused' ? 'pause' : 'cancel';
    return { kind, since: stop.opened_at, ...(cause.task_id !== null && { task_id: cause.task_id }) };
  }
  if (!open_change || open_change.kind === 'system') return undefined;
  const { kind, task_id, opened_at: since } = open_change;
  return { kind: KINDS[kind], since, ...(task_id !== null && { task_id }) };
}

const KINDS = { hold: 'create', run: 'activate', update: 'update', release: 'activate' } as const;
