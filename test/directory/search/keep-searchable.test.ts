import { expect } from 'vitest';
import { agents } from '../../../src/directory/agent/agent.ts';
import { authorizations } from '../../../src/directory/authorization/authorization.ts';
import { propertyPages } from '../../../src/directory/publisher/property-page.ts';
import { publishers } from '../../../src/directory/publisher/publisher.ts';
import type { RegistryProperty } from '../../../src/directory/publisher/publisher.ts';
import { dropEntry } from '../../../src/directory/search/keep-entry.ts';
import { keepSearchable } from '../../../src/directory/search/keep-searchable.ts';
import { searchEntries, searchHints } from '../../../src/directory/search/search-entry.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { allRows } from '../../../src/platform/store/all-rows.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import { itOnStores } from '../../support/stores.ts';
import { installation } from '../support/installation.ts';
import type { Installation } from '../support/installation.ts';

const SPECS = [agents, authorizations, publishers, propertyPages, searchEntries, searchHints];
const DOMAIN = 'paper.example';

const property = (name: string, more: Partial<RegistryProperty> = {}): RegistryProperty => ({
  ...{ property_type: 'website', name, identifiers: [], tags: [], ...more },
});

function publish({ store, clock }: Installation, properties: RegistryProperty[]) {
  const now = toTimestamp(clock.now());
  return store.collection(publishers).insert({
    ...{ publisher_domain: DOMAIN, source: 'hosted', verified: true, properties },
    ...{ created_at: now, updated_at: now, revision: 1 },
  });
}

/** It has this one property from now on. */
async function rename({ store, clock }: Installation, name: string): Promise<void> {
  clock.advance(1000);
  const updated_at = toTimestamp(clock.now());
  await store.collection(publishers).update(DOMAIN, (row) => ({ ...row, properties: [property(name)], updated_at }));
}

/** The words of the hints that there are. */
async function hinted(store: Store): Promise<string[]> {
  const words: string[] = [];
  for await (const { term } of allRows(store.collection(searchHints), { where: { list: 'publisher' } }))
    if (term.startsWith('word:')) words.push(term.slice('word:'.length));
  return words.sort();
}

itOnStores('[R15.search] bounds what one publisher is found by on %s', async (kind) => {
  const at = await installation(SPECS, kind);
  const many = Array.from({ length: 400 }, (_, i) =>
    property(`word${i} other${i}`, { tags: [`tag${i}`], supported_channels: [`channel${i}`] }),
  );
  await publish(at, many);
  await keepSearchable(at);
  const { terms = [] } = (await at.store.collection(searchEntries).get(DOMAIN)) ?? {};
  const of = (facet: string) => terms.filter((term) => term.startsWith(`${facet}:`)).length;
  expect([of('word'), of('tag'), of('channel')]).toEqual([60, 60, 30]);
  expect(await keepSearchable(at)).toBe(0);
  await at.close();
});

itOnStores(
  '[R15.search] finds a publisher by what it says now and nothing else, whichever write a worker died at, on %s',
  async (kind) => {
    const at = await installation(SPECS, kind);
    await publish(at, [property('Name 0')]);
    await keepSearchable(at);
    /** The writes at which one died. */
    const deaths = new Set<number>();
    for (let n = 1; deaths.size === n - 1; n++) {
      await rename(at, `Name ${n}`);
      let writes = 0;
      const store = withStoreHooks(at.store, {
        before() {
          writes += 1;
          if (writes < n) return;
          deaths.add(n);
          throw new Error('dead');
        },
      });
      await keepSearchable({ store }).catch(() => undefined);
      await keepSearchable(at);
      expect([n, await hinted(at.store)]).toEqual([n, ['example', String(n), 'name', 'paper'].sort()]);
      expect((await at.store.collection(searchEntries).get(DOMAIN))?.dropping).toEqual([]);
    }
    expect(deaths.size).toBeGreaterThan(3);
    await at.close();
  },
);

itOnStores('[R15.search] is done by two at once as by one, while the publisher changes, on %s', async (kind) => {
  const at = await installation(SPECS, kind);
  const other = await at.another();
  await publish(at, [property('Name 0')]);
  for (const n of [1, 2, 3, 4, 5]) {
    await Promise.all([keepSearchable(at), keepSearchable({ store: other }), rename(at, `Name ${n}`)]);
    while ((await keepSearchable(at)) > 0);
    const { terms = [] } = (await at.store.collection(searchEntries).get(DOMAIN)) ?? {};
    expect(terms).toContain(`word:${n}`);
    expect(await hinted(at.store)).toEqual(expect.arrayContaining([String(n), 'name', 'paper']));
  }
  await dropEntry(at.store, DOMAIN);
  expect(await at.store.collection(searchEntries).get(DOMAIN)).toBeUndefined();
  await at.close();
});
