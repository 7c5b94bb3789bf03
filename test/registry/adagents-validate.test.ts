import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { json } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const AGENT = 'https://sales.example';
const DAY_MS = 24 * 3_600_000;

interface Validation {
  success: boolean;
  data: {
    found: boolean;
    source_url: string | null;
    failure?: string;
    validation?: { valid: boolean; errors: { pointer: string }[]; warnings: { pointer: string; message: string }[] };
    conclusions: { agent: string; property: string | null; authorized: boolean; code: string }[];
  };
}

describe('POST /api/adagents/validate', () => {
  let at: Registry;
  let origin = '';
  let files: Record<string, object> = {};
  const domain = `p-${randomUUID()}.example`;

  beforeAll(async () => {
    at = await startRegistry('sqlite', {
      adAgentsUrl: () => `${origin}/adagents.json`,
      sizes: { validate_adagents: 20 },
    });
  });
  afterAll(() => at.close());
  beforeEach(async () => {
    ({ origin } = await serveHttp((request, response) => {
      const file = files[request.url ?? ''];
      if (file === undefined) response.writeHead(404).end();
      else json(response, file);
    }));
  });

  const validate = async (body: object) => {
    const answer = await at.post('/api/adagents/validate', { domain, ...body });
    expect(answer.status).toBe(200);
    return (answer.body as Validation).data;
  };
  const site = { property_id: 'site', property_type: 'website', name: 'Site', tags: ['news'] };
  const properties = [{ ...site, identifiers: [{ type: 'domain', value: domain }] }];
  const entry = (more: object = {}) => ({
    ...{ url: AGENT, authorized_for: 'display', authorization_type: 'property_ids', property_ids: ['site'], ...more },
  });
  const inDays = (days: number) => toTimestamp(at.clock.now() + days * DAY_MS);

  it('[R15.validate] finds nothing in a good file, and says what buyers will be answered', async () => {
    const file = { last_updated: inDays(-1), properties, authorized_agents: [entry({ countries: ['US'] })] };
    const said = await validate({ file, country: 'US' });
    expect(said).toMatchObject({ found: true, validation: { valid: true, errors: [], warnings: [] } });
    expect(said.conclusions).toMatchObject([
      { agent: AGENT, property: null, authorized: true, code: 'authorized_in_part' },
      { agent: AGENT, property: 'site', authorized: true, code: 'authorized' },
    ]);
    const elsewhere = await validate({ file, country: 'DE' });
    expect(elsewhere.conclusions.map(({ code }) => code)).toEqual(['country_not_covered', 'country_not_covered']);
  });

  it('[R15.validate] names each fault by where it stands: those that cost an entry, and those surely not meant', async () => {
    const file = {
      last_updated: inDays(1),
      properties: [...properties, ...properties],
      authorized_agents: [
        entry({ property_ids: ['site', 'gone'], countries: ['USA'] }),
        entry({ authorization_type: 'property_tags', property_tags: ['none'], authorized_for: undefined }),
        entry({ effective_until: inDays(-1), url: 'http://old.example/?a=1' }),
        entry({ effective_from: inDays(1) }),
        entry({ authorization_type: 'everything' }),
        { url: 'no url' },
        { url: AGENT, authorized_for: 'all' },
        entry({ url: 'https://user:secret@other.example' }),
      ],
    };
    const { validation } = await validate({ file });
    expect(validation?.valid).toBe(false);
    expect(validation?.errors.map(({ pointer }) => pointer)).toEqual([
      '/authorized_agents/4',
      '/authorized_agents/5/url',
      '/authorized_agents/7/url',
    ]);
    expect(validation?.warnings.map(({ pointer }) => pointer)).toEqual([
      ...['/last_updated', '/properties/1/property_id', '/authorized_agents/0/countries/0'],
      ...['/authorized_agents/0/property_ids/1', '/authorized_agents/1/authorized_for'],
      ...['/authorized_agents/1/property_tags/0', '/authorized_agents/2/url', '/authorized_agents/2/url'],
      ...['/authorized_agents/2', '/authorized_agents/3', '/authorized_agents/6'],
    ]);
    expect(JSON.stringify(validation)).not.toContain('secret');
  });

  it('[R15.validate] has an error for each entry and property that a crawl leaves out, whether sent or published', async () => {
    const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });
    const file = {
      properties: [
        ...properties,
        { property_type: 'website', name: 'Without identifiers' },
        { property_type: 'website', name: 'With none', identifiers: [] },
        { property_type: 'website', identifiers: [{ type: 'domain', value: domain }] },
      ],
      authorized_agents: [
        entry({ url: 'https://long.example', property_ids: Array.from({ length: 1000 }, () => 'x'.repeat(70)) }),
        entry({ url: 'https://long.example', authorized_for: 'x'.repeat(70_000) }),
        entry({ url: 'https://deep.example', ext: nested(33) }),
        entry({ url: 'https://whole.example', ext: nested(30) }),
        ...Array.from({ length: 101 }, (_, i) => entry({ authorized_for: `display ${i}` })),
      ],
    };
    files = { '/adagents.json': file };
    for (const body of [{ file }, {}]) {
      const { validation, conclusions } = await validate(body);
      expect(validation?.valid).toBe(false);
      expect(validation?.errors.map(({ pointer }) => pointer)).toEqual([
        ...['/properties/1', '/properties/2/identifiers', '/properties/3/name'],
        ...[0, 1, 2, 104].map((i) => `/authorized_agents/${i}`),
      ]);
      expect(new Set(conclusions.map(({ agent }) => agent))).toEqual(new Set([AGENT, 'https://whole.example']));
    }
    const good = { properties, authorized_agents: file.authorized_agents.slice(3, 104) };
    expect((await validate({ file: good })).validation).toMatchObject({ valid: true, errors: [] });
  });

  it('[R15.validate] fetches a domain as a crawl does, over one hop, and stores nothing', async () => {
    files = {
      '/adagents.json': { authoritative_location: `${origin}/there.json` },
      '/there.json': { properties, authorized_agents: [entry()] },
    };
    const said = await validate({});
    expect(said).toMatchObject({ found: true, source_url: `${origin}/there.json` });
    expect(said.conclusions.map(({ authorized }) => authorized)).toEqual([true, true]);
    expect(await at.store.collection(publishers).get(domain)).toBeUndefined();
    files = {};
    expect(await validate({})).toMatchObject({ found: false, failure: 'answered 404', conclusions: [] });
    files = { '/adagents.json': { authorized_agents: 'none' } };
    const bad = await validate({});
    expect(bad.validation?.errors).toMatchObject([{ pointer: '/authorized_agents' }]);
  });

  it('[R15.validate] of a file that points elsewhere tells what is wrong with both, and calls valid what counts', async () => {
    const pointing = { authoritative_location: `${origin}/there.json` };
    files = { '/adagents.json': pointing, '/there.json': { properties, authorized_agents: [entry()] } };
    const good = await validate({});
    const first = { source_url: `${origin}/adagents.json`, pointer: '/authoritative_location' };
    expect(good.validation).toMatchObject({ valid: true, errors: [first] });
    files = { ...files, '/there.json': { authorized_agents: [entry({ authorization_type: 'everything' })] } };
    const there = { source_url: `${origin}/there.json`, pointer: '/authorized_agents/0' };
    expect((await validate({})).validation).toMatchObject({ valid: false, errors: [first, there] });
    files = { '/adagents.json': pointing };
    expect(await validate({})).toMatchObject({ source_url: null, validation: { valid: false } });
    const short = await at.get(`/api/properties/validate?domain=${domain}`);
    expect(short.body).toMatchObject({
      valid: false,
      errors: [expect.stringContaining('404'), expect.stringContaining('https')],
    });
  });

  it('[R15.validate] warns of countries that are none, and of types that the public schema does not have', async () => {
    const odd = {
      ...site,
      property_type: 'shop',
      identifiers: [
        { type: 'domain', value: domain },
        { type: 'isbn', value: '1' },
      ],
    };
    const { validation } = await validate({
      file: { properties: [odd], authorized_agents: [entry({ countries: ['GB', 'UK'] })] },
    });
    expect(validation?.valid).toBe(true);
    expect(validation?.warnings.map(({ pointer }) => pointer)).toEqual([
      ...['/properties/0/property_type', '/properties/0/identifiers/1/type', '/authorized_agents/0/countries/1'],
    ]);
  });

  it('[R15.validate] refuses what is no domain, and what is too much for one address', async () => {
    const refused = await at.post('/api/adagents/validate', { domain: 'no domain' });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('domain');
    const statuses: number[] = [];
    for (let i = 0; i < 21; i++) {
      const asked = at.post('/api/adagents/validate', { domain: '!' }).set('X-Forwarded-For', '192.0.2.77');
      statuses.push((await asked).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 400), 429]);
  });
});
