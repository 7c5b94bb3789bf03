import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judge } from '../../../src/directory/authorization/judge.ts';
import type { Claims } from '../../../src/directory/authorization/judge.ts';
import { soldOf } from '../../../src/directory/authorization/sold-properties.ts';
import {
  AGENT,
  APP,
  AT,
  claimsOf,
  entry,
  hostedClaims,
  NEWS,
  OTHER,
  property,
  PUBLISHER,
  WEB,
} from './support/publisher.ts';

const atMs = Date.parse(AT);

/** The same claims, and how often anything of their entries and properties is looked at. */
function watched(claims: Claims): { claims: Claims; looks: () => number } {
  let count = 0;
  const watch = <T extends object>(item: T): T =>
    new Proxy(item, {
      get: (target, name, receiver) => {
        count++;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
  return {
    claims: { ...claims, rows: claims.rows.map(watch), properties: claims.properties.map(watch) },
    looks: () => count,
  };
}

const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const page = (n: number, more = {}) => property(`p${n}`, 'ios_bundle', `com.p${n}`, [`t${n % 7}`, 'all'], more);
/** Each by a tag that every property has, half of them over. */
const tagged = (n: number, url: string) =>
  entry(
    {
      property_tags: ['all', `only-${n}`],
      countries: ['US'],
      ...(n % 2 === 0 && { effective_until: '2020-01-01T00:00:00Z' }),
    },
    url,
  );

it('[R15.scope] looks at the entries of others once, however many questions are asked of a publisher', async () => {
  const others = many(900, (n) => tagged(n, `https://o${n}.example`));
  const looksOf = async (questions: number) => {
    const { claims, looks } = watched(await claimsOf({ authorized_agents: [entry(), ...others] }));
    const all = [claims];
    for (let n = 0; n < questions; n++)
      judge({ agent_url: AGENT, publisher_domain: PUBLISHER, property: 'web', atMs: atMs + n }, all);
    return looks();
  };
  const [few, more] = [await looksOf(10), await looksOf(1010)];
  expect((more - few) / 1000).toBeLessThan(20);
});

it("[R15.scope] goes through a manager's file once, however many publishers it speaks for", async () => {
  const domains = many(500, (n) => `p${n}.example`);
  const properties = many(5000, (n) => page(n, { publisher_domain: domains[n % 500] }));
  const selector = { publisher_domains: domains, property_tags: ['all'] };
  const file = await claimsOf(
    {
      authorized_agents: [entry({ authorization_type: 'publisher_properties', publisher_properties: [selector] })],
      properties,
    },
    'manager.example',
  );
  const { claims, looks } = watched(file);
  for (const publisher_domain of domains)
    expect(judge({ agent_url: AGENT, publisher_domain, atMs }, [claims]).code).toBe('authorized_in_part');
  expect(looks()).toBeLessThan(20 * (properties.length + domains.length));
});

it('[R15.scope] finds what an agent may sell of a publisher at a price that is its entries and properties, not the one times the other', async () => {
  const looksOf = async (entries: number, properties: number) => {
    const { claims, looks } = watched(
      await claimsOf({
        authorized_agents: [
          ...many(entries, (n) => tagged(n, AGENT)),
          ...many(entries, (n) => entry({ property_ids: [`p${n}`], exclusive: true }, `https://x${n}.example`)),
        ],
        properties: many(properties, (n) => page(n)),
      }),
    );
    const isSold = soldOf({ publisher_domain: PUBLISHER, publisher: undefined, claims: [claims] }, AGENT, atMs);
    const sold = many(properties, (n) => isSold(`p${n}`)).filter(Boolean);
    expect(sold).toHaveLength(properties - entries);
    return looks();
  };
  for (const [entries, properties] of [
    [10, 1000],
    [100, 1000],
    [100, 10_000],
  ] as const)
    expect(await looksOf(entries, properties)).toBeLessThan(20 * (2 * entries + properties));
});

it('[R15.scope] finds sold what a question for each property says', async () => {
  const hour = fc.integer({ min: -48, max: 48 }).map((hours) => new Date(atMs + hours * 3_600_000).toISOString());
  const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
  const inline = { ...property(undefined, 'ios_bundle', 'com.inline', []), property_id: undefined };
  const scope = fc.oneof(
    fc.constant({}),
    fc.subarray(['web', 'news', 'app', 'tv'], { minLength: 1 }).map((property_ids) => ({ property_ids })),
    fc.subarray(['site', 'premium', 'app', 'x'], { minLength: 1 }).map((property_tags) => ({ property_tags })),
    fc.subarray([inline, APP], { minLength: 1 }).map((properties) => ({
      ...{ authorization_type: 'inline_properties', properties },
    })),
    fc.constantFrom('all', 'by_tag').map((selection_type) => ({
      authorization_type: 'publisher_properties',
      publisher_properties: [{ publisher_domains: [PUBLISHER], selection_type, property_tags: ['site'] }],
    })),
    fc.constant({ signal_ids: ['s'] }),
  );
  const entries = fc.array(
    fc
      .record({
        url: fc.constantFrom(AGENT, OTHER),
        effective_from: some(hour),
        effective_until: some(hour),
        countries: some(fc.constant(['US'])),
        exclusive: some(fc.boolean()),
        scope,
      })
      .map(({ scope: members, ...rest }) => ({ authorized_for: 'display', ...rest, ...members })),
    { maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(entries, entries, fc.boolean(), fc.boolean(), async (own, managed, isTaken, isHosted) => {
      const claims = [
        await claimsOf({
          authorized_agents: own,
          ...(isTaken && { revoked_publisher_domains: [{ publisher_domain: PUBLISHER }] }),
        }),
        await claimsOf(
          {
            authorized_agents: managed,
            properties: [WEB, NEWS, APP].map((one) => ({ ...one, publisher_domain: PUBLISHER })),
          },
          'manager.example',
        ),
        ...(isHosted ? [hostedClaims()] : []),
      ];
      const isSold = soldOf({ publisher_domain: PUBLISHER, publisher: undefined, claims }, AGENT, atMs);
      for (const name of ['web', 'news', 'app', 'com.pub.app', 'com.inline', 'nothing', `x.${PUBLISHER}`]) {
        const { authorized } = judge({ agent_url: AGENT, publisher_domain: PUBLISHER, property: name, atMs }, claims);
        expect([name, isSold(name)]).toEqual([name, authorized]);
      }
    }),
    { seed: 20261127, numRuns: 300 },
  );
});
