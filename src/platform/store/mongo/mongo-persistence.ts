import { setTimeout as delay } from 'node:timers/promises';
import { Error as MongooseErrors, mongo } from 'mongoose';
import { StoreUnavailableError } from '../collection.ts';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../log.ts';

/**
 * Runs `attempt` until the server has answered it. `doubtful` is true when an earlier attempt may have happened without
 * our hearing of it: then the attempt must recognise its own work.
 * @throws {StoreUnavailableError} after `timeoutMs` without an answer, or at `giveUpAt` (as `performance.now()` counts).
 */
export type Persist = <T>(what: string, attempt: (doubtful: boolean) => Promise<T>, giveUpAt?: number) => Promise<T>;

/** One warning when the server goes away, one line when it is back, however many operations wait. */
export function createPersist(logger: Logger, timeoutMs: number): Persist {
  let away = false;
  return async (what, attempt, giveUpAt = performance.now() + timeoutMs) => {
    let doubtful = false;
    for (let attempts = 0; ; attempts++) {
      try {
        const result = await attempt(doubtful);
        if (away) logger.info('the store answers again');
        away = false;
        return result;
      } catch (error) {
        if (isUnstorable(error))
          throw new AppError('INVALID_REQUEST', 'the input holds a property name that cannot be stored', {
            cause: error,
          });
        if (!isNoAnswer(error)) throw error;
        if (!away) logger.warn({ err: error, what }, 'the store does not answer');
        away = true;
        if (performance.now() > giveUpAt) throw new StoreUnavailableError(what, error);
        doubtful ||= !isUnreachable(error);
      }
      await delay(Math.min(250, 10 * 2 ** attempts) * (0.5 + Math.random() / 2));
    }
  };
}

/** The row, or a unique index, exists already. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === 11000;
}

/** Codes that say nothing of the operation itself: the server is starting, stopping, electing, or out of reach of its own storage. */
const NO_ANSWER_CODES = new Set<unknown>([
  1, // InternalError: what compatible servers say while their storage engine restarts
  6, // HostUnreachable
  7, // HostNotFound
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  100, // UnsatisfiableWriteConcern
  112, // WriteConflict
  189, // PrimarySteppedDown
  262, // ExceededTimeLimit
  9001, // SocketException
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
]);

/** JSON may hold what BSON cannot: property names with a zero character, or that BSON keeps for itself. */
function isUnstorable(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof mongo.MongoNetworkError) return false;
  return (
    error instanceof mongo.BSON.BSONError || /must not contain null bytes|Unsupported BSON version/.test(error.message)
  );
}

/** Nothing was sent. */
function isUnreachable(error: unknown): boolean {
  return (
    error instanceof mongo.MongoServerSelectionError || error instanceof MongooseErrors.MongooseServerSelectionError
  );
}

function isNoAnswer(error: unknown): boolean {
  if (error instanceof mongo.MongoBulkWriteError)
    return !isDuplicateKey(error) && (error.code === undefined || NO_ANSWER_CODES.has(error.code) || isDeadlock(error));
  if (error instanceof mongo.MongoNetworkError || isUnreachable(error)) return true;
  if (error instanceof mongo.MongoWriteConcernError) return true;
  return error instanceof mongo.MongoServerError && (NO_ANSWER_CODES.has(error.code) || isDeadlock(error));
}

/** Servers that keep documents in an SQL database let its deadlocks through, under no code of their own. */
function isDeadlock(error: Error): boolean {
  return error.message.includes('deadlock detected');
}
