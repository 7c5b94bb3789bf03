import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { authorizations } from '../../src/directory/authorization/authorization.ts';
import { hostedFiles } from '../../src/directory/hosted-file/hosted-file.ts';
import { userIdOf } from '../../src/directory/oauth/access-token.ts';
import { takeDomain } from '../../src/directory/organization/operator-domains.ts';
import { organizationDomains } from '../../src/directory/organization/organization-domain.ts';
import { findCheck } from '../../src/directory/scheduled-check/scheduled-check.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { INPUT_LIMITS } from '../../src/platform/intake/input-limits.ts';
import type { OrganizationId } from '../../src/platform/organization-id.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import type { Outbound } from '../../src/platform/outbound/outbound-client.ts';
import type { Store } from '../../src/platform/store/collection.ts';
import { crawlPublisher } from '../../src/registry/crawl/crawl-publisher.ts';
import { organizationId } from '../support/ids.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import type { StoreWrite } from '../support/store-hooks.ts';
import { describeOnStores } from '../support/stores.ts';
import { json } from './support/agents.ts';
import { WIDE } from './support/buyer.ts';
import { ISSUER, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';
import { serveApp } from './support/serve-app.ts';

const SELLER = 'https://sales.example';
const RIVAL = 'https://rival.example';
const HOUR_MS = 3_600_000;

const changeSignal = {
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => undefined),
  close: () => Promise.resolve(),
};

type View = Record<string, unknown> & {
  url: string;
  etag: string;
  origin: Record<string, unknown>;
  place: { url: string; file: object };
};

