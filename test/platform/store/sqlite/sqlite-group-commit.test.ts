import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../../src/platform/store/collection.ts';
import { openConnection } from '../../../../src/platform/store/sqlite/sqlite-connection.ts';
import type { Connection } from '../../../../src/platform/store/sqlite/sqlite-connection.ts';
import { createWriter } from '../../../../src/platform/store/sqlite/sqlite-group-commit.ts';
import type { Writer } from '../../../../src/platform/store/sqlite/sqlite-group-commit.ts';
import { until } from '../../../support/until.ts';

describe('writes to one file', () => {
  let folder: string;
  let connection: Connection;
  let commits: number;
  let syncs: number;
  /** What a sync of the disk comes to. */
  let disk: () => Promise<void>;
  let writer: Writer;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'group-commit-'));
    connection = openConnection(join(folder, 'store.db'));
    connection.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY)');
    commits = 0;
    syncs = 0;
    disk = () => connection.sync();
    const counting: Connection = {
      ...connection,
      get inTransaction() {
        return connection.inTransaction;
      },
      exec: (text) => {
        connection.exec(text);
        if (text === 'COMMIT') commits++;
      },
      sync: () => {
        syncs++;
        return disk();
      },
    };
    writer = createWriter(counting, 1000);
  });
  afterEach(async () => {
    await connection.close();
    await rm(folder, { recursive: true });
  });

  const insert = (n: number) => () => connection.run('INSERT INTO numbers VALUES (?)', [n]);
  const stored = () => connection.all('SELECT n FROM numbers ORDER BY n').map((row) => row['n']);
  const zeroTo = (end: number) => Array.from({ length: end }, (_, n) => n);

  it('that are asked for in one turn share transactions', async () => {
    await Promise.all(zeroTo(500).map((n) => writer.write('insert', insert(n))));
    expect(commits).toBeLessThan(50);
    expect(stored()).toEqual(zeroTo(500));
  });

  it('are there for readers once they are answered', async () => {
    await writer.write('insert', insert(1));
    expect(stored()).toEqual([1]);
  });

  it('fail alone, each with its own error', async () => {
    const outcomes = await Promise.allSettled([
      writer.write('insert', insert(0)),
      writer.write('insert', insert(0)),
      writer.write('think', () => {
        throw new Error('no such thing');
      }),
      writer.write('spoil', () => connection.run('INSERT INTO nowhere VALUES (?)', [1])),
      writer.write('insert', insert(1)),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(outcomes[1]).toHaveProperty('reason.message', expect.stringContaining('UNIQUE'));
    expect(outcomes[2]).toHaveProperty('reason.message', 'no such thing');
    expect(outcomes[3]).toHaveProperty('reason.message', expect.stringContaining('nowhere'));
    expect(stored()).toEqual([0, 1]);
  });

  it('are answered when they are on disk, no sooner, and those made during one sync share the next', async () => {
    let finish: () => void = () => undefined;
    disk = () => new Promise((resolve) => (finish = resolve));
    const answered: string[] = [];
    const tell = (n: string) => () => void answered.push(n);
    const first = writer.write('insert', insert(1)).then(tell('first'));
    await until(() => syncs === 1);
    const others = [2, 3].map((n) => writer.write('insert', insert(n)).then(tell(String(n))));
    await until(() => stored().length === 3);
    const seen = writer.synced()?.then(tell('reader'));
    expect([answered, syncs]).toEqual([[], 1]);
    finish();
    await first;
    await until(() => syncs === 2);
    expect(answered).toEqual(['first']);
    finish();
    await Promise.all([...others, seen]);
    expect(syncs).toBe(2);
    expect(writer.synced()).toBeUndefined();
  });

  it('cost no sync when they have changed nothing, and wait for the one that what they have read waits for', async () => {
    await writer.write('look', stored);
    expect(syncs).toBe(0);
    let finish: () => void = () => undefined;
    disk = () => new Promise((resolve) => (finish = resolve));
    const answered: string[] = [];
    const first = writer.write('insert', insert(1)).then(() => answered.push('insert'));
    await until(() => syncs === 1);
    const look = writer.write('look', stored).then((rows) => answered.push(`look ${String(rows)}`));
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(answered).toEqual([]);
    finish();
    await Promise.all([first, look]);
    expect([answered, syncs]).toEqual([['insert', 'look 1'], 1]);
  });

  it('fail when the disk does not take them, and later ones go on', async () => {
    disk = () => Promise.reject(new Error('EIO'));
    const failed = await writer.write('insert', insert(1)).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StoreUnavailableError);
    disk = () => connection.sync();
    await writer.write('insert', insert(2));
    expect(stored()).toContain(2);
  });

  it('are all done when it is idle', async () => {
    const writes = zeroTo(100).map((n) => writer.write('insert', insert(n)));
    await writer.idle();
    expect(stored()).toHaveLength(100);
    await Promise.all(writes);
  });
});
