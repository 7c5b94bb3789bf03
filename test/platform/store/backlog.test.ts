import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createBacklog, FAR } from '../../../src/platform/store/backlog.ts';
import { createEmbeddedStore } from '../../../src/platform/store/sqlite/collection-embedded.ts';
import type { Collection, Store } from '../../../src/platform/store/collection.ts';
import { createLogger } from '../../../src/platform/log.ts';

const Owing = z.object({ id: z.string(), due_at: z.string().nullable(), revision: z.number().int() });
type Owing = z.infer<typeof Owing>;

let folder: string;
let store: Store;
let rows: Collection<Owing>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backlog-'));
  store = createEmbeddedStore({ file: join(folder, 'store.db'), logger: createLogger('silent') });
  rows = store.collection({
    name: 'owing',
    key: 'id',
    schema: Owing,
    indexes: [{ name: 'due', fields: ['due_at'] }],
  });
  await store.prepare();
  const due = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
  await rows.insertMany(
    Array.from({ length: 1000 }, (_, n) => ({ id: `r${n}`, due_at: n % 10 === 9 ? null : due(n), revision: 1 })),
  );
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const NOON = '2026-01-01T12:00:00.000Z';

it('a backlog is gone through in portions, oldest first, each going on behind the one before', async () => {
  const seen: string[] = [];
  const backlog = createBacklog(rows, 'due_at', async (found) => {
    seen.push(...found.map(({ id }) => id));
    return Promise.resolve(1);
  });
  const owed = Array.from({ length: 721 }, (_, n) => n).filter((n) => n % 10 !== 9);
  const portions = [
    await backlog.portion(NOON, 250),
    await backlog.portion(NOON, 250),
    await backlog.portion(NOON, 250),
  ];
  expect(portions.map(({ found }) => found)).toEqual([400, owed.length - 400, 400]);
  // In looks of 200, each of which did one.
  expect(portions.map(({ done }) => done)).toEqual([2, Math.ceil((owed.length - 400) / 200), 2]);
  expect(seen).toEqual([...owed, ...owed.slice(0, 400)].map((n) => `r${n}`));
});

it('a backlog can be gone through whole, what is due later included, and skips what owes nothing', async () => {
  let count = 0;
  const backlog = createBacklog(rows, 'due_at', async (found) => {
    count += found.length;
    return Promise.resolve(1);
  });
  expect(await backlog.all(FAR)).toEqual({ found: 900, done: 5 });
  expect(count).toBe(900);
});

it('a look that fails is made again with the next portion', async () => {
  let failures = 1;
  const seen: string[] = [];
  const backlog = createBacklog(rows, 'due_at', async (found) => {
    if (seen.length > 0 && failures-- > 0) throw new Error('away');
    seen.push(...found.map(({ id }) => id));
    return Promise.resolve(1);
  });
  await backlog.portion(NOON, 200);
  await expect(backlog.portion(NOON, 200)).rejects.toThrow('away');
  await backlog.portion(NOON, 200);
  expect(new Set(seen).size).toBe(400);
});
