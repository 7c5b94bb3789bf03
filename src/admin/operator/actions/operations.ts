import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { z } from 'zod';
import { operation } from '../operation.ts';
import { pageQuery } from '../fields.ts';
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
    ...pageQuery,
  }),
  answer: z.object({ actions: z.array(ActionView), ...pageView }),
  async handle({ query: { by, target, limit, cursor } }, { store }) {
    const page = await store.collection(OperatorActions).find({
      where: { ...(by !== undefined && { by }), ...(target !== undefined && { target }) },
      sort: { field: 'at', direction: 'desc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    return { actions: page.rows, ...pageEnd(page.cursor) };
  },
});
