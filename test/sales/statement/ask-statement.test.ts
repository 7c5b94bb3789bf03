import { expect, it } from 'vitest';
import { Broken } from '../../../src/sales/ad-server/faults.ts';
import type { Statement, StatementQuery } from '../../../src/sales/ad-server/statement.ts';
import { askStatement } from '../../../src/sales/statement/ask-statement.ts';
import { hourAt, statedRow } from './support/open-facts.ts';

const QUERY = { media_buy_ids: ['mb_1', 'mb_2'], from: hourAt(0), until: hourAt(9) };

/** An ad server that answers these pages in turn, by cursors `1`, `2`, …, and keeps what it was asked. */
function paged(pages: readonly Omit<Statement, 'cursor'>[], cursors = pages.map((_, i) => String(i + 1))) {
  const asked: StatementQuery[] = [];
  return {
    asked,
    statements: (query: StatementQuery): Promise<Statement> => {
      const page = pages[asked.length] ?? { complete_until: hourAt(9), rows: [] };
      const cursor = cursors[asked.length];
      asked.push(query);
      return Promise.resolve(asked.length < pages.length ? { ...page, cursor: cursor ?? '' } : page);
    },
  };
}

it('a statement of one page is taken as it is', async () => {
  const page = { complete_until: hourAt(9), rows: [statedRow(1, 9)] };
  expect(await askStatement(paged([page]), QUERY)).toEqual(page);
});

it('pages are asked for one after another, and are complete as far as the least of them', async () => {
  const server = paged([
    { complete_until: hourAt(9), final_until: hourAt(2), rows: [statedRow(1, 9)] },
    { complete_until: { mb_1: hourAt(8) }, final_until: hourAt(1), rows: [statedRow(2, 9)] },
    { complete_until: hourAt(8.5), rows: [] },
  ]);
  expect(await askStatement(server, QUERY)).toEqual({
    ...{ complete_until: { mb_1: hourAt(8) }, final_until: {} },
    rows: [statedRow(1, 9), statedRow(2, 9)],
  });
  expect(server.asked.map(({ cursor }) => cursor)).toEqual([undefined, '1', '2']);
});

it('pages that go round break the protocol', async () => {
  const pages = [1, 2, 3, 4].map(() => ({ complete_until: hourAt(9), rows: [] }));
  await expect(askStatement(paged(pages, ['a', 'b', 'a', 'b']), QUERY)).rejects.toThrow(Broken);
});
