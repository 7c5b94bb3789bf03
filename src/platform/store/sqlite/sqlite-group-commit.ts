import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '../collection.ts';
import { busyDelayMs, isBusy, isUniqueViolation } from './sqlite-connection.ts';
import type { Connection } from './sqlite-connection.ts';

/** All writes of this process to one file, many to a transaction. */
export interface Writer {
  /**
   * Runs `operation` in a transaction with whatever else waits, and answers its result once that is on disk. A unique
   * violation, or an error of its own, fails only this operation: it must not have written anything before it throws.
   * It may run again, from nothing, when the transaction fails.
   * @throws {StoreUnavailableError} when another process locks the file for the writer's patience.
   */
  write<T>(what: string, operation: () => T): Promise<T>;
  /** Resolves when everything that a reader can see now is on disk; undefined when it is. */
  synced(): Promise<void> | undefined;
  /** Resolves when nothing waits. */
  idle(): Promise<void>;
}

interface Waiting {
  what: string;
  giveUpAt: number;
  /** Runs the operation; answers how to tell its caller, for after the commit. */
  run: () => () => void;
  reject: (error: unknown) => void;
}

/** Operations of one transaction, committed and not yet known to be on disk. */
interface Committed {
  operations: readonly Waiting[];
  tell: readonly (() => void)[];
  /** False when all of them have only read. */
  hasChanged: boolean;
}

/** A transaction takes no further operations after this long, so that the event loop goes on. */
const MAX_TRANSACTION_MS = 20;

export function createWriter(connection: Connection, timeoutMs: number): Writer {
  let waiting: Waiting[] = [];
  let draining: Promise<void> | undefined;
  /** So many operations get a transaction each, to find the one that spoils a common one. */
  let alone = 0;
  const sync = createSync(connection);

  async function drain(): Promise<void> {
    for (let attempt = 0; waiting.length > 0;) {
      await nextTurn();
      if (commitSome()) attempt = 0;
      else await delay(busyDelayMs(attempt++));
    }
    draining = undefined;
  }

  /** One transaction. Answers false, having done nothing, when another process holds the file. */
  function commitSome(): boolean {
    const taken: Waiting[] = [];
    const tell: (() => void)[] = [];
    let hasChanged = false;
    try {
      connection.exec('BEGIN IMMEDIATE');
      const changes = connection.changes();
      const stopAt = performance.now() + MAX_TRANSACTION_MS;
      for (const operation of waiting) {
        taken.push(operation);
        tell.push(operation.run());
        if (alone > 0 || performance.now() > stopAt) break;
      }
      hasChanged = connection.changes() !== changes;
      connection.exec('COMMIT');
    } catch (error) {
      rollBack();
      if (isBusy(error)) return giveUpOnOld(error);
      if (taken.length > 1) {
        alone = taken.length;
        return true;
      }
      const [spoiler = waiting[0]] = taken;
      waiting = waiting.filter((operation) => operation !== spoiler);
      spoiler?.reject(error);
      alone = Math.max(0, alone - 1);
      return true;
    }
    alone = Math.max(0, alone - 1);
    waiting = waiting.slice(taken.length);
    void answerOnceSynced({ operations: taken, tell, hasChanged });
    return true;
  }

  async function answerOnceSynced({ operations, tell, hasChanged }: Committed): Promise<void> {
    try {
      // What was read may not be on disk yet.
      await (hasChanged ? sync.request() : sync.pending());
      for (const answer of tell) answer();
    } catch (error) {
      for (const { what, reject } of operations) reject(new StoreUnavailableError(what, error));
    }
  }

  function rollBack(): void {
    try {
      if (connection.inTransaction) connection.exec('ROLLBACK');
    } catch {
      // Then the next BEGIN fails, and tells its callers why.
    }
  }

  function giveUpOnOld(cause: unknown): false {
    const now = performance.now();
    const old = waiting.filter((operation) => operation.giveUpAt < now);
    waiting = waiting.filter((operation) => operation.giveUpAt >= now);
    for (const { what, reject } of old) reject(new StoreUnavailableError(what, cause));
    return false;
  }

  return {
    write: (what, operation) =>
      new Promise((resolve, reject) => {
        const run = () => {
          try {
            const result = operation();
            return () => {
              resolve(result);
            };
          } catch (error) {
            if (isFatal(error)) throw error;
            const failure = error instanceof Error ? error : new Error(`${what} failed`, { cause: error });
            return () => {
              reject(failure);
            };
          }
        };
        waiting.push({ what, giveUpAt: performance.now() + timeoutMs, run, reject });
        draining ??= drain();
      }),
    synced: () => sync.pending(),
    idle: async () => {
      while (draining ?? sync.pending()) await (draining ?? sync.pending()?.catch(() => undefined));
    },
  };
}

/** Puts commits on disk, one sync after the other: all that were asked for during one share the next. */
function createSync(connection: Connection) {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function run(after: Promise<void> | undefined): Promise<void> {
    await after?.catch(() => undefined);
    if (after !== undefined) [current, next] = [next, undefined];
    try {
      await connection.sync();
    } finally {
      if (next === undefined) current = undefined;
    }
  }

  return {
    /** Resolves when all that is committed now is on disk. */
    request(): Promise<void> {
      if (current === undefined) return (current = run(undefined));
      return (next ??= run(current));
    },
    pending: () => next ?? current,
  };
}

/** Errors of SQLite itself, other than a refused statement, concern the whole transaction. */
function isFatal(error: unknown): boolean {
  return error instanceof Error && error.name === 'SqliteError' && !isUniqueViolation(error);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
