import { z } from 'zod';
import { Approvals, OPEN_APPROVALS } from '../../../sales/approval/approval.ts';
import { MediaBuyStatus } from '../../../sales/media-buy/media-buy.ts';
import { isTerminal, TaskState } from '../../../runtime/states.ts';
import { TaskRuns } from '../../../runtime/task-run.ts';
import { SetupStep } from '../doctor/installation.ts';
import { operation } from '../operation.ts';

/** What is more is not counted: no look at all this may cost more the more there is. */
const MOST = 1_000;

const UNFINISHED = TaskState.options.filter((state) => !isTerminal(state));

/** At most 1,000, which stands for so many or more. */
const Counted = z.int().min(0).max(MOST);

/** How much of everything there is that somebody may have to look at. */
export const showOverview = operation({
  method: 'get',
  path: '/overview',
  summary: 'Count what waits for somebody and what runs; 1,000 stands for so many or more.',
  role: 'viewer',
  answer: z.object({
    approvals_open: Counted,
    creatives_in_review: Counted,
    orders_waiting: Counted,
    /** Tasks that are not over, and have failed in a turn at least once; what an earlier release ran is not known. */
    tasks_with_faults: Counted,
    media_buys: z.array(z.object({ status: MediaBuyStatus, count: Counted })),
    /** What is done once before the installation sells for real. */
    setup: z.array(SetupStep),
  }),
  async handle(_input, { store, sales, installation }) {
    const most = { most: MOST };
    const unfinished = { has_faults: true, is_read: null, state: { in: UNFINISHED } } as const;
    const [setup, approvals_open, creatives_in_review, orders_waiting, tasks_with_faults, ...counts] =
      await Promise.all([
        installation.setup(),
        store.collection(Approvals).count({ status: { in: OPEN_APPROVALS } }, most),
        sales.creatives.count({ status: { in: ['processing', 'pending_review'] } }, most),
        sales.mediaBuys.count({ order_urgency: { gte: 0 } }, most),
        store.collection(TaskRuns).count(unfinished, most),
        ...MediaBuyStatus.options.map((status) => sales.mediaBuys.count({ status }, most)),
      ]);
    const media_buys = MediaBuyStatus.options.map((status, i) => ({ status, count: counts[i] ?? 0 }));
    return { approvals_open, creatives_in_review, orders_waiting, tasks_with_faults, media_buys, setup };
  },
});
