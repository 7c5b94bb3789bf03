import { Router } from 'express';
import type { Request } from 'express';
import type { ConsolePage, PageCall } from './console-page.ts';
import { csvOf } from './csv.ts';
import { sendNdjson } from '../operator/ndjson.ts';
import type { Markup } from './html/markup.ts';
import { queryOf } from './parts/paging.tsx';

/** So many rows at most. */
const MOST = '100';

/**
 * A list's page as `.json`, which is what its operation answers, as `.csv`, and whole, to its end, as `.ndjson`: by the same filters, for
 * the same people.
 */
export function listRoutes(
  deps: Parameters<typeof sendNdjson>[0],
  pages: readonly ConsolePage[],
  callOf: (request: Request, page: ConsolePage) => PageCall,
): Router {
  const router = Router();
  for (const page of pages) {
    const { path, list } = page;
    if (list === undefined) continue;
    const answerTo = (request: Request) => {
      const { query, read } = callOf(request, page);
      return read(list.of, { query: { limit: MOST, ...(list.query?.(query) ?? query) } });
    };
    router.get(`${path}.json`, async (request, response) => {
      response.json(await answerTo(request));
    });
    router.get(`${path}.ndjson`, async (request, response) => {
      const { query, read } = callOf(request, page);
      const { limit: _limit, cursor, ...filters } = list.query?.(query) ?? query;
      await sendNdjson(
        deps,
        { request, response },
        {
          rows: list.rows,
          read: (at) => read(list.of, { query: { ...filters, ...at } }),
          from: cursor,
          filename: `${path.slice(1).replaceAll('/', '-')}.ndjson`,
        },
      );
    });
    router.get(`${path}.csv`, async (request, response) => {
      const answer = await answerTo(request);
      const { cursor, [list.rows]: rows } = answer;
      const { query } = callOf(request, page);
      if (typeof cursor === 'string') response.links({ next: `/admin${path}.csv${queryOf({ ...query, cursor })}` });
      response.attachment(`${path.slice(1).replaceAll('/', '-')}.csv`);
      response.type('text/csv').send(csvOf(rows as readonly object[]));
    });
  }
  return router;
}

/** Where a list is had as data: from its beginning, by the filters of the page. */
export function AsData({ page: { path }, query }: { page: ConsolePage; query: PageCall['query'] }): Markup {
  const { cursor: _cursor, limit: _limit, ...filters } = query;
  return (
    <p class="quiet">
      {'This list as '}
      <a href={`/admin${path}.csv${queryOf(filters)}`}>CSV</a>
      {' or '}
      <a href={`/admin${path}.json${queryOf(filters)}`}>JSON</a>
      {`, ${MOST} rows at a time, or as a whole, as `}
      <a href={`/admin${path}.ndjson${queryOf(filters)}`}>NDJSON</a>.
    </p>
  );
}
