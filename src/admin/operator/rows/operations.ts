import { z } from 'zod';
import { SetAsideRow, SetAsideRows } from '../../../platform/store/set-aside.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';

export const SetAsideView = SetAsideRow.pick({ collection_name: true, key: true, problems: true, noted_at: true });
export type SetAsideView = z.infer<typeof SetAsideView>;

/** Stored rows that could not be read, newest first (rule S6). Each start looks at them again. */
export const listSetAside = operation({
  method: 'get',
  path: '/rows/set-aside',
  summary: 'List stored rows that this release cannot read, newest first. Each start looks at them again.',
  role: 'viewer',
  query: z.strictObject({ ...pageQuery }),
  answer: z.object({ rows: z.array(SetAsideView), ...pageView }),
  async handle({ query: { limit, cursor } }, { store }) {
    const page = await store.collection(SetAsideRows).find({
      where: {},
      sort: { field: 'noted_at', direction: 'desc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    return { rows: page.rows, ...pageEnd(page.cursor) };
  },
});
