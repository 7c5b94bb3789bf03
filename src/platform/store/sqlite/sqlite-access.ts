import { toTimestamp } from '../../clock.ts';
import type { Clock } from '../../clock.ts';
import { UnpreparedCollectionError } from '../collection.ts';
import type { CollectionSpec, Row } from '../collection.ts';
import { isUniqueViolation, retryWhileBusy } from './sqlite-connection.ts';
import type { Connection } from './sqlite-connection.ts';
import type { Writer } from './sqlite-group-commit.ts';
import { collectionSql } from './sqlite-sql.ts';
import type { CollectionSql, Sql } from './sqlite-sql.ts';

export interface AccessTarget {
  use: () => { connection: Connection; writer: Writer };
  clock: Clock;
  timeoutMs: number;
}

/** How one collection's table is read and written, whatever form its rows are handed on in. */
export interface TableAccess<R extends Row> {
  sql: CollectionSql<R>;
  /** The time that rows expire by. */
  now: () => string;
  /** Its table is there from now on. */
  created: () => void;
  /** What is answered is on disk: nobody acts on a row that a power cut could still take back. */
  read: <T>(what: string, action: (connection: Connection) => T) => Promise<T>;
  write: <T>(what: string, action: (connection: Connection) => T) => Promise<T>;
  /** Runs a statement that a unique index may refuse; answers rows changed, or the index. Expired rows refuse nothing. */
  tryWrite: (connection: Connection, statement: string, values: Sql['values']) => number | string;
  /** Deletes some rows whose time is over; answers how many. */
  removeExpired: (connection: Connection) => number;
}

/** @throws {UnpreparedCollectionError} on use, before `created`. */
export function createTableAccess<R extends Row>(
  spec: CollectionSpec<R>,
  { use, clock, timeoutMs }: AccessTarget,
): TableAccess<R> {
  const sql = collectionSql(spec);
  const now = () => toTimestamp(clock.now());
  let isCreated = false;

  function usable(): ReturnType<AccessTarget['use']> {
    const opened = use();
    if (!isCreated) throw new UnpreparedCollectionError(spec.name);
    return opened;
  }

  function removeExpired(connection: Connection): number {
    return sql.deleteExpired === undefined ? 0 : connection.run(sql.deleteExpired, [now()]);
  }

  return {
    ...{ sql, now, removeExpired },
    created: () => {
      isCreated = true;
    },
    async read(what, action) {
      const { connection, writer } = usable();
      const found = await retryWhileBusy(`${what} ${spec.name}`, timeoutMs, () => action(connection));
      await writer.synced()?.catch(() => undefined);
      return found;
    },
    async write(what, action) {
      const { connection, writer } = usable();
      return writer.write(`${what} ${spec.name}`, () => action(connection));
    },
    tryWrite(connection, statement, values) {
      for (;;) {
        try {
          return connection.run(statement, values);
        } catch (error) {
          if (!isUniqueViolation(error)) throw error;
          if (removeExpired(connection) === 0) return sql.duplicateIn(error.message) ?? 'key';
        }
      }
    },
  };
}
