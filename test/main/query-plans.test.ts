import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { feedEvents } from '../../src/directory/feed/feed-event.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { planCount, planFind } from '../../src/platform/store/collection-query.ts';
import { rowShape } from '../../src/platform/store/collection-spec.ts';
import { createLogger } from '../../src/platform/log.ts';
import { openConnection } from '../../src/platform/store/sqlite/sqlite-connection.ts';
import type { Connection } from '../../src/platform/store/sqlite/sqlite-connection.ts';
import { collectionSql } from '../../src/platform/store/sqlite/sqlite-sql.ts';
import { prepareSqliteIndexes } from '../../src/platform/store/sqlite/sqlite-table.ts';
import { COUNTS, SHAPES } from './support/query-shapes.ts';
import type { QueryShape } from './support/query-shapes.ts';

let folder: string;
let connection: Connection;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'query-plans-'));
  connection = openConnection(join(folder, 'store.db'));
  for (const spec of new Set([...SHAPES, ...COUNTS].map((shape) => shape.spec))) {
    connection.exec(collectionSql(spec).createTable);
    const logger = createLogger('silent');
    prepareSqliteIndexes(connection, spec.name, collectionSql(spec), { dropOthers: false, logger });
  }
});
afterAll(async () => {
  await connection.close();
  await rm(folder, { recursive: true });
});

/** What SQLite does with a page: the first, and one behind a row. */
function stepsOf({ spec, query }: QueryShape, isFirst: boolean): string[] {
  const shape = rowShape(spec);
  const first = planFind(spec, shape, query);
  const isNumber = shape.get(first.sortField)?.types.has('string') !== true;
  const row = {
    revision: 1,
    [first.sortField]: isNumber ? 1 : '2025',
    ...(first.sortField !== spec.key && { [spec.key]: 'k' }),
  };
  const plan = isFirst ? first : planFind(spec, shape, { ...query, after: first.cursorAfter(row as never) });
  if (plan.isForOne) return [];
  const steps = collectionSql(spec)
    .find(plan, '2026')
    .flatMap(({ text, values }) => connection.all(`EXPLAIN QUERY PLAN ${text}`, values));
  return steps.map(({ detail }) => String(detail));
}

/** How many fields must equal something in the index that is searched. */
function soughtBy(step: string): number {
  return step.startsWith('SEARCH') ? [...step.matchAll(/(?:<expr>|\w+)=\?/g)].length : Infinity;
}

/** The steps that read the collection. */
function reads(steps: readonly string[]): string[] {
  return steps.filter((step) => / USING (?:COVERING )?INDEX /.test(step) && step.includes('__'));
}

/** Of how many fields the query says which values they have; what a partial index says is in no step. */
function equalsOf({ spec, query }: QueryShape): number {
  const isSaid = (field: string) => spec.indexes.some(({ where = {} }) => field in where);
  const isEqual = (condition: unknown) =>
    condition === null || typeof condition !== 'object' || ('in' in condition && Array.isArray(condition.in));
  return Object.entries(query.where).filter(([field, condition]) => !isSaid(field) && isEqual(condition)).length;
}

describe('SQLite', () => {
  it.each(SHAPES.map((shape) => [shape.spec.name, JSON.stringify(shape.query), shape] as const))(
    '[T5.total] finds pages of %s by %s in the order of an index, reading nothing that comes before',
    (_, __, shape) => {
      for (const isFirst of [true, false]) {
        const steps = stepsOf(shape, isFirst);
        const hasBegin = !isFirst || Object.keys(shape.query.where).length > 0;
        if (hasBegin) expect(steps.filter((step) => step.startsWith(`SCAN ${shape.spec.name}`))).toEqual([]);
        if (shape.passes === undefined)
          for (const step of steps) expect(soughtBy(step), step).toBeGreaterThanOrEqual(equalsOf(shape));
        if (shape.by !== undefined) {
          expect(reads(steps)).not.toEqual([]);
          for (const step of reads(steps)) expect(step).toContain(`__${shape.by} (`);
        }
        if (shape.sorts === undefined) expect(steps.join('; ')).not.toContain('TEMP B-TREE');
      }
    },
  );

  it.each(COUNTS.map((shape) => [shape.spec.name, JSON.stringify(shape.query.where), shape] as const))(
    '[T5.total] counts %s by %s in an index alone, and reads no row',
    (_, __, { spec, query }) => {
      const { text, values } = collectionSql(spec).count(planCount(spec, rowShape(spec), query.where), '2026', 1000);
      const steps = connection.all(`EXPLAIN ${text}`, values);
      expect(steps.filter(({ p4 }) => /json_extract|->/.test(String(p4)))).toEqual([]);
      const plan = connection.all(`EXPLAIN QUERY PLAN ${text}`, values).map(({ detail }) => String(detail));
      expect(plan.join('; ')).toContain(`SEARCH ${spec.name}`);
    },
  );
});

it('[R2] finds which of many domains are known, and since when, without reading a row', () => {
  for (const field of ['source', 'seen_at']) {
    const explained = connection.all(`EXPLAIN ${collectionSql(publishers).getField(field)}`, ['["a","b"]']);
    const steps = explained.map(({ opcode }) => String(opcode));
    expect(steps).toContain('ResultRow');
    // To take a field out of a row's body is a function of SQLite's; what stands in the index is a column.
    expect(steps.filter((step) => step.includes('Func'))).toEqual([]);
  }
});

it('[T5.total] has a feed of before keep the indexes that are declared alone, and an older program have its own again', async () => {
  const { createTable } = collectionSql(feedEvents);
  const former = [
    ...feedEvents.indexes.filter(({ name }) => name !== 'subject' && name !== 'publisher'),
    { name: 'subject', fields: ['subject', 'sequence'] },
    { name: 'present_of_subject', fields: ['subject', 'is_overtaken', 'sequence'] },
    { name: 'publisher', fields: ['publisher_domain', 'sequence'] },
    { name: 'type_of_publisher', fields: ['publisher_domain', 'type', 'sequence'] },
  ] as typeof feedEvents.indexes;
  const before = { ...feedEvents, name: 'feed_of_before', indexes: former };
  const after = { ...before, indexes: feedEvents.indexes };
  const own = openConnection(join(folder, 'before.db'));
  own.exec(createTable.replace(feedEvents.name, before.name));
  for (const spec of [before, after, before, after]) {
    const logger = createLogger('silent');
    const declared = collectionSql(spec);
    prepareSqliteIndexes(own, spec.name, declared, { dropOthers: false, logger });
    const present = own.all('SELECT name FROM sqlite_master WHERE tbl_name = ? AND sql LIKE ?', [
      ...[spec.name, 'CREATE INDEX%'],
    ]);
    const names = present.map(({ name }) => String(name));
    if (spec === after) expect(names.sort()).toEqual([...declared.createIndexes.keys()].sort());
    else expect(names).toEqual(expect.arrayContaining([...declared.createIndexes.keys()]));
  }
  await own.close();
});
