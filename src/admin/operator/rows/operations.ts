import { z } from 'zod';
import { SetAsideRows } from '../../../platform/store/set-aside.ts';
import { pageEnd, pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';

/** Stored rows that could not be read, newest first (rule S6). Each start looks at them again. */
export const listSetAside = operation({
  method: 'get',
  path: '/rows/set-aside',
  query: z.strictObject({ ...pageQuery }),
  async handle({ query: { limit, cursor } }, { store }) {
    const page = await store.collection(SetAsideRows).find({
      where: {},
      sort: { field: 'noted_at', direction: 'desc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    const rows = page.rows.map(({ collection_name, key, problems, noted_at }) => ({
      ...{ collection_name, key, problems, noted_at },
    }));
    return { rows, ...pageEnd(page.cursor) };
  },
});
