import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import { authorizations } from '../../src/directory/authorization/authorization.ts';
import { badges } from '../../src/directory/badge/badge.ts';
import { feedEvents, feedIntents } from '../../src/directory/feed/feed-event.ts';
import type { FeedDeps } from '../../src/directory/feed/publish.ts';
import { memberProfiles } from '../../src/directory/member-profile/member-profile.ts';
import { newOrganization, organizations } from '../../src/directory/organization/organization.ts';
import { organizationDomains } from '../../src/directory/organization/organization-domain.ts';
import { resolveTier } from '../../src/directory/organization/tier.ts';
import { propertyIdentifiers } from '../../src/directory/publisher/property-identifier.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { searchEntries, searchHints } from '../../src/directory/search/search-entry.ts';
import { parseSeed } from '../../src/directory/seed/parse-seed.ts';
import { plantOnce, SEED_NAME } from '../../src/directory/seed/plant-once.ts';
import type { PlantDeps, Seed } from '../../src/directory/seed/plant-once.ts';
import { plantSeed } from '../../src/directory/seed/plant-seed.ts';
import { settleOwnPublishers } from '../../src/directory/seed/settle-own.ts';
import { SeedMarks } from '../../src/directory/seed/seed-mark.ts';
import { RegistrySeed } from '../../src/directory/seed/seed.ts';
import type { Collection, Row, Store } from '../../src/platform/store/collection.ts';
import { organizationId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { installation, silent } from './support/installation.ts';
import type { Installation } from './support/installation.ts';

const SPECS = [
  agents,
  authorizations,
  badges,
  feedEvents,
  feedIntents,
  memberProfiles,
  organizationDomains,
  organizations,
  publishers,
  propertyIdentifiers,
  searchEntries,
  searchHints,
  SeedMarks,
];

const changeSignal: FeedDeps['changeSignal'] = {
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => undefined),
  close: () => Promise.resolve(),
};

const text = await readFile(new URL('../../catalog/registry-seed.json', import.meta.url), 'utf8');
const jsonAt = (json: string, baseUrl: string) => JSON.parse(json.replaceAll('{base_url}', baseUrl)) as unknown;
const shipped = (baseUrl: string) => RegistrySeed.parse(jsonAt(text, baseUrl));

const FIRST = 'http://127.0.0.1:8080';
const OTHER = 'https://sales.example';
const ANYWHERE = 'https://anywhere.example';

/** So many publishers, of which the first authorizes the agent. */
function large(count: number, baseUrl: string): RegistrySeed {
  const source = 'adagents_json' as const;
  return {
    organizations: [],
    publishers: Array.from({ length: count }, (_, i) => ({
      ...{ publisher_domain: `p${i}.example`, source, verified: true, properties: [] },
      authorized_agents: [{ url: i === 0 ? baseUrl : `https://a${i}.example`, authorized_for: 'all', source }],
    })),
  };
}

function seedOf(all: (baseUrl: string) => RegistrySeed, base_url: string): Seed & { reads: number } {
  const own = (url: string) => ({ organizations: [], publishers: all(url).publishers.slice(0, 1) });
  return {
    reads: 0,
    digest: JSON.stringify(all(ANYWHERE)),
    base_url,
    read() {
      this.reads += 1;
      return Promise.resolve(all(base_url));
    },
    readOwn: (former) => Promise.resolve({ now: own(base_url), before: own(former) }),
  };
}

