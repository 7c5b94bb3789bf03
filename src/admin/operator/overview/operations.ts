import { z } from 'zod';
import { Approvals, OPEN_APPROVALS } from '../../../sales/approval/approval.ts';
import { MediaBuyStatus } from '../../../sales/media-buy/media-buy.ts';
import { operation } from '../operation.ts';

/** What is more is not counted: no look at all this may cost more the more there is. */
const MOST = 1_000;

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
    media_buys: z.array(z.object({ status: MediaBuyStatus, count: Counted })),
  }),
  async handle(_input, { store, sales }) {
    const most = { most: MOST };
    const [approvals_open, creatives_in_review, orders_waiting, ...counts] = await Promise.all([
      store.collection(Approvals).count({ status: { in: OPEN_APPROVALS } }, most),
      sales.creatives.count({ status: { in: ['processing', 'pending_review'] } }, most),
      sales.mediaBuys.count({ order_urgency: { gte: 0 } }, most),
      ...MediaBuyStatus.options.map((status) => sales.mediaBuys.count({ status }, most)),
    ]);
    const media_buys = MediaBuyStatus.options.map((status, i) => ({ status, count: counts[i] ?? 0 }));
    return { approvals_open, creatives_in_review, orders_waiting, media_buys };
  },
});
