import { Statement } from '../../../../src/sales/ad-server/statement.ts';
import type { StatementRow } from '../../../../src/sales/ad-server/statement.ts';
import type { AdServer } from '../../../../src/sales/ad-server/ad-server.ts';

const ALL = { from: '2040-01-01T00:00:00.000Z', until: '2043-01-01T00:00:00.000Z' };

/** All rows of an order, of all pages. */
export async function rowsOf(
  adServer: Pick<AdServer, 'statements'>,
  media_buy_id: string,
  range: { from: string; until: string } = ALL,
): Promise<StatementRow[]> {
  const rows: StatementRow[] = [];
  for (let cursor: string | undefined; ;) {
    const query = { media_buy_ids: [media_buy_id], ...range, ...(cursor !== undefined && { cursor }) };
    const statement = Statement.parse(await adServer.statements(query));
    rows.push(...statement.rows);
    cursor = statement.cursor;
    if (cursor === undefined) return rows;
  }
}

/** What a line has come to, minor units, as it is stated now. */
export async function spendOf(
  adServer: Pick<AdServer, 'statements'>,
  media_buy_id: string,
  package_id: string,
): Promise<number> {
  const rows = await rowsOf(adServer, media_buy_id);
  return rows.filter((row) => row.package_id === package_id).reduce((sum, { spend_minor = 0 }) => sum + spend_minor, 0);
}