describeOnStores("hosting a publisher's adagents.json on %s", (kind) => {
  let at: Registry;
  let served: Awaited<ReturnType<typeof serveApp>>;
  let origins: Server;
  let originsAt = '';
  let outbound: Outbound;
  /** What each publisher's origin says; nothing is 404. */
  const says = new Map<string, object | ((response: ServerResponse) => void)>();
  let beforeWrite: ((write: StoreWrite) => void | Promise<void>) | undefined;
  let domain = '';
  let owner: { Authorization: string };
  let organization: OrganizationId;

  beforeAll(async () => {
    origins = createServer((request, response) => {
      const said = says.get((request.url ?? '').split('/')[1] ?? '');
      if (said === undefined) response.writeHead(404).end();
      else if (typeof said === 'function') said(response);
      else json(response, said);
    });
    await new Promise<void>((resolve) => origins.listen(0, '127.0.0.1', resolve));
    originsAt = `http://127.0.0.1:${(origins.address() as AddressInfo).port}`;
    at = await startRegistry(kind, {
      adAgentsUrl,
      baseUrl: () => served.origin,
      sizes: { ...WIDE, hosted_files: 3, hosted_adagents: 10_000 },
      wrapStore: (store) => withStoreHooks(store, { before: (write) => beforeWrite?.(write) }),
    });
    served = await serveApp(at.app);
    outbound = createOutbound({ allowLoopback: true });
  });
  afterAll(async () => {
    await outbound.close();
    await served.close();
    await at.close();
    origins.closeAllConnections();
    origins.close();
  });
  beforeEach(async () => {
    beforeWrite = undefined;
    ({ domain, owner, organization } = await company());
  });

  const adAgentsUrl = (name: string) => `${originsAt}/${name}/adagents.json`;
  async function company() {
    const name = `h-${randomUUID()}.example`;
    const owning = await person(`o@${name}`);
    const made = await at.post('/api/organizations', { organization_name: 'House' }).set(owning);
    const id = organizationId((made.body as { organization: { id: string } }).organization.id);
    return { domain: name, owner: { Authorization: owning.Authorization }, organization: id };
  }
  async function person(email = `p@${randomUUID()}.example`) {
    const sub = randomUUID();
    return {
      user_id: userIdOf(ISSUER, sub),
      Authorization: `Bearer ${await at.token({ sub, email, expiresIn: 90 * 86_400 })}`,
    };
  }
  async function proved(organization_id: OrganizationId, name = `f-${randomUUID()}.example`) {
    await at.store.collection(organizationDomains).insert({
      ...{ domain: name, organization_id, verified_by: 'dns', user_id: 'u' },
      ...{ created_at: toTimestamp(at.clock.now()), revision: 1 },
    });
    return name;
  }
  const file = (url = SELLER, more: object = {}) => ({
    authorized_agents: [{ url, authorized_for: 'display' }],
    ...more,
  });
  const path = (name = domain) => `/api/me/publishers/${name}/adagents`;
  const put = (body: object = file(), headers: object = {}, name = domain) =>
    at.send('put', path(name), body).set({ ...owner, ...headers });
  const shown = async (name = domain) => (await at.get(path(name)).set(owner)).body as View;
  const verify = async (name = domain) => (await at.post(`${path(name)}/verify`).set(owner)).body as View;
  const publicly = (name = domain) => at.get(`/hosted/${name}/adagents.json`);
  const crawl = (name = domain) => at.post(`/api/registry/publishers/${name}/crawl`);
  const place = (name = domain) =>
    says.set(name, { authoritative_location: `${served.origin}/hosted/${name}/adagents.json` });
  async function may(agent = SELLER, name = domain) {
    const query = new URLSearchParams({ agent, property: name }).toString();
    return (await at.get(`/api/registry/authorization?${query}`)).body as { authorized: boolean; entry?: object };
  }
  const held = async (name = domain) =>
    (await at.store.collection(authorizations).find({ where: { publisher_domain: name } })).rows;
  /** As a worker looks, when it is due. */
  const look = (store: Store = at.store, name = domain) =>
    crawlPublisher(
      {
        ...{ store, clock: at.clock, outbound, adAgentsUrl },
        changeSignal,
      },
      name,
    );

  it('[R15.hosted] a file written here counts from when its origin names it until a day after it no longer does', async () => {
    const made = await at.post('/api/adagents/generate', {
      domain,
      authorized_agents: [{ url: SELLER, authorized_for: 'display' }],
    });
    const { adagents_json } = (made.body as { data: { adagents_json: object } }).data;
    const saved = await put(adagents_json);
    expect([saved.status, saved.body]).toMatchObject([
      201,
      {
        ...{ publisher_domain: domain, organization_id: organization, revision_number: 1, status: 'unverified' },
        ...{ counts: false, counts_until: null, verified_at: null, validation: { valid: true, errors: [] } },
        look: { done: true, error: 'answered 404' },
        origin: { found: 'nothing', looked_at: toTimestamp(at.clock.now()) },
        place: {
          url: adAgentsUrl(domain),
          file: { authoritative_location: `${served.origin}/hosted/${domain}/adagents.json` },
        },
      },
    ]);
    expect(saved.headers['etag']).toBe((saved.body as View).etag);
    expect((await publicly()).body).toEqual(adagents_json);
    // It is there to be read, and tells nobody anything.
    expect(await may()).toMatchObject({ authorized: false });
    expect(await held()).toEqual([]);

    at.clock.advance(60_000);
    says.set(domain, (saved.body as View).place.file);
    expect((await crawl()).status).toBe(200);
    const url = (saved.body as View).url;
    expect(await may()).toMatchObject({ authorized: true });
    expect(await held()).toMatchObject([{ agent_url: SELLER, source: 'adagents_json', source_url: url }]);
    const since = toTimestamp(at.clock.now());
    expect(await shown()).toMatchObject({
      ...{ status: 'verified', counts: true, verified_at: since, confirmed_at: since, read_since_saved: true },
      ...{ file: adagents_json, origin: { found: 'this_file', error: null } },
    });
    const listed = (await at.get(`/api/properties/registry?search=${domain}`)).body as { properties: object[] };
    expect(listed.properties).toMatchObject([{ domain, source: 'adagents_json', agent_count: 1, verified: true }]);

    // A change counts with its saving.
    at.clock.advance(60_000);
    expect((await put(file(RIVAL))).body).toMatchObject({
      revision_number: 2,
      status: 'verified',
      read_since_saved: true,
    });
    expect([(await may()).authorized, (await may(RIVAL)).authorized]).toEqual([false, true]);

    at.clock.advance(60_000);
    says.delete(domain);
    const lostAt = at.clock.now();
    expect(await verify()).toMatchObject({
      ...{ status: 'lost', counts: true, counts_until: toTimestamp(lostAt + 24 * HOUR_MS) },
      ...{ confirmed_at: null, origin: { found: 'nothing' }, look: { done: true, error: 'answered 404' } },
    });
    expect((await may(RIVAL)).authorized).toBe(true);
    at.clock.advance(24 * HOUR_MS);
    await look();
    expect((await may(RIVAL)).authorized).toBe(false);
    const over = toTimestamp(at.clock.now());
    expect(await shown()).toMatchObject({ status: 'lost', counts: false, counts_until: null, lost_at: over });

    place();
    at.clock.advance(60_000);
    expect(await verify()).toMatchObject({
      ...{ status: 'verified', counts: true, lost_at: null, verified_at: toTimestamp(at.clock.now()) },
    });
    expect((await may(RIVAL)).authorized).toBe(true);
  });

  it('[R15.hosted] an origin that has its own file, or names another place, is told as that', async () => {
    says.set(domain, file(RIVAL));
    expect((await put()).body).toMatchObject({ status: 'unverified', counts: false, origin: { found: 'own_file' } });
    expect([(await may()).authorized, (await may(RIVAL)).authorized]).toEqual([false, true]);
    const elsewhere = `${originsAt}/elsewhere-${domain}/adagents.json`;
    says.set(`elsewhere-${domain}`, file(RIVAL));
    says.set(domain, { authoritative_location: elsewhere });
    expect(await verify()).toMatchObject({
      ...{ status: 'unverified', origin: { found: 'another_location', location: elsewhere } },
    });
    place();
    expect(await verify()).toMatchObject({
      status: 'unverified',
      counts: false,
      origin: { found: 'this_file_too_new' },
    });
    at.clock.advance(24 * HOUR_MS);
    expect(await verify()).toMatchObject({ status: 'verified', counts: true, origin: { found: 'this_file' } });
    // And away again, by the same rule.
    says.set(domain, { authoritative_location: elsewhere });
    at.clock.advance(60_000);
    expect(await verify()).toMatchObject({
      ...{ status: 'lost', counts: true, counts_until: toTimestamp(at.clock.now() + 24 * HOUR_MS) },
      origin: { found: 'another_location', location: elsewhere },
    });
    // An origin that is only down is not lost.
    place();
    at.clock.advance(60_000);
    await verify();
    says.set(domain, (response: ServerResponse) => response.writeHead(503).end());
    at.clock.advance(60_000);
    expect(await verify()).toMatchObject({ status: 'verified', counts: true, origin: { found: 'unreadable' } });
  });

  it('[R15.hosted] a file of another is neither seen nor changed by whom it is not of', async () => {
    expect((await put()).status).toBe(201);
    const before = await at.store.collection(hostedFiles).get(domain);
    const stranger = await person();
    const other = await company();
    const member = await person(`m@${domain}`);
    const asking = await at.post(`/api/organizations/${organization}/join-requests`).set(member);
    await at
      .post(`/api/organizations/${organization}/join-requests/${(asking.body as { id: string }).id}/approve`, {
        role: 'member',
      })
      .set(owner);
    const key = { Authorization: `Bearer ${await at.apiKey(other.organization)}` };
    for (const who of [stranger, other.owner, member, key]) {
      const as = { Authorization: who.Authorization };
      const answers = [
        await at.send('put', path(), file(RIVAL)).set(as),
        await at.get(path()).set(as),
        await at.post(`${path()}/verify`).set(as),
        await at.send('delete', path()).set(as),
        await at.post('/api/properties/save', { publisher_domain: domain, authorized_agents: [] }).set(as),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
      expect((answers[0]?.body as { error: string }).error).toContain('no organization that you manage has proved');
    }
    // Neither one that nobody proved, nor one below a proved one.
    for (const name of [`n-${randomUUID()}.example`, `sub.${domain}`])
      expect((await put(file(), {}, name)).status).toBe(403);
    expect(await at.store.collection(hostedFiles).get(domain)).toEqual(before);
    expect((await at.send('put', path(), file())).status).toBe(401);
    const own = { Authorization: `Bearer ${await at.apiKey(organization, ['registry:read'])}` };
    expect([(await at.get(path()).set(own)).status, (await at.send('put', path(), file()).set(own)).status]).toEqual([
      200, 403,
    ]);
  });

  it('[R15.hosted] a file that was changed meanwhile is not overwritten by who names the one before', async () => {
    const first = ((await put(file(), { 'If-Match': '"none"' })).body as { etag: null }).etag;
    expect(first).toBeNull();
    const { etag } = (await put()).body as View;
    const second = (await put(file(RIVAL), { 'If-Match': etag })).body as View;
    expect(second).toMatchObject({ revision_number: 2 });
    const stale = await put(file('https://late.example'), { 'If-Match': etag });
    expect([stale.status, stale.body]).toMatchObject([412, { field: 'If-Match', etag: second.etag }]);
    expect((await at.send('delete', path()).set({ ...owner, 'If-Match': etag })).status).toBe(412);
    expect((await publicly()).body).toEqual(file(RIVAL));
    // Who got no answer asks again.
    const again = await put(file(RIVAL), { 'If-Match': etag });
    expect([again.status, (again.body as View)['revision_number']]).toEqual([200, 2]);
    expect((await at.send('delete', path()).set({ ...owner, 'If-Match': second.etag })).status).toBe(204);
    expect((await publicly()).status).toBe(404);
    expect((await at.send('delete', path()).set(owner)).status).toBe(404);
  });

  it('[R15.hosted] of two processes that save at once one is told that the other was first', async () => {
    const { etag } = (await put()).body as View;
    const another = await at.another();
    beforeWrite = async ({ collection, kind: write }) => {
      if (collection !== 'hosted_files' || write !== 'replace') return;
      beforeWrite = undefined;
      await another
        .collection(hostedFiles)
        .update(domain, (row) => ({ ...row, file_json: JSON.stringify(file(RIVAL)), etag: '"rival"' }));
    };
    const late = await put(file('https://late.example'), { 'If-Match': etag });
    expect([late.status, late.body]).toMatchObject([412, { etag: '"rival"' }]);
    expect((await publicly()).body).toEqual(file(RIVAL));
    const both = await Promise.all([put(file('https://a.example')), put(file('https://b.example'))]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const numbers = both.map(({ body }) => (body as View)['revision_number']);
    expect(new Set(numbers).size).toBe(2);
  });

  it.each([
    ['an agent without a URL', { authorized_agents: [{ authorized_for: 'x' }] }, '/authorized_agents/0/url'],
    [
      'a scope that says nothing',
      { authorized_agents: [{ url: SELLER, authorized_for: 'x', authorization_type: 'property_ids' }] },
      '/authorized_agents/0',
    ],
    ['another place', { authoritative_location: 'https://x.example/a.json' }, 'authorized_agents'],
    ['properties that are no list', { authorized_agents: [], properties: 'all' }, '/properties'],
  ])('[R15.hosted] refuses a file with %s, by its pointer and how to mend it', async (_, wrong, pointer) => {
    const kept = (await put()).body as View;
    const { status, body } = (await put(wrong)) as { status: number; body: { issues: { pointer: string }[] } };
    expect(status).toBe(400);
    expect(body).toMatchObject({ field: pointer });
    expect(JSON.stringify(body)).toMatch(/suggestion|issues/);
    expect(await shown()).toMatchObject({ etag: kept.etag, revision_number: 1 });
  });

  it('[R15.hosted] refuses what is too large, too many, older by its own word, and no publisher', async () => {
    const most = INPUT_LIMITS.adagentsBodyBytes;
    const refused = await put(file(SELLER, { note: 'x'.repeat(most) }));
    const suggestion = expect.stringContaining('authoritative_location leads up to 20000000') as string;
    expect([refused.status, refused.body]).toMatchObject([413, { error: `send at most ${most} bytes`, suggestion }]);
    const save = { publisher_domain: domain, ...file(SELLER, { note: 'x'.repeat(most) }) };
    expect([(await at.post('/api/properties/save', save).set(owner)).body]).toMatchObject([{ suggestion }]);
    expect((await publicly()).status).toBe(404);
    // Of as many properties as count, which are more members than other bodies may have.
    const properties = Array.from({ length: 20_000 }, (_, n) => ({
      ...{ property_id: `p-${n}`, property_type: 'website', name: `Site ${n}`, tags: ['news'] },
      identifiers: [{ type: 'domain', value: `p-${n}.${domain}` }],
    }));
    const full = file(SELLER, { properties });
    expect((await put(full)).status).toBe(201);
    expect((await publicly()).body).toEqual(full);
    expect((await at.send('delete', path()).set(owner)).status).toBe(204);
    const dated = (time: string) => file(SELLER, { last_updated: time });
    expect((await put(dated('2026-03-01T00:00:00Z'))).status).toBe(201);
    expect([(await put(dated('2026-02-01T00:00:00Z'))).body]).toMatchObject([{ field: '/last_updated' }]);
    for (const name of [await proved(organization), await proved(organization)])
      expect((await put(file(), {}, name)).status).toBe(201);
    const fourth = await proved(organization);
    const many = await put(file(), {}, fourth);
    expect([many.status, many.body]).toMatchObject([429, { error: expect.stringContaining('files hosted') as string }]);
    expect((await at.send('delete', path()).set(owner)).status).toBe(204);
    expect((await put(file(), {}, fourth)).status).toBe(201);
    await proved(organization, 'adserver.example');
    expect((await put(file(), {}, 'adserver.example')).body).toMatchObject({ field: 'domain' });
    await at.store.collection(organizationDomains).delete('adserver.example');
    expect((await at.send('put', path('no%20domain'), file()).set(owner)).status).toBe(400);
  });

  it('[R15.hosted] serves the file to anybody by its ETag, and caches ask again each time', async () => {
    const { etag } = (await put()).body as View;
    const whole = await publicly(`WWW.${domain}`);
    expect([whole.status, whole.headers['etag'], whole.headers['cache-control']]).toEqual([
      200,
      etag,
      'public, no-cache',
    ]);
    expect(whole.headers['content-type']).toContain('application/json');
    expect(whole.headers['access-control-allow-origin']).toBe('*');
    expect((await publicly().set('If-None-Match', `"x", W/${etag}`)).status).toBe(304);
    expect((await publicly().set('If-None-Match', '"x"')).status).toBe(200);
    expect((await publicly(`none-${domain}`)).status).toBe(404);
    expect((await at.preflight(path())).headers['access-control-allow-methods']).toContain('PUT');
  });

  it('[R15.hosted] the last 20 saves are remembered, not their files', async () => {
    await put();
    await at.store.collection(hostedFiles).update(domain, (row) => ({
      ...row,
      saves: Array.from({ length: 20 }, (_, i) => ({ ...row.saves[0], number: i + 1 })) as typeof row.saves,
    }));
    await put(file('https://a-21.example'));
    await put(file('https://a-22.example'));
    const { revisions, revision_number } = (await shown()) as unknown as {
      revisions: { number: number }[];
      revision_number: number;
    };
    expect(revision_number).toBe(22);
    expect(revisions.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, i) => 22 - i));
    const row = await at.store.collection(hostedFiles).get(domain);
    expect(JSON.stringify(row)).not.toContain('a-21.example');
  });

  it('[R15.hosted] what is taken down counts no more, at once', async () => {
    place();
    await put();
    expect((await may()).authorized).toBe(true);
    expect((await at.send('delete', path()).set(owner)).status).toBe(204);
    expect((await may()).authorized).toBe(false);
    expect(await held()).toEqual([]);
    // The origin goes on naming it, and nobody is let in by that.
    at.clock.advance(HOUR_MS);
    expect((await crawl()).status).toBe(502);
    expect(await held()).toEqual([]);
    expect(await at.store.collection(hostedFiles).get(domain)).toBeUndefined();
    expect((await put()).body).toMatchObject({ revision_number: 1, status: 'verified' });
  });

  it.each(['the owners', 'an operator'])(
    "[R15.hosted] [R8.released] a domain that %s let go takes the former owner's file along, though its origin still names it",
    async (who) => {
      const name = await proved(organization);
      place(name);
      await put(file(), {}, name);
      expect((await may(SELLER, name)).authorized).toBe(true);
      const { rows } = await at.store.collection(hostedFiles).find({ where: { organization_id: organization } });
      expect(rows).toHaveLength(1);
      at.clock.advance(60_000);
      if (who === 'an operator')
        await takeDomain({ ...at, changeSignal }, { organization_id: organization, domain: name });
      else
        expect((await at.send('delete', `/api/organizations/${organization}/domains/${name}`).set(owner)).status).toBe(
          204,
        );
      expect((await publicly(name)).status).toBe(404);
      expect((await at.get(path(name)).set(owner)).status).toBe(403);
      // A worker looks at once.
      expect((await findCheck(at, 'adagents', name))?.due_at).toBe(toTimestamp(at.clock.now()));
      await look(at.store, name);
      expect((await may(SELLER, name)).authorized).toBe(false);
      expect(await held(name)).toEqual([]);

      const next = await company();
      await proved(next.organization, name);
      const view = await at.send('put', path(name), file(RIVAL)).set(next.owner);
      expect([view.status, view.body]).toMatchObject([201, { organization_id: next.organization, revision_number: 1 }]);
      expect([(await may(SELLER, name)).authorized, (await may(RIVAL, name)).authorized]).toEqual([false, true]);
    },
  );

  it('[R15.hosted] a domain that changed hands by any other way serves nothing, and its next look takes all back', async () => {
    const name = await proved(organization);
    place(name);
    await put(file(), {}, name);
    await at.store.collection(organizationDomains).delete(name);
    const next = await company();
    await proved(next.organization, name);
    expect((await publicly(name)).status).toBe(404);
    expect((await at.get(path(name)).set(next.owner)).status).toBe(404);
    // The origin cannot even be read.
    says.set(name, (response: ServerResponse) => response.writeHead(503).end());
    at.clock.advance(HOUR_MS);
    await look(at.store, name);
    expect(await held(name)).toEqual([]);
  });

  it('[R15.hosted] a look that began before the file ended does not bring it back', async () => {
    place();
    await put();
    await at.send('delete', path()).set(owner);
    await put();
    expect(await held()).toHaveLength(1);
    // It answers the crawl with the file, and ends it meanwhile.
    const slow = crawlPublisher(
      {
        ...{ store: at.store, clock: at.clock, adAgentsUrl, changeSignal },
        outbound: {
          ...outbound,
          fetchBytes: async (url: string, options: Parameters<Outbound['fetchBytes']>[1]) => {
            const answer = await outbound.fetchBytes(url, options);
            if (url.includes('/hosted/')) await at.send('delete', path()).set(owner);
            return answer;
          },
        },
      },
      domain,
    );
    expect(await slow).toMatchObject({ kind: 'failed', reason: expect.stringContaining('no longer hosted') as string });
    expect(await held()).toEqual([]);
  });

  it('[R15.hosted] killed at any write of a save or an end, it is done by doing it again, and by the next look', async () => {
    for (const work of ['save', 'end', 'move'] as const) {
      let deaths = 0;
      for (let n = 1; deaths === n - 1; n++) {
        const name = await proved(organization);
        place(name);
        if (work !== 'save') await put(file(), {}, name);
        let writes = 0;
        beforeWrite = () => {
          if (++writes < n) return;
          deaths = n;
          throw new Error('killed here');
        };
        const release = `/api/organizations/${organization}/domains/${name}`;
        const act = {
          save: () => put(file(), {}, name),
          end: () => at.send('delete', path(name)).set(owner),
          move: () => at.send('delete', release).set(owner),
        }[work];
        const { status } = await act();
        beforeWrite = undefined;
        if (deaths === n) expect(status).toBeGreaterThanOrEqual(500);
        // Its place at the crawl, and its claim, have run out.
        at.clock.advance(130_000);
        if (work === 'save') {
          if (deaths === n) await act();
          expect(await shown(name), `save ${n}`).toMatchObject({ revision_number: 1, status: 'verified' });
          expect((await may(SELLER, name)).authorized).toBe(true);
        } else {
          // What is served no longer is taken back by whichever worker is free; else nothing has happened yet.
          if ((await publicly(name)).status === 200) await act();
          expect((await publicly(name)).status).toBe(404);
          const due = (await findCheck(at, 'adagents', name))?.due_at ?? '';
          expect(Date.parse(due), `${work} ${n}`).toBeLessThanOrEqual(at.clock.now());
          await look(at.store, name);
          expect((await may(SELLER, name)).authorized, `${work} ${n}`).toBe(false);
        }
        // A place for the next.
        await at.store.collection(hostedFiles).delete(name);
      }
      expect(deaths).toBeGreaterThan(3);
    }
  });

  it("[R15.hosted] [R16.public] the public registry's way to save makes the same file", async () => {
    const save = (more: object) =>
      at.post('/api/properties/save', { publisher_domain: `www.${domain}`, ...more }).set(owner);
    const saved = await save({
      authorized_agents: [{ url: SELLER, authorized_for: 'display', countries: ['US'] }],
      properties: [{ type: 'website', name: 'News' }],
      contact: { name: 'Ann' },
    });
    expect([saved.status, saved.body]).toMatchObject([
      200,
      {
        success: true,
        id: domain,
        revision_number: 1,
        message: expect.stringContaining('counts for nobody until') as string,
      },
    ]);
    expect((await publicly()).body).toEqual({
      contact: { name: 'Ann' },
      properties: [{ property_type: 'website', name: 'News', identifiers: [{ type: 'domain', value: domain }] }],
      authorized_agents: [{ url: SELLER, authorized_for: 'display', countries: ['US'] }],
    });
    place();
    expect((await save({ authorized_agents: [{ url: SELLER }] })).body).toMatchObject({
      ...{ revision_number: 2, message: expect.stringContaining('so it counts') as string },
    });
    expect((await may()).authorized).toBe(true);
    const app = await save({ authorized_agents: [], properties: [{ type: 'mobile_app', name: 'App' }] });
    expect([app.status, app.body]).toMatchObject([400, { field: 'properties[0].identifiers' }]);
    expect((await save({ authorized_agents: [{ url: 'x' }] })).body).toMatchObject({
      field: '/authorized_agents/0/url',
    });
  });

  it('[R15.hosted] whoever has no more looks to spend saves all the same, and a worker looks at once', async () => {
    const limited = await startRegistry(kind, { adAgentsUrl, sizes: { new_publishers_of_domain: 0 } });
    const { organization_id } = await limited.organization({ corporate_domain: domain, domain_verified_by: 'dns' });
    const key = { Authorization: `Bearer ${await limited.apiKey(organization_id)}` };
    const saved = await limited.send('put', path(), file()).set(key);
    await limited.close();
    const now = toTimestamp(limited.clock.now());
    expect([saved.status, saved.body]).toMatchObject([
      201,
      { status: 'unverified', look: { done: false }, origin: { next_look_at: now } },
    ]);
  });

  it('[R15.hosted] a change of a file that counts is looked at within minutes where who saved it died before its look', async () => {
    place();
    expect((await put()).body).toMatchObject({ status: 'verified' });
    at.clock.advance(60_000);
    let isSaved = false;
    beforeWrite = ({ collection }) => {
      if (isSaved) throw new Error('killed here');
      isSaved = collection === hostedFiles.name;
    };
    expect((await put(file(RIVAL))).status).toBeGreaterThanOrEqual(500);
    beforeWrite = undefined;
    expect(await shown()).toMatchObject({ revision_number: 2, read_since_saved: false });
    at.clock.advance(130_000);
    const due = (await findCheck(at, 'adagents', domain))?.due_at ?? '';
    expect(Date.parse(due)).toBeLessThanOrEqual(at.clock.now());
    await look();
    expect((await may(RIVAL)).authorized).toBe(true);
  });

  it('[R15.hosted] a change whose look does not count, beside one by a clock that is ahead, is looked at as soon as it can', async () => {
    place();
    expect((await put()).body).toMatchObject({ status: 'verified' });
    at.clock.advance(1000);
    const ahead = { ...at.clock, now: () => at.clock.now() + 20_000 };
    await crawlPublisher({ store: at.store, clock: ahead, outbound, adAgentsUrl, changeSignal }, domain);
    const counts = at.clock.now() + 20_000;
    expect((await put(file(RIVAL))).body).toMatchObject({
      ...{ status: 'verified', read_since_saved: false, look: { done: true, error: null } },
      origin: { next_look_at: toTimestamp(counts + 1) },
    });
    expect((await may(RIVAL)).authorized).toBe(false);
    at.clock.advance(20_001);
    await look();
    expect((await may(RIVAL)).authorized).toBe(true);
    // What is there already is not looked at again.
    const ahead2 = { ...at.clock, now: () => at.clock.now() + 20_000 };
    await crawlPublisher({ store: at.store, clock: ahead2, outbound, adAgentsUrl, changeSignal }, domain);
    const { due_at } = (await findCheck(at, 'adagents', domain)) ?? {};
    await look();
    expect((await findCheck(at, 'adagents', domain))?.due_at).toBe(due_at);
  });
});
