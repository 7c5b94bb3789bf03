import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { operation } from '../operation.ts';
import { days, daysOf, pageQuery } from '../fields.ts';
import { OperatorAction, OperatorActions } from './action.ts';

/** An action as it is told; its answer as it was given then. */
export const ActionView = z.object(OperatorAction.shape).omit({ revision: true, links: true, expires_at: true });
export type ActionView = z.infer<typeof ActionView>;

/** Who did what and when, newest first. */
export const listActions = operation({
  method: 'get',
  path: '/actions',
  summary: 'Show what operators did, newest first.',
  role: 'viewer',
  query: z.strictObject({
    by: z.string().max(100).optional(),
    /** The path that was acted on, such as `/approvals/apr_1`. */
    target: z.string().max(1000).optional(),
    /** What it is called on record, such as `approvals.approve`. */
    action: z.string().max(100).optional(),
    ...days,
    ...pageQuery,
  }),
  answer: z.object({ actions: z.array(ActionView), ...pageView }),
  async handle({ query: { by, target, action, since, until, limit, cursor } }, { store }) {
    const said = Object.entries({ by, target, action }).filter(([, value]) => value !== undefined);
    const [, second] = said;
    if (second !== undefined) {
      throw new AppError('VALIDATION_ERROR', `${second[0]}: send one of by, target and action at a time`, {
        field: second[0],
        suggestion: 'since and until go with each of them',
      });
    }
    const page = await store.collection(OperatorActions).find({
      where: { ...Object.fromEntries(said), ...daysOf('at', { since, until }) },
      sort: { field: 'at', direction: 'desc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    return { actions: page.rows, ...pageEnd(page.cursor) };
  },
});
