import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { generateFile } from '../../src/registry/adagents-generate/generate.ts';
import { GenerateAdagents } from '../../src/registry/adagents-generate/schema.ts';
import { conclusionsOf } from '../../src/registry/adagents-validate/conclusions.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { publicAdAgentsSchema } from '../support/public-adagents-schema.ts';
import { json } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const NOW_MS = Date.parse('2026-03-01T00:00:00Z');
const DAY_MS = 24 * 3_600_000;
const DOMAIN = 'paper.example';

const properties = fc.array(fc.subarray(['t0', 't1', 't2']), { minLength: 1, maxLength: 5 }).map((tags) =>
  tags.map((of, n) => ({
    ...{ property_id: `p${n}`, property_type: 'mobile_app', name: `P${n}`, tags: of },
    identifiers: [{ type: 'ios_bundle', value: `com.paper.p${n}` }],
  })),
);
const days = fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined });
const agent = fc.record({
  n: fc.integer({ min: 0, max: 3 }),
  scope: fc.constantFrom('all', 'ids', 'tags', 'inline'),
  picks: fc.uniqueArray(fc.nat({ max: 20 }), { minLength: 1, maxLength: 3 }),
  countries: fc.option(fc.subarray(['US', 'DE', 'FR'], { minLength: 1 }), { nil: undefined }),
  ...{ from: days, until: days },
  exclusive: fc.boolean(),
});

/** What somebody asks for, and by their own words who may sell which property in the US now. */
const wish = fc.tuple(properties, fc.array(agent, { minLength: 1, maxLength: 5 })).map(([listed, agents]) => {
  const tags = [...new Set(listed.flatMap((each) => each.tags))].sort();
  const meant = agents.map((each) => {
    const picked = [...new Set(each.picks.map((pick) => pick % listed.length))].map((i) => listed[i] ?? expect.fail());
    const tag = tags[(each.picks[0] ?? 0) % Math.max(1, tags.length)];
    const url = `https://agent-${each.n}.example`;
    const until =
      each.until !== undefined && each.from !== undefined ? Math.max(each.until, each.from + 1) : each.until;
    const when = {
      ...(each.from !== undefined && { effective_from: toTimestamp(NOW_MS + each.from * DAY_MS) }),
      ...(until !== undefined && { effective_until: toTimestamp(NOW_MS + until * DAY_MS) }),
    };
    const rest = { ...when, ...(each.countries && { countries: each.countries }), exclusive: each.exclusive };
    const now = (each.from ?? 0) <= 0 && (until ?? 1) > 0 && each.countries?.includes('US') !== false;
    const of = (ids: string[], scope: object) => ({
      ...{ url, exclusive: each.exclusive, ids: now ? ids : [] },
      entry: { url, authorized_for: `for ${each.n}`, ...rest, ...scope },
    });
    const ids = picked.map(({ property_id }) => property_id);
    if (each.scope === 'ids') return of(ids, { authorization_type: 'property_ids', property_ids: ids });
    if (each.scope === 'inline') return of(ids, { properties: picked });
    if (each.scope === 'tags' && tag !== undefined)
      return of(
        listed.filter((one) => one.tags.includes(tag)).map(({ property_id }) => property_id),
        { property_tags: [tag] },
      );
    return of(
      listed.map(({ property_id }) => property_id),
      {},
    );
  });
  const mayNow = (id: string) => {
    const those = meant.filter(({ ids }) => ids.includes(id));
    const alone = new Set(those.filter(({ exclusive }) => exclusive).map(({ url }) => url));
    return [...new Set((alone.size > 0 ? those.filter(({ url }) => alone.has(url)) : those).map(({ url }) => url))];
  };
  return {
    input: { domain: DOMAIN, properties: listed, authorized_agents: meant.map(({ entry }) => entry) },
    expected: Object.fromEntries(listed.map(({ property_id: id }) => [id, mayNow(id).sort()])),
  };
});

