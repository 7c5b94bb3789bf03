import { z } from 'zod';
import { PerformanceFeedback, PerformanceFeedbacks } from '../../../sales/performance-feedback/performance-feedback.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { BuyerAsked, IdOfMediaBuy, pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';

/** What a buyer said of a media buy, as an operator sees it. */
export const PerformanceFeedbackView = z.object(PerformanceFeedback.shape).omit({ revision: true, expires_at: true });
export type PerformanceFeedbackView = z.infer<typeof PerformanceFeedbackView>;

/** Of one media buy, of one organization, or all of it. */
export const listPerformanceFeedback = operation({
  method: 'get',
  path: '/performance-feedback',
  summary: 'List what buyers say of how their media buys have done, newest first; it is kept for two years.',
  role: 'viewer',
  query: z.strictObject({
    organization_id: BuyerAsked.optional(),
    media_buy_id: IdOfMediaBuy.optional(),
    ...pageQuery,
  }),
  answer: z.object({ feedback: z.array(PerformanceFeedbackView), ...pageView }),
  async handle({ query: { organization_id, media_buy_id, limit, cursor } }, { store }) {
    const page = await store.collection(PerformanceFeedbacks).find({
      where: {
        ...(media_buy_id !== undefined && { media_buy_id }),
        ...(media_buy_id === undefined && organization_id !== undefined && { organization_id }),
        ...(media_buy_id === undefined && organization_id === undefined && { created_at: { gt: '' } }),
      },
      sort: { field: 'created_at', direction: 'desc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    // A media buy is of one organization: all of it is theirs, or nothing.
    const rows = page.rows.filter((row) => organization_id === undefined || row.organization_id === organization_id);
    return { feedback: rows.map(viewOf), ...pageEnd(rows.length === 0 ? undefined : page.cursor) };
  },
});

function viewOf({ revision: _revision, expires_at: _end, ...told }: PerformanceFeedback): PerformanceFeedbackView {
  return told;
}
