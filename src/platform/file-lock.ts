import { setTimeout as delay } from 'node:timers/promises';
import Database from 'libsql';

/**
 * Runs `work` while no other holder of the lock at `path` does, in this process or another. The lock is SQLite's, hence
 * the kernel's: it ends with the process that holds it, so it is never stale. Waits up to `waitMs` milliseconds.
 * @throws {Error} when the lock stays taken, or its file cannot be written.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, waitMs = 120_000): Promise<T> {
  const release = await acquire(path, Date.now() + waitMs);
  try {
    return await work();
  } finally {
    release();
  }
}

async function acquire(path: string, deadline: number): Promise<() => void> {
  for (;;) {
    const database = new Database(path, { timeout: 0 });
    try {
      database.exec('BEGIN EXCLUSIVE');
      return () => {
        database.exec('ROLLBACK');
        database.close();
      };
    } catch (error) {
      database.close();
      if (!isBusy(error) || Date.now() > deadline) throw error;
    }
    await delay(20 + Math.random() * 30);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
