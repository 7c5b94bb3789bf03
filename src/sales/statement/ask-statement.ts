import { Broken } from '../ad-server/faults.ts';
import type { AdServer } from '../ad-server/ad-server.ts';
import type { Statement, StatementQuery } from '../ad-server/statement.ts';
import { completeUntil, finalUntil } from './reach.ts';

/** All pages of a statement in one, complete and final as far as the least of them. @throws {Broken} when pages go round. */
export async function askStatement(
  adServer: Pick<AdServer, 'statements'>,
  query: Omit<StatementQuery, 'cursor'>,
): Promise<Statement> {
  const pages: Statement[] = [];
  const seen = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const page = await adServer.statements({ ...query, ...(cursor !== undefined && { cursor }) });
    pages.push(page);
    cursor = page.cursor;
    if (cursor === undefined) break;
    if (seen.has(cursor)) throw new Broken('the pages of a statement go round');
    seen.add(cursor);
  }
  const [only, ...more] = pages;
  if (only !== undefined && more.length === 0) return only;
  const least = (reach: (page: Statement, media_buy_id: string) => string | undefined) =>
    Object.fromEntries(
      query.media_buy_ids.flatMap((id) => {
        const said = pages.map((page) => reach(page, id));
        const all = said.filter((instant) => instant !== undefined);
        return all.length < said.length ? [] : [[id, all.sort()[0] ?? '']];
      }),
    );
  return {
    complete_until: least(completeUntil),
    final_until: least(finalUntil),
    rows: pages.flatMap(({ rows }) => rows),
  };
}