describeOnStores('the seed, on %s', (kind) => {
  let at: Installation;
  let deps: PlantDeps;
  beforeEach(async () => {
    at = await installation(SPECS, kind);
    deps = { ...at, changeSignal, log: silent };
  });
  afterEach(() => at.close());

  const events = async () =>
    (await at.store.collection(feedEvents).find({ where: { sequence: { gt: 0 } }, limit: 1000 })).rows;

  it('as shipped holds operators in several tiers, agents of every visibility and authorizations of every source', async () => {
    const seed = shipped(FIRST);
    await plantSeed(deps, seed);
    const rows = await Promise.all(
      seed.organizations.map((o) => at.store.collection(organizations).get(o.organization_id)),
    );
    const tiers = new Set(rows.map((row) => row && resolveTier(row)?.label));
    expect([...tiers].sort()).toEqual(['Academic', 'Builder', 'Leader', 'Partner', 'Professional', undefined]);
    const operated = seed.organizations.flatMap((o) => o.agents);
    expect(new Set(operated.map((a) => a.visibility))).toEqual(new Set(['public', 'members_only', 'private']));
    const granted = seed.publishers.flatMap((p) => p.authorized_agents);
    expect(new Set(granted.map((a) => a.source))).toEqual(new Set(['hosted', 'adagents_json']));
    expect(new Set(seed.publishers.map((p) => p.source))).toEqual(new Set(['hosted', 'adagents_json', 'catalog']));
  });

  it('is planted and told once however often and by however many, and leaves changes alone', async () => {
    const seed = shipped(FIRST);
    const planted = await Promise.all([plantSeed(deps, seed), plantSeed(deps, seed), plantSeed(deps, seed)]);
    expect(planted.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(30);
    await at.store.collection(memberProfiles).update('org_northlight', (row) => ({ ...row, is_public: false }));
    expect(await plantSeed(deps, seed)).toBe(0);
    expect(await at.store.collection(memberProfiles).get('org_northlight')).toMatchObject({ is_public: false });
    const told = await events();
    expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, i) => i + 1));
    expect(new Set(told.map(({ subject }) => subject)).size).toBe(told.length);
    const granted = new Set(
      seed.publishers.flatMap((p) => p.authorized_agents.map(({ url }) => p.publisher_domain + url)),
    );
    expect(told.filter(({ kind: of }) => of === 'authorization')).toHaveLength(granted.size);
  });

  it('brings back nothing that owners or files took back, and tells what a publisher has', async () => {
    const seed = shipped(FIRST);
    await plantSeed(deps, seed);
    const gone = (await at.store.collection(agents).find({ where: { organization_id: 'org_northlight' } })).rows[0];
    const revoked = (
      await at.store
        .collection(authorizations)
        .find({ where: { publisher_domain: { in: seed.publishers.map((one) => one.publisher_domain) } } })
    ).rows.find(({ source }) => source === 'adagents_json');
    await at.store.collection(agents).delete(gone?.agent_id ?? '');
    await at.store.collection(authorizations).delete(revoked?.authorization_id ?? '');
    expect(await plantSeed(deps, seed)).toBe(0);
    expect(gone && (await at.store.collection(agents).get(gone.agent_id))).toBeUndefined();
    const withProperties = seed.publishers.filter(({ properties }) => properties.length > 0);
    const told = (await events()).filter(({ type }) => type === 'property.added');
    expect(told).toHaveLength(withProperties.length);
  });

  it('plants nothing of an organization whose domain somebody else has by now', async () => {
    const seed = shipped(FIRST);
    const [given] = seed.organizations.filter((one) => one.agents.length > 0);
    if (given === undefined) throw new Error('the shipped seed has no agents');
    const { corporate_domain } = given;
    await at.store.collection(organizations).insert(
      newOrganization({
        organization_id: organizationId('org_theirs'),
        name: 'Theirs',
        corporate_domain,
        state: 'active',
        created_at: '2026-01-01T00:00:00.000Z',
      }),
    );
    await plantSeed(deps, seed);
    expect(await at.store.collection(organizations).get(given.organization_id)).toBeUndefined();
    expect(await at.store.collection(memberProfiles).get(given.organization_id)).toBeUndefined();
    expect(await at.store.collection(agents).count({ organization_id: given.organization_id })).toBe(0);
  });

  it('[R15.planted] is planted by one of two processes that start at once; a later start costs one read', async () => {
    const [one, two] = [seedOf(shipped, FIRST), seedOf(shipped, FIRST)];
    const store = await at.another(SPECS);
    const planted = await Promise.all([plantOnce(deps, one), plantOnce({ ...deps, store }, two)]);
    expect(planted.filter((count) => count === 0)).toHaveLength(1);
    expect(one.reads + two.reads).toBe(1);
    const counted = counting(at.store);
    expect(await plantOnce({ ...deps, store: counted.store }, seedOf(shipped, FIRST))).toBe(0);
    expect(counted.calls).toEqual(['seed_marks.get']);
  });

  it('[R15.planted] goes on where a process that died had come to, and misses and repeats nothing', async () => {
    const all = (baseUrl: string) => large(1_100, baseUrl);
    for (const dies of [1, 2, 3]) {
      const counted = counting(at.store, (call) => call === 'seed_marks.insert' || call === 'seed_marks.update', dies);
      const seed = seedOf(all, FIRST);
      await plantOnce({ ...deps, store: counted.store }, seed).catch(() => undefined);
    }
    expect(await plantOnce(deps, seedOf(all, FIRST))).toBeLessThan(1_000);
    expect(await at.store.collection(publishers).count({ source: 'adagents_json' })).toBe(1_100);
    expect(await at.store.collection(feedEvents).count({ sequence: { gt: 0 } })).toBe(2_200);
    expect(await at.store.collection(feedEvents).count({ sequence: { gt: 2_200 } })).toBe(0);
    expect(await plantOnce(deps, seedOf(all, FIRST))).toBe(0);
  });

  it('[R15.planted] killed at any write, and begun anew with another seed, it leaves nothing of what never came to be', async () => {
    const [sample] = shipped(FIRST).organizations.filter((one) => one.agents.length > 0 && one.profile);
    if (sample?.profile === undefined) throw new Error('the shipped seed has no such organization');
    const isWrite = (call: string) => /^(?!leases)\w+\.(insert|insertMany|update|delete)$/.test(call);
    let died = true;
    for (let dies = 1; died; dies++) {
      const [organization_id, domain] = [organizationId(`org_k${dies}`), `k${dies}.example`];
      const url = `https://sales.${domain}`;
      const former: RegistrySeed = {
        organizations: [
          {
            ...{ ...sample, organization_id, corporate_domain: domain },
            profile: { ...sample.profile, slug: `k${dies}` },
            agents: sample.agents.slice(0, 1).map((agent) => ({ ...agent, url })),
          },
        ],
        publishers: [
          {
            ...{ publisher_domain: domain, source: 'adagents_json', verified: true, properties: [] },
            authorized_agents: [{ url, authorized_for: 'all', source: 'adagents_json' }],
          },
        ],
      };
      const counted = counting(at.store, isWrite, dies);
      died = await plantOnce(
        { ...deps, store: counted.store },
        seedOf(() => former, FIRST),
      ).then(
        () => false,
        () => true,
      );
      await plantOnce(
        deps,
        seedOf((base) => large(1, base), FIRST),
      );
      const subjects = new Set(
        (await at.store.collection(feedEvents).find({ where: { sequence: { gt: 0 } }, limit: 1000 })).rows.map(
          ({ subject }) => subject,
        ),
      );
      const isThere = (await at.store.collection(organizations).get(organization_id)) !== undefined;
      const hanging = [
        await at.store.collection(agents).count({ organization_id }),
        (await at.store.collection(memberProfiles).getMany([organization_id])).length,
        Number(subjects.has(`organization/${organization_id}`)),
      ];
      expect(hanging, `write ${dies}`).toEqual(isThere ? [1, 1, 1] : [0, 0, 0]);
      const isKnown = (await at.store.collection(publishers).get(domain)) !== undefined;
      const granted = [
        await at.store.collection(authorizations).count({ publisher_domain: domain }),
        Number(subjects.has(`publisher/${domain}`)),
      ];
      expect(granted, `write ${dies}`).toEqual(isKnown ? [1, 1] : [0, 0]);
      await at.store.collection(SeedMarks).delete('registry');
    }
  });

  it('[R15.planted] own publishers lose the properties and domains that the catalog has no more', async () => {
    const property = (name: string) => ({ property_type: 'website', name, identifiers: [], tags: [] });
    const publisher = (publisher_domain: string, ...names: string[]) => ({
      ...{ publisher_domain, source: 'hosted' as const, verified: true, properties: names.map(property) },
      authorized_agents: [{ url: FIRST, authorized_for: 'all', source: 'hosted' as const }],
    });
    const start = async (...own: RegistrySeed['publishers']) => {
      await plantOnce(
        deps,
        seedOf(() => ({ organizations: [], publishers: own }), FIRST),
      );
      await settleOwnPublishers(deps, { base_url: FIRST, publishers: own }, SEED_NAME);
    };
    const rows = at.store.collection(publishers);
    const namesOf = async (domain: string) => (await rows.get(domain))?.properties.map(({ name }) => name);
    await start(publisher('a.example', 'A', 'B'), publisher('b.example', 'C'), publisher('c.example', 'D'));
    await rows.update('c.example', (row) => ({ ...row, source: 'adagents_json' }));
    const before = (await events()).length;
    await start(publisher('a.example', 'A', 'B'), publisher('b.example', 'C'), publisher('c.example', 'D'));
    expect(await events()).toHaveLength(before);
    await start(publisher('a.example', 'B', 'E'), publisher('c.example', 'X'));
    expect(await namesOf('a.example')).toEqual(['B', 'E']);
    expect(await namesOf('c.example')).toEqual(['D']);
    expect(await rows.get('b.example')).toBeUndefined();
    expect(await at.store.collection(authorizations).count({ publisher_domain: 'b.example' })).toBe(0);
    const told = (await events()).slice(before).map(({ type, subject }) => `${type} ${subject}`);
    expect(told).toEqual(
      expect.arrayContaining(['property.changed property/a.example', 'publisher.removed publisher/b.example']),
    );
  });

  it('[R15.planted] follows the agent to another address, reading only what names it, and takes back what was said of the former one', async () => {
    await plantOnce(deps, seedOf(shipped, FIRST));
    const all = (baseUrl: string) => large(3, baseUrl);
    await plantOnce(deps, seedOf(all, FIRST));
    const moved = seedOf(all, OTHER);
    await plantOnce(deps, moved);
    expect(moved.reads).toBe(0);
    const { rows } = await at.store.collection(authorizations).find({ where: { publisher_domain: 'p0.example' } });
    expect(rows.map((row) => row.agent_url)).toEqual([OTHER]);
    expect((await events()).slice(-2).map(({ change }) => change)).toEqual(['removed', 'added']);
    await plantSeed(deps, shipped(OTHER));
    const operated = await at.store.collection(agents).find({ where: { organization_id: 'org_northlight' } });
    expect(operated.rows.map((row) => row.url)).toContain(OTHER);
    expect(operated.rows.map((row) => row.url)).not.toContain(FIRST);
  });

  it('leaves an agent alone that somebody else has registered at its new address', async () => {
    await plantSeed(deps, shipped(FIRST));
    const theirs = (await at.store.collection(agents).find({ where: { url: FIRST } })).rows[0];
    if (theirs === undefined) throw new Error('the shipped seed has no agent of this house');
    await at.store.collection(agents).insert({ ...theirs, agent_id: 'agent_theirs', url: OTHER });
    await plantSeed(deps, shipped(OTHER));
    expect(await at.store.collection(agents).get('agent_theirs')).toMatchObject({ url: OTHER });
  });
});

it('names every bad entry of a seed', async () => {
  const bad = {
    organizations: [],
    publishers: [{ publisher_domain: 'WWW.a.example' }, { publisher_domain: 'b.example' }],
  };
  await expect(parseSeed(bad)).rejects.toThrow(/publishers\[0\].*publishers\[1\]/s);
  await expect(parseSeed([])).rejects.toThrow('object');
});

/** A store that says what it is asked, and where the nth of some calls is the last thing that its process does. */
function counting(store: Store, isCounted: (call: string) => boolean = () => false, dies = Infinity) {
  const calls: string[] = [];
  let met = 0;
  const watched = <R extends Row>(collection: Collection<R>): Collection<R> =>
    new Proxy(collection, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const call = `${target.spec.name}.${String(name)}`;
          calls.push(call);
          if (isCounted(call) && ++met >= dies) return Promise.reject(new Error('the process died'));
          return (value as (...given: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  const counted: Store = { ...store, collection: (spec) => watched(store.collection(spec)) };
  return { calls, store: counted };
}
