import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planCount, planFind } from '../../../../src/platform/store/collection-query.ts';
import { rowShape } from '../../../../src/platform/store/collection-spec.ts';
import { createLogger } from '../../../../src/platform/log.ts';
import type { Query } from '../../../../src/platform/store/collection.ts';
import { openConnection } from '../../../../src/platform/store/sqlite/sqlite-connection.ts';
import type { Connection } from '../../../../src/platform/store/sqlite/sqlite-connection.ts';
import { collectionSql } from '../../../../src/platform/store/sqlite/sqlite-sql.ts';
import { prepareSqliteIndexes } from '../../../../src/platform/store/sqlite/sqlite-table.ts';
import { thing, Things } from '../../support/thing.ts';
import type { Thing } from '../../support/thing.ts';

/** The partial index stands between others that begin with the same field. */
const Counted = {
  ...Things,
  name: 'counted_things',
  indexes: [
    { name: 'a_group', fields: ['group', 'label'] as const },
    { name: 'open_group', fields: ['group'] as const, where: { open: true } },
    { name: 'z_group', fields: ['group', 'rank'] as const },
  ],
};

describe('SQLite', () => {
  const shape = rowShape(Things);
  const sql = collectionSql(Things);
  const counted = collectionSql(Counted);
  let folder: string;
  let connection: Connection;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sqlite-sql-'));
    connection = openConnection(join(folder, 'store.db'));
    for (const [{ name }, of] of [
      [Things, sql],
      [Counted, counted],
    ] as const) {
      connection.exec(of.createTable);
      prepareSqliteIndexes(connection, name, of, { dropOthers: false, logger: createLogger('silent') });
    }
  });
  afterAll(async () => {
    await connection.close();
    await rm(folder, { recursive: true });
  });

  const byRank = { field: 'rank', direction: 'asc' } as const;
  const downByRank = { field: 'rank', direction: 'desc' } as const;

  it.each<[Query<Thing>, string]>([
    [{ where: { thing_id: 'x' } }, 'sqlite_autoindex_things_1 (key=?)'],
    [{ where: {} }, 'sqlite_autoindex_things_1 (key>?)'],
    [{ where: { email: 'x' } }, 'things__email (<expr>=?)'],
    [{ where: { group: 'x', rank: { in: [1, 2] } }, sort: byRank }, 'things__by_rank (<expr>=?'],
    [{ where: { group: 'x' }, sort: byRank }, 'things__by_rank (<expr>=?'],
    [{ where: { group: 'x' }, sort: downByRank }, 'things__by_rank (<expr>=?'],
    [{ where: { group: 'x', rank: { gt: 1 } }, sort: byRank }, 'things__by_rank (<expr>=? AND <expr>>?'],
    [{ where: { open: true, rank: { lt: 9 } }, sort: byRank }, 'things__open_rank (<expr>'],
    [{ where: { group: 'x', label: 'y' } }, 'things__by_label (<expr>=? AND <expr>=?'],
  ])('searches an index for %o, and reads pages in its order', (query, index) => {
    for (const row of [undefined, thing('x', { rank: 5, label: 'y' })]) {
      const after = row && planFind(Things, shape, query).cursorAfter(row);
      const [{ text, values } = { text: '', values: [] }] = sql.find(
        planFind(Things, shape, after === undefined ? query : { ...query, after }),
        '2026',
      );
      const steps = connection.all(`EXPLAIN QUERY PLAN ${text}`, values).map((step) => String(step['detail']));
      if (row ?? Object.keys(query.where).length > 0) expect(steps[0]).toContain(`SEARCH things USING INDEX ${index}`);
      expect(steps.join()).not.toContain('TEMP B-TREE');
    }
  });

  it('counts by the partial index that holds just those rows, whatever other index begins alike', () => {
    const plan = (where: Query<Thing>['where']) => {
      const { text, values } = counted.count(planCount(Counted, rowShape(Counted), where), '2026');
      return connection.all(`EXPLAIN QUERY PLAN ${text}`, values).map((step) => String(step['detail']));
    };
    expect(plan({ group: 'x', open: true }).join()).toContain('counted_things__open_group (<expr>=?');
    expect(plan({ group: 'x', open: false }).join()).not.toContain('open_group');
  });
});
