import { expect, it } from 'vitest';
import { authorizationId, authorizations } from '../../../src/directory/authorization/authorization.ts';
import { eachWithClaims } from '../../../src/directory/authorization/live-authorizations.ts';
import { heldLists } from '../../../src/directory/publisher/held-lists.ts';
import { keepProperties, propertiesLength } from '../../../src/directory/publisher/property-list.ts';
import { propertyPages } from '../../../src/directory/publisher/property-page.ts';
import { publishers } from '../../../src/directory/publisher/publisher.ts';
import type { RegistryProperty, RegistryPublisher } from '../../../src/directory/publisher/publisher.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import type { Collection, Row, Store } from '../../../src/platform/store/collection.ts';
import { wrappedStore } from '../../../src/platform/store/wrapped-store.ts';
import { judgeSelectors } from '../../../src/registry/public-authorization/judge-selectors.ts';
import { itOnStores } from '../../support/stores.ts';
import { installation } from '../support/installation.ts';

/** Properties of each list: too many for a publisher's row. */
const COUNT = 6000;
const SPECS = [publishers, authorizations, propertyPages];
const nowMs = Date.parse('2026-06-15T12:00:00Z');

/** A store that counts the pages of lists that are read. */
function counting(store: Store): { store: Store; pages: () => number } {
  let pages = 0;
  const wrap = <R extends Row>(inner: Collection<R>): Collection<R> =>
    inner.spec.name !== 'property_pages'
      ? inner
      : {
          ...inner,
          get(key) {
            pages++;
            return inner.get(key);
          },
        };
  return { store: wrappedStore(store, wrap), pages: () => pages };
}

async function publish(
  store: Store,
  publisher_domain: string,
  { name = '', count = COUNT, identifiers = [] as RegistryProperty['identifiers'] } = {},
): Promise<RegistryPublisher> {
  const now = toTimestamp(nowMs);
  const properties = Array.from({ length: count }, (_, n) => ({
    ...{ property_id: `p${n}`, property_type: 'website', name: `${name}${n}`, tags: [], identifiers },
  }));
  const row: RegistryPublisher = {
    ...{ publisher_domain, source: 'adagents_json', verified: true, created_at: now, updated_at: now, revision: 1 },
    ...(await keepProperties({ store, nowMs }, publisher_domain, properties, undefined)),
  };
  await store.collection(publishers).insert(row);
  await store.collection(authorizations).insert({
    authorization_id: authorizationId(publisher_domain, 'https://a.example', 'adagents_json'),
    ...{ publisher_domain, agent_url: 'https://a.example', authorized_for: 'all', source: 'adagents_json' },
    ...{ source_url: null, seen_at: now, revision: 1 },
  });
  return row;
}

itOnStores('[R15.held] reads a long list when its publisher comes, and not before, on %s', async (kind) => {
  const at = await installation(SPECS, kind);
  const { store } = at;
  try {
    const domains = ['a.example', 'b.example', 'c.example', 'd.example'];
    const rows = [];
    for (const domain of domains) rows.push(await publish(store, domain));
    const of = rows[0]?.property_list?.pages ?? 0;
    expect(of).toBeGreaterThan(1);
    const counted = counting(store);
    const seen: [string, number, number][] = [];
    for await (const { publisher_domain, claims } of eachWithClaims(counted.store, domains))
      seen.push([publisher_domain, claims[0]?.properties.length ?? 0, counted.pages()]);
    expect(seen).toEqual(domains.map((domain, n) => [domain, COUNT, (n + 1) * of]));
  } finally {
    await at.close();
  }
});

itOnStores(
  '[R15.held] holds so many characters of long lists, not so many lists, and lets go of the one that was read first, on %s',
  async (kind) => {
    const at = await installation(SPECS, kind);
    const { store } = at;
    try {
      const [a, b, c] = [
        await publish(store, 'a.example'),
        await publish(store, 'b.example'),
        await publish(store, 'c.example'),
      ];
      // As many properties as the others, and three times as long.
      const long = await publish(store, 'long.example', { name: 'n'.repeat(200) });
      const pages = a.property_list?.pages ?? 0;
      const counted = counting(store);
      const propertiesOf = heldLists(counted.store, 2 * propertiesLength(a));
      const read: number[] = [];
      for (const row of [a, b, a, b, c, b, c, a]) {
        const before = counted.pages();
        expect(await propertiesOf(row)).toHaveLength(COUNT);
        read.push((counted.pages() - before) / pages);
      }
      expect(read).toEqual([1, 1, 0, 0, 1, 0, 0, 1]);
      await propertiesOf(long);
      const before = counted.pages();
      await propertiesOf(a);
      expect((counted.pages() - before) / pages).toBe(1);
      expect([a, long].map(propertiesLength)).toEqual(
        await Promise.all([a, long].map(async (row) => JSON.stringify(await propertiesOf(row)).length - COUNT - 1)),
      );
    } finally {
      await at.close();
    }
  },
);

it('[R15.held] takes properties that stand in the row from there', async () => {
  const at = await installation(SPECS);
  const { store } = at;
  try {
    const now = toTimestamp(nowMs);
    const properties = [{ property_type: 'website', name: 'n', tags: [], identifiers: [] }];
    const row: RegistryPublisher = {
      ...{ publisher_domain: 'a.example', source: 'hosted', verified: true, properties },
      ...{ created_at: now, updated_at: now, revision: 1 },
    };
    expect(await heldLists(store)(row)).toBe(properties);
  } finally {
    await at.close();
  }
});

it('[R15.held] refuses a question about a product whose properties are few, and too long together', async () => {
  const at = await installation(SPECS);
  const { store } = at;
  try {
    // Of 900,000 characters each.
    const identifiers = Array.from({ length: 900 }, () => ({ type: 'ios_bundle', value: 'x'.repeat(976) }));
    const domains = Array.from({ length: 9 }, (_, n) => `p${n}.example`);
    for (const domain of domains) await publish(store, domain, { count: 1, identifiers });
    const ask = (of: string[]) => {
      const publisher_properties = of.map((publisher_domain) => ({ publisher_domain }));
      return judgeSelectors(store, { agent_url: 'https://a.example', publisher_properties }, nowMs);
    };
    expect((await ask(domains.slice(1))).map(({ sold }) => sold.length)).toEqual(domains.slice(1).map(() => 1));
    await expect(ask(domains)).rejects.toThrow(/more than 8000000 characters/);
  } finally {
    await at.close();
  }
});
