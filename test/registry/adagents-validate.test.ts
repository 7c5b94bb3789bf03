import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { MOST_BYTES } from '../../src/registry/crawl/fetch-adagents.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { INPUT_LIMITS } from '../../src/platform/intake/input-limits.ts';
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
  let files: Record<string, object | string> = {};
  const domain = `p-${randomUUID()}.example`;

  beforeAll(async () => {
    at = await startRegistry('sqlite', {
      adAgentsUrl: (name) => (name === domain ? `${origin}/adagents.json` : `${origin}/${name}.json`),
      sizes: { validate_adagents: 18 },
    });
  });
  afterAll(() => at.close());
  beforeEach(async () => {
    ({ origin } = await serveHttp((request, response) => {
      const file = files[request.url ?? ''];
      if (file === undefined) response.writeHead(404).end();
      else if (typeof file === 'string') response.setHeader('content-type', 'text/plain').end(file);
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

  it.each([
    [
      'an entry that is too long',
      () => [entry({ countries: Array.from({ length: 20_000 }, () => 'US') })],
      '/authorized_agents/0',
    ],
    ['an entry nested too deeply', () => [entry({ ext: deep(40) })], '/authorized_agents/0'],
    [
      'more entries of an agent than count',
      () => Array.from({ length: 101 }, (_, n) => entry({ ext: { n } })),
      '/authorized_agents/100',
    ],
  ])('[R15.validate] says that %s does not count, as a crawl leaves it out', async (_, authorized_agents, pointer) => {
    const { validation } = await validate({ file: { properties, authorized_agents: authorized_agents() } });
    expect(validation?.valid).toBe(false);
    expect(validation?.errors.map((error) => error.pointer)).toEqual([pointer]);
  });

  it('[R15.validate] says that a property without identifiers or name does not count', async () => {
    const file = {
      properties: [...properties, { property_id: 'bare', property_type: 'website' }],
      authorized_agents: [entry()],
    };
    const { validation } = await validate({ file });
    expect(validation).toMatchObject({ valid: false, errors: [{ pointer: '/properties/1' }] });
  });

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
    files = { '/adagents.json': '{\n"authorized_agents": [],\n}' };
    expect(await validate({})).toMatchObject({ failure: 'body is not json: see line 3, column 1' });
    files = { '/adagents.json': { authorized_agents: 'none' } };
    const bad = await validate({});
    expect(bad.validation?.errors).toMatchObject([{ pointer: '/authorized_agents' }]);
  });

  it('[R15.validate] tells what a manager lets sell for a publisher without a file, as a look-up does', async () => {
    const theirs = { ...site, publisher_domain: domain, identifiers: [{ type: 'domain', value: domain }] };
    const other = { ...theirs, property_id: 'other', publisher_domain: 'other.example' };
    const named = { selection_type: 'by_id', publisher_domain: domain, property_ids: ['site'] };
    const selling = entry({
      ...{ authorization_type: 'publisher_properties', property_ids: undefined, publisher_properties: [named] },
    });
    files = { '/ads.txt': 'MANAGERDOMAIN=manager.example\n' };
    const reason = 'answered 404; its ads.txt names manager.example as manager';
    expect(await validate({})).toMatchObject({
      ...{ found: false, failure: reason, conclusions: [] },
      manager: { domain: 'manager.example', source_url: null, failure: 'answered 404' },
    });
    files['/manager.example.json'] = { properties: [other, theirs], authorized_agents: [selling] };
    const said = await validate({});
    expect(said).toMatchObject({
      failure: reason,
      manager: { domain: 'manager.example', source_url: `${origin}/manager.example.json` },
    });
    expect(said.conclusions).toMatchObject([
      { agent: AGENT, property: null, authorized: true },
      { agent: AGENT, property: 'site', authorized: true, code: 'authorized' },
    ]);
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

  it('[R15.validate] tells of a time how it is read where it has no offset, and where it is none', async () => {
    const authorized_agents = [
      entry({ effective_from: '2020-01-01', effective_until: '2999-12-31T12:00:00' }),
      entry({ effective_from: '2020-01-01T00:00:00+02:00', effective_until: '2999-02-30' }),
      entry({ revoked_at: 'soon', effective_from: null }),
    ];
    const { validation, conclusions } = await validate({ file: { properties, authorized_agents } });
    expect(validation?.errors).toMatchObject([
      { pointer: '/authorized_agents/1/effective_until', message: 'it is no time, so the entry lets nobody sell' },
      { pointer: '/authorized_agents/2/revoked_at' },
    ]);
    expect(validation?.warnings).toMatchObject([
      {
        pointer: '/authorized_agents/0/effective_from',
        message: 'it has no time, and is read as 2020-01-01T00:00:00.000Z',
      },
      {
        pointer: '/authorized_agents/0/effective_until',
        message: 'it has no offset, and is read as 2999-12-31T12:00:00.000Z',
      },
    ]);
    expect(conclusions[0]).toMatchObject({ agent: AGENT, authorized: true });
  });

  it('[R15.validate] says of a file that is too large to be sent how to have it checked all the same', async () => {
    const suggestion = expect.stringContaining('send its domain alone') as string;
    const most = INPUT_LIMITS.adagentsBodyBytes;
    expect(most).toBe(MOST_BYTES.own);
    const send = (...notes: string[]) =>
      at.post('/api/adagents/validate', { domain, file: { authorized_agents: [], notes } });
    const large = await send('x'.repeat(most));
    expect([large.status, large.body]).toMatchObject([413, { error: `send at most ${most} bytes`, suggestion }]);
    const parts = Array.from({ length: 5 }, () => 'x'.repeat(most / 5 - 100));
    expect((await send(...parts)).status).toBe(200);
    // A crawl reads no such value either.
    const long = await send('x'.repeat(1_100_000));
    expect([long.status, long.body]).toMatchObject([400, { error: 'one of its values is larger than 1 MiB' }]);
    // Of few bytes, and of more members than the gate takes.
    const authorized_agents = Array.from({ length: 20_000 }, () => spread(INPUT_LIMITS.adagentsMembers / 20_000));
    const many = await at.post('/api/adagents/validate', { domain, file: { authorized_agents } });
    expect([many.status, many.body]).toMatchObject([400, { suggestion }]);
  });

  it('[R15.validate] refuses what is no domain, and what is too much for one address', async () => {
    const refused = await at.post('/api/adagents/validate', { domain: 'no domain' });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('domain');
    const none = await at.post('/api/adagents/validate', { domain, file: {}, country: 'UK' });
    expect([none.status, none.body]).toMatchObject([400, { field: 'country' }]);
    await validate({ file: {}, country: 'gb' });
    const statuses: number[] = [];
    for (let i = 0; i < 19; i++) {
      const asked = at.post('/api/adagents/validate', { domain: '!' }).set('X-Forwarded-For', '192.0.2.77');
      statuses.push((await asked).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 18 }, () => 400), 429]);
  });
});

function spread(members: number): object {
  return Object.fromEntries(Array.from({ length: members }, (_, i) => [`m${i}`, 1]));
}

function deep(levels: number): object {
  return levels === 0 ? {} : { inner: deep(levels - 1) };
}
