import { DuplicateError } from '../collection.ts';
import type { CollectionSpec, Row } from '../collection.ts';
import { counterOf, rawCountOf } from '../collection-rows.ts';
import type { RawRows } from '../store-driver.ts';
import type { TableAccess } from './sqlite-access.ts';
import { parseBody } from './sqlite-body.ts';

/** A collection's rows as they are stored, for what moves or mends them: nothing is held against the schema. */
export function embeddedRawRows<R extends Row>(spec: CollectionSpec<R>, access: TableAccess<R>): RawRows {
  const { sql, read, write, tryWrite } = access;
  return {
    page: async (after, limit) => {
      const records = await read('page', (connection) => connection.all(sql.page, [after ?? '', limit]));
      return records.map(({ key, body }) => ({ key: key as string, row: parseBody(body) }));
    },
    get: async (key) => {
      const [record] = await read('get', (connection) => connection.all(sql.get, [key]));
      return parseBody(record?.['body']);
    },
    replace: async (key, row, next) => {
      const from = rawCountOf(spec, row);
      const body = JSON.stringify({ ...next, [counterOf(spec)]: from + 1 });
      return write('replace', (connection) => {
        const outcome = tryWrite(connection, sql.replaceRaw, [from + 1, body, key, from]);
        if (typeof outcome === 'string') throw new DuplicateError(spec.name, outcome);
        return outcome === 1;
      });
    },
    insertMany: (rows) =>
      write('insert', (connection) => {
        for (const { key, row } of rows)
          connection.run(sql.insertRaw, [key, rawCountOf(spec, row), JSON.stringify(row)]);
      }),
    clear: () => write('clear', (connection) => void connection.run(sql.clear, [])),
  };
}
