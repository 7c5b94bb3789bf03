import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishers } from '../../../../src/directory/publisher/publisher.ts';
import { createEmbeddedStore } from '../../../../src/platform/store/sqlite/collection-embedded.ts';
import { createLogger } from '../../../../src/platform/log.ts';
import type { Collection, Store } from '../../../../src/platform/store/collection.ts';
import type { RegistryPublisher } from '../../../../src/directory/publisher/publisher.ts';

const DOMAINS = Array.from({ length: 11 }, (_, n) => `p${String(n).padStart(2, '0')}.example`);
let folder: string;
let store: Store;
let rows: Collection<RegistryPublisher>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'long-rows-'));
  store = createEmbeddedStore({ file: join(folder, 'store.db'), logger: createLogger('silent') });
  rows = store.collection(publishers);
  await store.prepare();
  // A megabyte each: as long as a publisher's row can be.
  const properties = Array.from({ length: 5_000 }, (_, i) => ({
    ...{ property_id: `p${i}`, property_type: 'mobile_app', name: `The app number ${i} of somebody`, tags: ['news'] },
    identifiers: [{ type: 'ios_bundle', value: `com.example.${i}`.padEnd(80, 'x') }],
  }));
  const at = '2026-01-01T00:00:00.000Z';
  for (const publisher_domain of DOMAINS)
    await rows.insert({
      ...{ publisher_domain, source: 'adagents_json', verified: true, properties },
      ...{ created_at: at, updated_at: at, revision: 1 },
    });
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** How often others had their turn until it was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isDone = true;
  return turns;
}

it('lets others have their turn between the long rows of a page, and between those that are asked for by their keys', async () => {
  expect(await turnsDuring(() => rows.get(DOMAINS[0] ?? ''))).toBe(0);
  const page = async () => {
    expect((await rows.find({ where: { publisher_domain: { gt: '' } }, limit: 10 })).rows).toHaveLength(10);
  };
  const many = async () => {
    expect(await rows.getMany(DOMAINS)).toHaveLength(11);
  };
  expect(await turnsDuring(page)).toBeGreaterThan(1);
  expect(await turnsDuring(many)).toBeGreaterThan(1);
});
