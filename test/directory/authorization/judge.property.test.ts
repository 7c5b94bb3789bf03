import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readEntry } from '../../../src/directory/authorization/published-entry.ts';
import { AGENT, AT, ask, claimsOf, OTHER } from './support/publisher.ts';
import type { Ask } from './support/publisher.ts';

const RUNS = { seed: 20261123, numRuns: 300 };
const HOUR_MS = 3_600_000;
const atMs = Date.parse(AT);

const hour = fc.integer({ min: -48, max: 48 });
const time = hour.map((hours) => new Date(atMs + hours * HOUR_MS).toISOString());
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const scope = fc.oneof(
  fc.constant({}),
  fc.subarray(['web', 'news', 'app', 'tv'], { minLength: 1 }).map((property_ids) => ({ property_ids })),
  fc.subarray(['site', 'premium', 'app', 'x'], { minLength: 1 }).map((property_tags) => ({ property_tags })),
  fc.constant({ signal_ids: ['s'] }),
);
const entry = fc
  .record({
    url: fc.constantFrom(AGENT, OTHER),
    authorized_for: fc.constantFrom('display', 'video'),
    effective_from: some(time),
    effective_until: some(time),
    countries: some(fc.subarray(['US', 'DE', 'FR'], { minLength: 1 })),
    exclusive: some(fc.boolean()),
    scope,
  })
  .map(({ scope: members, ...rest }) => ({ ...rest, ...members }));
const entries = fc.array(entry, { maxLength: 6 });
const question: fc.Arbitrary<Ask> = fc
  .record({
    property: some(fc.constantFrom('web', 'news', 'app', 'pub.example', 'com.pub.app', 'tv')),
    country: some(fc.constantFrom('US', 'DE', 'JP')),
    at: time,
  })
  .map(({ at, ...rest }) => ({ at, ...rest }));

const judged = async (list: object[], asked: Ask) => ask(asked, [await claimsOf({ authorized_agents: list })]);

it('[R15.scope] judges alike in whatever order entries stand', async () => {
  await fc.assert(
    fc.asyncProperty(entries, fc.infiniteStream(fc.nat()), question, async (list, keys, asked) => {
      const shuffled = list
        .map((one) => [keys.next().value as number, one] as const)
        .sort(([a], [b]) => a - b)
        .map(([, one]) => one);
      expect(await judged(shuffled, asked)).toEqual(await judged(list, asked));
    }),
    RUNS,
  );
});

it('[R15.scope] says yes only by an entry of the agent, for inventory, within its time and countries', async () => {
  await fc.assert(
    fc.asyncProperty(entries, question, async (list, asked) => {
      const { authorized, row } = await judged(list, asked);
      if (!authorized) return;
      const by = JSON.parse(row?.entry_json ?? '') as Record<string, string> & { countries?: string[] };
      const at = Date.parse(asked.at ?? AT);
      expect(by['url']).toBe(AGENT);
      expect(by['signal_ids']).toBeUndefined();
      expect(Date.parse(by['effective_from'] ?? '1970-01-01T00:00:00Z')).toBeLessThanOrEqual(at);
      expect(Date.parse(by['effective_until'] ?? '9999-01-01T00:00:00Z')).toBeGreaterThan(at);
      if (asked.country !== undefined && by.countries !== undefined) expect(by.countries).toContain(asked.country);
    }),
    RUNS,
  );
});

it('[R15.scope] lets no further entry of the agent take a yes away, nor one of another give it', async () => {
  await fc.assert(
    fc.asyncProperty(entries, entry, question, async (list, more, asked) => {
      const before = (await judged(list, asked)).authorized;
      const after = (await judged([...list, more], asked)).authorized;
      if (more.url === AGENT && before) expect(after).toBe(true);
      if (more.url === OTHER && !before) expect(after).toBe(false);
    }),
    RUNS,
  );
});

it('[R15.scope] lets a property be sold only where any of the inventory may be', async () => {
  await fc.assert(
    fc.asyncProperty(entries, question, async (list, { property, ...asked }) => {
      if (property !== undefined && (await judged(list, { ...asked, property })).authorized)
        expect(['authorized', 'authorized_in_part']).toContain((await judged(list, asked)).code);
    }),
    RUNS,
  );
});

it('[R15.scope] reads whatever is published without failing, and takes nothing strange for everything', () => {
  const members = fc.dictionary(
    fc.constantFrom('authorization_type', 'property_ids', 'publisher_properties', 'countries', 'effective_from', 'x'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), members), (raw) => {
      const { scope: read } = readEntry(raw);
      if (read.kind !== 'own') return;
      const { authorized_for } = raw as { authorized_for?: string };
      if (read.selection.by === 'all') expect(authorized_for).toBeTruthy();
    }),
    RUNS,
  );
});

it('reads an entry that names one publisher ever again, each time once and in its order', () => {
  const names = Array.from({ length: 140_000 }, () => 'paper.example');
  const { scope: read } = readEntry({
    url: AGENT,
    authorization_type: 'publisher_properties',
    publisher_properties: [
      { publisher_domains: names, selection_type: 'all' },
      { publisher_domain: 'paper.example', selection_type: 'by_tag', property_tags: ['premium'] },
    ],
  });
  if (read.kind !== 'publishers') throw new Error(`it was read as ${read.kind}`);
  const found = read.selections.get('paper.example') ?? [];
  expect([found.length, found[0]?.by, found.at(-1)?.by]).toEqual([140_001, 'all', 'tag']);
});
