import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '../collection.ts';
import { busyDelayMs, openConnection, retryWhileBusy } from './sqlite-connection.ts';

/**
 * Empties the write-ahead log of a database, in which what was deleted may still stand. Others may have it open.
 * @param waitMs how long to wait for those who read, in milliseconds
 * @throws {StoreUnavailableError} when somebody reads all the while.
 */
export async function emptyLog(file: string, waitMs = 30_000): Promise<void> {
  const giveUpAt = performance.now() + waitMs;
  const connection = await retryWhileBusy('open', waitMs, () => openConnection(file));
  try {
    for (let attempt = 0; !isEmptied(connection.all('PRAGMA wal_checkpoint(TRUNCATE)')); attempt++) {
      if (performance.now() > giveUpAt) throw new StoreUnavailableError('empty the log', new Error(`${file} is read`));
      await delay(busyDelayMs(attempt));
    }
  } finally {
    await connection.close();
  }
}

function isEmptied([answer]: Record<string, unknown>[]): boolean {
  return answer?.['busy'] === 0;
}