it('[R15.generate] lets in those that were asked for and nobody else, by a file that our check and the public schema find good', async () => {
  const problemsBySchema = publicAdAgentsSchema();
  expect(problemsBySchema({ authorized_agents: [{ url: 'https://a.example' }] })).not.toBe('');
  await fc.assert(
    fc.asyncProperty(wish, async ({ input, expected }) => {
      const { adagents_json, findings, file } = await generateFile(GenerateAdagents.parse(input), NOW_MS);
      expect(findings.errors).toEqual([]);
      expect(problemsBySchema(JSON.parse(JSON.stringify(adagents_json)))).toBe('');
      const asked = { publisher_domain: DOMAIN, country: 'US', atMs: NOW_MS };
      const yes = (await conclusionsOf(file, asked)).filter(({ authorized }) => authorized);
      const told = Object.keys(expected).map((id): [string, string[]] => [
        id,
        yes
          .filter(({ property }) => property === id)
          .map((one) => one.agent)
          .sort(),
      ]);
      expect(Object.fromEntries(told)).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

describe('POST /api/adagents/generate', () => {
  let at: Registry;
  let origin = '';
  let published: object = {};
  let domain = '';
  const app = {
    ...{ property_id: 'app', property_type: 'mobile_app', name: 'App', tags: ['sport'] },
    identifiers: [{ type: 'ios_bundle', value: 'com.paper.app' }],
  };
  const url = 'https://sales.example';

  beforeAll(async () => {
    at = await startRegistry('sqlite', {
      adAgentsUrl: () => `${origin}/adagents.json`,
      sizes: { validate_adagents: 100 },
    });
  });
  afterAll(() => at.close());
  beforeEach(async () => {
    domain = `p-${randomUUID()}.example`;
    ({ origin } = await serveHttp((_request, response) => {
      json(response, published);
    }));
  });

  it.each(['generate', 'create'])(
    '[R15.generate] /api/adagents/%s: what it answers is published, crawled, and buyers are told yes',
    async (name) => {
      const answer = await at.post(`/api/adagents/${name}`, {
        ...{ domain, properties: [app], contact: { name: 'Paper', email: 'ads@paper.example' } },
        authorized_agents: [{ url: 'https://SALES.example/', property_ids: ['app'], countries: ['US'] }],
      });
      expect(answer.status).toBe(200);
      const { data } = answer.body as { data: { adagents_json: object; validation: object } };
      expect(data).toMatchObject({
        ...{ success: true, validation: { valid: true, errors: [], warnings: [], problems: [] } },
        adagents_json: {
          $schema: 'https://adcontextprotocol.org/schemas/3.0.6/adagents.json',
          last_updated: toTimestamp(at.clock.now()),
        },
      });
      published = data.adagents_json;
      expect((await at.post(`/api/registry/publishers/${domain}/crawl`)).status).toBe(200);
      const asked = { publisher: domain, property: 'com.paper.app' };
      const told = await at.post('/api/registry/authorization', {
        questions: [
          { ...asked, agent: url, country: 'US' },
          { ...asked, agent: url, country: 'DE' },
          { ...asked, agent: 'https://other.example', country: 'US' },
        ],
      });
      expect(told.body).toMatchObject({
        answers: [{ authorized: true }, { authorized: false }, { authorized: false }],
      });
    },
  );

  it.each([
    ['authorized_agents', { authorized_agents: [] }],
    ['authorized_agents[0].url', { authorized_agents: [{ url: 'no url' }] }],
    ['authorized_agents[0].authorization_type', { authorized_agents: [{ url }] }],
    [
      'authorized_agents[0].property_ids[1]',
      { authorized_agents: [{ url, property_ids: ['app', 'gone'] }], properties: [app] },
    ],
    [
      'authorized_agents[0].property_tags[0]',
      { authorized_agents: [{ url, property_tags: ['gone'] }], properties: [app] },
    ],
    ['properties[1].property_id', { authorized_agents: [{ url }], properties: [app, app] }],
    ['properties[0].property_type', { authorized_agents: [{ url }], properties: [{ ...app, property_type: 'shop' }] }],
    ['authorized_agents[0].countries[0]', { domain: DOMAIN, authorized_agents: [{ url, countries: ['UK'] }] }],
    [
      'authorized_agents[0].effective_until',
      {
        domain: DOMAIN,
        authorized_agents: [{ url, effective_from: '2026-02-01T00:00:00Z', effective_until: '2026-01-01T00:00:00Z' }],
      },
    ],
    [
      'authorized_agents[100]',
      { domain: DOMAIN, authorized_agents: Array.from({ length: 101 }, (_, i) => ({ url, authorized_for: `${i}` })) },
    ],
  ])('[R15.generate] refuses what would not count as meant, naming %s', async (field, body) => {
    const answer = await at.post('/api/adagents/generate', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ field });
  });
});
