import { createHash, randomUUID } from 'node:crypto';
import request from 'supertest';
import type { Test } from 'supertest';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portalRouter } from '../../../src/admin/portal/portal-router.tsx';
import { formToken } from '../../../src/admin/console/form-token.ts';
import { adminRouter } from '../../../src/admin/router.ts';
import { createSignInLink } from '../../../src/admin/sign-in-link.ts';
import { hashToken } from '../../../src/platform/crypto/one-time-token.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { endPortalSessionsOf, portalSessions } from '../../../src/admin/portal-session.ts';
import { apiKeys, hashApiKey } from '../../../src/directory/api-key/api-key.ts';
import { authenticator } from '../../../src/directory/api-key/authenticator.ts';
import type { Scope } from '../../../src/directory/caller.ts';
import { createPortalLink, portalLinks } from '../../../src/directory/portal-link/portal-link.ts';
import { organizations } from '../../../src/directory/organization/organization.ts';
import { noCounters } from '../../../src/platform/metrics/metrics.ts';
import type { Budgets } from '../../../src/platform/budget/budgets.ts';
import { createBudgets } from '../../../src/platform/budget/budgets.ts';
import { createRateLimiter } from '../../../src/platform/redis/rate-limit-redis.ts';
import type { RateLimiter } from '../../../src/platform/redis/rate-limit.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import type { OrganizationId } from '../../../src/platform/organization-id.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { silent } from '../../directory/support/installation.ts';
import { freshAddress, startRegistry } from '../../registry/support/registry.ts';
import type { Registry } from '../../registry/support/registry.ts';
import { slowWindows } from '../../support/slow-windows.ts';
import { describeOnStores } from '../../support/stores.ts';
import { finishedRun } from '../../webhooks/support/finished-run.ts';
import { makeKnown } from '../../webhooks/support/known-origin.ts';
import { openReceiver } from '../../webhooks/support/open-receiver.ts';
import type { Receiver } from '../../webhooks/support/open-receiver.ts';

const HOSTILE = `<img src=x onerror=alert(1)> "'&\u202e`;
const FAILED_PER_MINUTE = 3;
const RESENT_PER_HOUR = 60;

describeOnStores("[O1.portal] the buyers' portal on %s", (kind) => {
  let at: Registry;
  let receiver: Receiver;
  let limiter: RateLimiter;
  let app: express.Express;
  let budgets: Budgets;
  beforeAll(async () => {
    at = await startRegistry(kind);
    receiver = await openReceiver();
    limiter = slowWindows(
      createRateLimiter({
        connection: process.env['REDIS_TEST_URL'] ?? '',
        prefix: `portal-${randomUUID()}`,
        logger: silent,
      }),
    );
    const sizes = { failed_credentials: FAILED_PER_MINUTE };
    budgets = createBudgets({ limiter, clock: at.clock, counters: noCounters, sizes });
    const keys = at.store.collection(apiKeys);
    const deps = {
      ...{ ...at, log: silent, webhooks: at.webhooks },
      budgets,
      authenticator: authenticator({ ...at, keys, log: silent }),
      ...{ sealer: sealer('a secret of this test that is long enough'), accounts: undefined },
    };
    app = express();
    app.set('trust proxy', true);
    app.use('/portal', portalRouter({ ...deps, baseUrl: () => 'http://127.0.0.1' }));
    app.use('/secure', portalRouter({ ...deps, baseUrl: () => 'https://sales.example' }));
    app.use('/admin', adminRouter({ ...at, log: silent, bullQueues: () => [], baseUrl: () => 'http://127.0.0.1' }));
  });
  afterAll(async () => {
    await limiter.close();
    await receiver.close();
    await at.close();
  });

  const get = (path: string, cookie = '') => request(app).get(path).set('Cookie', cookie);
  const post = (path: string, form: object, cookie = '', address = freshAddress()): Test =>
    request(app)
      .post(path)
      .set('Cookie', cookie)
      .set('X-Forwarded-For', address)
      .set('Sec-Fetch-Site', 'same-origin')
      .type('form')
      .send(form);

  const cookieIn = (answer: { get(name: 'Set-Cookie'): string[] | undefined }) =>
    answer.get('Set-Cookie')?.[0]?.split(';')[0] ?? '';
  const signIn = async (api_key: string) => cookieIn(await post('/portal/sign-in', { api_key }));

  interface Party {
    organization_id: OrganizationId;
    key: string;
    cookie: string;
  }

  async function party({ name, scopes }: { name?: string; scopes?: readonly Scope[] } = {}): Promise<Party> {
    const { organization_id } = await at.organization({ ...(name !== undefined && { name }) });
    const key = await at.apiKey(organization_id, scopes);
    return { organization_id, key, cookie: await signIn(key) };
  }

  /** An event that has come to its end without being taken. */
  async function over(organization_id: OrganizationId, changes: Partial<Delivery> = {}): Promise<Delivery> {
    const task_id = `t-${randomUUID()}`;
    await at.webhooks.send([
      {
        ...{ organization_id, task_id, task_type: 'create_media_buy', subject_id: null, sequence: 2, event: 'working' },
        target: { registration_id: randomUUID(), url: receiver.url('/hook?secret=1'), mode: 'rfc9421' },
        ...{ idempotency_key: randomUUID(), body: '{"said":"the body of an event"}' },
      },
    ]);
    const rows = at.store.collection(Deliveries);
    const [made] = (await rows.find({ where: { task_id } })).rows;
    if (made === undefined) throw new Error('no delivery was made');
    const ended = await rows.update(made.delivery_id, (row) => ({
      ...row,
      ...{ state: 'exhausted', next_attempt_at: null, ...changes },
    }));
    return ended?.row ?? made;
  }

  const stateOf = async ({ delivery_id }: Delivery) => (await at.store.collection(Deliveries).get(delivery_id))?.state;

  /** The hidden fields of the form on a page. */
  async function fieldsOn(path: string, cookie: string): Promise<{ _token: string; _click: string }> {
    const { text } = await get(path, cookie);
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? '';
    return { _token: field('_token'), _click: field('_click') };
  }

  const pageOf = ({ delivery_id }: Delivery) => `/portal/deliveries/${encodeURIComponent(delivery_id)}`;

  it('exchanges an API key for a cookie that scripts and other places cannot use, and keeps only its hash', async () => {
    const { key } = await party();
    const plain = await post('/portal/sign-in', { api_key: key });
    expect(plain.status).toBe(303);
    expect(plain.get('Set-Cookie')?.[0]).toMatch(
      /^portal_session=[\w-]{43}; Path=\/portal; Max-Age=43200; HttpOnly; SameSite=Lax$/,
    );
    const secure = await post('/secure/sign-in', { api_key: key });
    expect(secure.get('Set-Cookie')?.[0]).toMatch(
      /^__Host-portal=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
    );
    const { rows } = await at.store
      .collection(portalSessions)
      .find({ where: { session_hash: { gte: '' } }, limit: 100 });
    expect(JSON.stringify(rows)).not.toContain(cookieIn(plain).slice('portal_session='.length));
    expect((await get('/secure', cookieIn(secure))).status).toBe(200);
    expect((await get('/secure', cookieIn(plain))).status).toBe(401);
  });

  it('shows an organization its own webhooks alone: another’s id is answered like none', async () => {
    const [own, foreign] = [await party(), await party()];
    const theirs = await over(foreign.organization_id);
    const ours = await over(own.organization_id);
    const list = await get('/portal', own.cookie);
    expect(list.text).toContain(ours.delivery_id);
    expect(list.text).not.toContain(theirs.delivery_id);
    expect((await get(`/portal?task_id=${theirs.task_id}`, own.cookie)).text).toContain('There are none.');
    expect((await get(pageOf(ours), own.cookie)).status).toBe(200);
    const [known, unknown] = [await get(pageOf(theirs), own.cookie), await get('/portal/deliveries/none', own.cookie)];
    expect([known.status, unknown.status]).toEqual([404, 404]);
    expect(known.text).toBe(unknown.text);
    expect((await get('/portal/receivers', own.cookie)).text).toContain(new URL(receiver.url()).origin);
    expect(list.text).not.toContain('the body of an event');
    for (const page of [list, await get(pageOf(ours), own.cookie)]) expect(page.text).not.toContain('secret=1');
    const form = await fieldsOn(pageOf(ours), own.cookie);
    expect((await post(`${pageOf(theirs)}/resend`, form, own.cookie)).status).toBe(403);
    const action = `/deliveries/${theirs.delivery_id}/resend`;
    const _token = formToken(own.cookie.slice('portal_session='.length), `portal${action}`);
    expect((await post(`/portal${action}`, { _token, _click: 'one' }, own.cookie)).status).toBe(404);
    expect(await stateOf(theirs)).toBe('exhausted');
  });

  it.each(['api_key', 'key', 'token', 'anything'])('refuses a key in a URL, called %s', async (name) => {
    const { key, cookie } = await party();
    for (const answer of [
      await get(`/portal/sign-in?${name}=${key}`),
      await get(`/portal?${name}=${key}`, cookie),
      await post(`/portal/sign-in?${name}=${key}`, { api_key: key }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.get('Set-Cookie')).toBeUndefined();
      expect(answer.text).not.toContain(key);
    }
  });

  it('opens nothing of the console, nor the console anything of it', async () => {
    const { cookie } = await party();
    const token = new URL(await createSignInLink(at, 'http://127.0.0.1')).searchParams.get('token');
    const operator = cookieIn(await post('/admin/sign-in', { token }));
    const valueOf = (of: string) => of.slice(of.indexOf('=') + 1);
    expect((await get('/admin/sign-out', operator)).status).toBe(200);
    for (const one of [cookie, `console_session=${valueOf(cookie)}`])
      expect((await get('/admin/sign-out', one)).status).toBe(401);
    for (const one of [operator, `portal_session=${valueOf(operator)}`])
      expect((await get('/portal', one)).status).toBe(401);
  });

  it('sends one again, once for a double click, and 60 an hour', async () => {
    const own = await party();
    const delivery = await over(own.organization_id);
    const form = await fieldsOn(pageOf(delivery), own.cookie);
    const send = (fields: object) => post(`${pageOf(delivery)}/resend`, fields, own.cookie);
    const twice = await Promise.all([send(form), send(form)]);
    expect(twice.map(({ status }) => status)).toEqual([303, 303]);
    expect(await stateOf(delivery)).toBe('pending');
    const more = Array.from({ length: RESENT_PER_HOUR }, (_, n) => send({ ...form, _click: `click ${n}` }));
    const statuses = (await Promise.all(more)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  it('does what a killed process had only begun, once its form is sent again a while later', async () => {
    const own = await party();
    const delivery = await over(own.organization_id);
    const form = (await fieldsOn(pageOf(delivery), own.cookie)) as { _click: string };
    const click = { click: form._click, at: toTimestamp(at.clock.now()), is_done: false };
    const rows = at.store.collection(portalSessions);
    await rows.update(hashToken(own.cookie.split('=')[1] ?? ''), (row) => ({ ...row, clicks: [click] }));
    const send = () => post(`${pageOf(delivery)}/resend`, form, own.cookie);
    // Another process may be at it.
    expect((await send()).status).toBe(303);
    expect(await stateOf(delivery)).not.toBe('pending');
    at.clock.advance(10_000);
    expect((await send()).status).toBe(303);
    expect(await stateOf(delivery)).toBe('pending');
  });

  it('takes a form of its own session and page alone', async () => {
    const [own, foreign] = [await party(), await party()];
    const delivery = await over(own.organization_id);
    const path = `${pageOf(delivery)}/resend`;
    const form = await fieldsOn(pageOf(delivery), own.cookie);
    const again = { ...own, cookie: await signIn(own.key) };
    expect((await post(path, {}, own.cookie)).status).toBe(403);
    expect((await post(path, form, again.cookie)).status).toBe(403);
    expect((await post(path, form, foreign.cookie)).status).toBe(403);
    expect((await post(path, await fieldsOn('/portal/sign-out', own.cookie), own.cookie)).status).toBe(403);
    expect((await post(path, form, own.cookie).set('Sec-Fetch-Site', 'cross-site')).status).toBe(403);
    expect(await stateOf(delivery)).toBe('exhausted');
  });

  it('lets a key without webhooks:write read and send nothing, and one without webhooks:read in nowhere', async () => {
    const reader = await party({ scopes: ['webhooks:read'] });
    const delivery = await over(reader.organization_id);
    const { text } = await get(pageOf(delivery), reader.cookie);
    expect(text).not.toContain('Send again now');
    const { _token } = await fieldsOn('/portal/sign-out', reader.cookie);
    expect((await post(`${pageOf(delivery)}/resend`, { _token, _click: 'x' }, reader.cookie)).status).toBe(403);
    const other = await at.apiKey(reader.organization_id, ['webhooks:write']);
    const refused = await post('/portal/sign-in', { api_key: other });
    expect([refused.status, refused.get('Set-Cookie')]).toEqual([403, undefined]);
  });

  it('ends a session with its key, with the suspension of its organization, by time, by idleness and by signing out', async () => {
    const [revoked, suspended, left] = [await party(), await party(), await party()];
    const keys = at.store.collection(apiKeys);
    const row = (await keys.find({ where: { key_hash: hashApiKey(revoked.key) } })).rows[0];
    const now = toTimestamp(at.clock.now());
    await keys.update(row?.api_key_id ?? '', (key) => ({ ...key, revoked_at: now }));
    await at.store
      .collection(organizations)
      .update(suspended.organization_id, (one) => ({ ...one, suspended_at: now }));
    expect((await get('/portal', left.cookie)).status).toBe(200);
    const form = await fieldsOn('/portal/sign-out', left.cookie);
    expect((await post('/portal/sign-out', form, left.cookie)).status).toBe(303);
    for (const { cookie } of [revoked, suspended, left]) expect((await get('/portal', cookie)).status).toBe(401);

    const [idle, used] = [await party(), await party()];
    for (let hour = 0; hour < 11; hour += 1) {
      at.clock.advance(3_600_000);
      expect((await get('/portal', used.cookie)).status).toBe(200);
    }
    expect((await get('/portal', idle.cookie)).status).toBe(401);
    at.clock.advance(3_600_000);
    expect((await get('/portal', used.cookie)).status).toBe(401);
  });

  it('counts wrong keys among the failed credentials of an address', async () => {
    const address = freshAddress();
    const tried = async () =>
      (await post('/portal/sign-in', { api_key: `mk_live_${randomUUID()}${randomUUID()}` }, '', address)).status;
    const statuses: number[] = [];
    for (let i = 0; i <= FAILED_PER_MINUTE; i += 1) statuses.push(await tried());
    expect(statuses.slice(0, FAILED_PER_MINUTE)).toEqual(Array.from({ length: FAILED_PER_MINUTE }, () => 401));
    expect(statuses.at(-1)).toBe(429);
  });

  it('shows what a webhook sends to the byte, with its digest, and gives it as a file; nobody else’s', async () => {
    const [own, foreign] = [await party(), await party()];
    const delivery = await over(own.organization_id);
    const { text } = await get(pageOf(delivery), own.cookie);
    expect(text).toContain('the body of an event');
    const digest = createHash('sha256').update(delivery.body).digest('base64').replaceAll('+', '&#43;');
    expect(text.replaceAll('+', '&#43;')).toContain(digest);
    const file = await get(`${pageOf(delivery)}/body.json`, own.cookie);
    expect(file.headers['content-disposition']).toBe('attachment; filename="body.json"');
    expect(file.text).toBe(delivery.body);
    expect((await get(`${pageOf(delivery)}/body.json`, foreign.cookie)).status).toBe(404);
  });

  it('counts many, sends them again once for a double click, shows how far, and stops', async () => {
    const [own, foreign] = [await party(), await party()];
    const [first, second] = [await over(own.organization_id), await over(own.organization_id)];
    at.clock.advance(1);
    const count = '/portal/ranges/count?state=exhausted&destination=&from=2020-01-31T08:00&until=';
    const { text } = await get(count, own.cookie);
    expect(text).toContain('<h1>2 webhooks</h1>');
    expect(await stateOf(first)).toBe('exhausted');
    const until = /name="until" value="([^"]+)"/.exec(text)?.[1];
    const form = {
      ...(await fieldsOn(count, own.cookie)),
      state: 'exhausted',
      from: '2020-01-31T08:00:00.000Z',
      until,
    };
    const answers = await Promise.all([1, 2].map(() => post('/portal/ranges', form, own.cookie)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    const places = answers.map((answer) => answer.get('Location') ?? '').filter((to) => to.includes('rng_'));
    expect(places).toHaveLength(1);
    const [place = ''] = places;
    expect((await get('/portal/ranges', own.cookie)).text.match(/rng_/g)).toHaveLength(2);
    expect((await get(place, own.cookie)).text).toContain('0 of 2 sent again');
    await at.webhooks.buyer.ranges.continueDue(budgets);
    expect((await get(place, own.cookie)).text).toContain('2 of 2 sent again');
    for (const one of [first, second]) expect(await stateOf(one)).toBe('pending');
    expect((await get(place, foreign.cookie)).status).toBe(404);

    await over(own.organization_id);
    at.clock.advance(1);
    const again = /name="until" value="([^"]+)"/.exec((await get(count, own.cookie)).text)?.[1];
    const more = { ...(await fieldsOn(count, own.cookie)), state: 'exhausted', until: again };
    const to = (await post('/portal/ranges', more, own.cookie)).get('Location') ?? '';
    const stop = await fieldsOn(to, own.cookie);
    expect((await post(`${to}/stop`, stop, own.cookie)).status).toBe(303);
    expect((await get(to, own.cookie)).text).toContain('stopped');
    expect((await get('/portal/ranges/count?state=ended', own.cookie)).status).toBe(422);
  });

  it('shows registrations, ends one once that was confirmed, and tries one with a test event', async () => {
    const [own, foreign] = [await party(), await party()];
    const reader = await party({ scopes: ['webhooks:read'] });
    const runs = at.store.collection(TaskRuns);
    const runOf = async ({ organization_id }: Party) => {
      const run = { ...finishedRun(receiver.url('/hook?secret=1'), at.clock.now()), organization_id };
      await runs.insert(run);
      return run;
    };
    const run = await runOf(own);
    await at.webhooks.notifier.notify(run);
    const place = `/portal/registrations/${run.task_id}/r1`;
    const list = (await get('/portal/registrations', own.cookie)).text;
    expect(list).toContain(place);
    expect(list).not.toContain('secret=1');
    expect((await get('/portal/registrations', foreign.cookie)).text).toContain('There are none.');
    for (const path of [place, `${place}/end`])
      expect((await get(path, foreign.cookie)).text).toBe(
        (await get('/portal/registrations/a/b', foreign.cookie)).text,
      );

    await makeKnown(at.gate, receiver.url(), at.clock.now());
    const tried = await post(`${place}/test`, await fieldsOn(place, own.cookie), own.cookie);
    expect([tried.status, tried.text.includes('took the test event')]).toEqual([200, true]);

    expect((await get(`${place}/end`, own.cookie)).text).toContain('cannot be taken back');
    const form = await fieldsOn(`${place}/end`, own.cookie);
    expect((await post(`${place}/end`, { ...form, _token: 'another' }, own.cookie)).status).toBe(403);
    expect((await runs.get(run.task_id))?.registrations[0]?.ended_at).toBeUndefined();
    expect((await post(`${place}/end`, form, own.cookie)).status).toBe(303);
    expect((await runs.get(run.task_id))?.registrations[0]?.ended_at).toBeDefined();
    const told = (await at.store.collection(Deliveries).find({ where: { task_id: run.task_id } })).rows;
    expect(told.map(({ state }) => state)).toEqual(['ended', 'ended']);

    const theirs = `/portal/registrations/${(await runOf(reader)).task_id}/r1`;
    expect((await get(theirs, reader.cookie)).text).not.toContain('test event');
    const { _token } = await fieldsOn('/portal/sign-out', reader.cookie);
    for (const what of ['end', 'test'])
      expect((await post(`${theirs}/${what}`, { _token, _click: 'x' }, reader.cookie)).status).toBe(403);
  });

  it('draws what became of webhooks, and shows keys by name and last use', async () => {
    const own = await party();
    await over(own.organization_id, { state: 'delivered' });
    for (const range of ['day', 'month']) {
      const { text } = await get(`/portal/success?range=${range}`, own.cookie);
      expect(text).toContain('1 webhooks ended, 1 of them delivered (100.0 %).');
    }
    const { text } = await get('/portal/keys', own.cookie);
    expect(text).toContain(`…${own.key.slice(-4)}`);
    expect(text).not.toContain(own.key);
    expect(text).toContain('/.well-known/jwks.json');
  });

  describe('a one-time link', () => {
    const linkIn = (url: string) => new URL(url).searchParams.get('link') ?? '';
    const made = async (own: Party, api_key_id: string | null) => {
      const asked = { organization_id: own.organization_id, api_key_id, click: randomUUID() };
      return linkIn((await createPortalLink(at, asked, 'http://127.0.0.1')).portal_url);
    };
    const open = (link: string, address = freshAddress()) => post('/portal/sign-in', { link }, '', address);

    it('is made by an API key, opens the portal once however often it is looked at, and may what the key may', async () => {
      const own = await party({ scopes: ['webhooks:read'] });
      const answer = await at.post('/api/buyer/portal-links').set({ Authorization: `Bearer ${own.key}` });
      expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
      const link = linkIn((answer.body as { portal_url: string }).portal_url);
      for (let look = 0; look < 3; look += 1) {
        const page = await get(`/portal/sign-in?link=${link}`);
        expect([page.status, page.get('Set-Cookie'), page.text.includes('Test Organization')]).toEqual([
          ...[200, undefined, true],
        ]);
      }
      const both = await Promise.all([open(link), open(link)]);
      expect(both.map(({ status }) => status).sort()).toEqual([303, 401]);
      const cookie = both.map(cookieIn).find((one) => one !== '') ?? '';
      const delivery = await over(own.organization_id);
      const { text } = await get(pageOf(delivery), cookie);
      expect(text).toContain(delivery.delivery_id);
      expect(text).not.toContain('Send again now');
      expect((await get(`/portal/sign-in?link=${link}`)).status).toBe(401);
      const rows = (await at.store.collection(portalLinks).find({ where: { organization_id: own.organization_id } }))
        .rows;
      expect(rows).toHaveLength(1);
      expect(JSON.stringify(rows)).not.toContain(link);
    });

    it('of a key ends with that key, and so does what it has opened', async () => {
      const own = await party();
      const keys = at.store.collection(apiKeys);
      const [key] = (await keys.find({ where: { key_hash: hashApiKey(own.key) } })).rows;
      const [used, unused] = [await made(own, key?.api_key_id ?? ''), await made(own, key?.api_key_id ?? '')];
      const cookie = cookieIn(await open(used));
      expect((await get('/portal', cookie)).status).toBe(200);
      await keys.update(key?.api_key_id ?? '', (row) => ({ ...row, revoked_at: toTimestamp(at.clock.now()) }));
      expect((await get('/portal', cookie)).status).toBe(401);
      expect((await open(unused)).status).toBe(401);
    });

    it('of an operator opens the portal without a key, until its sessions are ended', async () => {
      const own = await party();
      const other = cookieIn(await open(await made(await party(), null)));
      const [cookie, unused] = [cookieIn(await open(await made(own, null))), await made(own, null)];
      const delivery = await over(own.organization_id);
      expect((await get(pageOf(delivery), cookie)).text).toContain('Send again now');
      // With the one that the key has opened.
      expect(
        await endPortalSessionsOf(at, own.organization_id, () => Promise.reject(new Error('there is no grant'))),
      ).toBe(2);
      expect((await get('/portal', cookie)).status).toBe(401);
      expect((await open(unused)).status).toBe(401);
      expect((await get('/portal', other)).status).toBe(200);
    });

    it('is good for 15 minutes, not while its organization is suspended, and no key of the console', async () => {
      const [own, suspended] = [await party(), await party()];
      const [old, closed] = [await made(own, null), await made(suspended, null)];
      await at.store
        .collection(organizations)
        .update(suspended.organization_id, (one) => ({ ...one, suspended_at: toTimestamp(at.clock.now()) }));
      expect((await open(closed)).status).toBe(401);
      expect((await post('/admin/sign-in', { token: old })).status).not.toBe(303);
      at.clock.advance(15 * 60_000);
      expect((await open(old)).status).toBe(401);
    });

    it('that is wrong counts among the failed credentials of an address', async () => {
      const address = freshAddress();
      const statuses: number[] = [];
      for (let i = 0; i <= FAILED_PER_MINUTE; i += 1) statuses.push((await open(randomUUID(), address)).status);
      expect(statuses).toEqual([...Array.from({ length: FAILED_PER_MINUTE }, () => 401), 429]);
    });

    it('is not made by a person’s token, nor without webhooks:read', async () => {
      const own = await party({ scopes: ['webhooks:write', 'tasks:read'] });
      const refused = await at.post('/api/buyer/portal-links').set({ Authorization: `Bearer ${own.key}` });
      expect(refused.status).toBe(403);
      expect((await at.post('/api/buyer/portal-links')).status).toBe(401);
    });
  });

  it('shows the words of strangers as text', async () => {
    const own = await party({ name: HOSTILE });
    const delivery = await over(own.organization_id, { task_type: HOSTILE });
    const pages = ['/portal', pageOf(delivery), '/portal/receivers', '/portal/ranges', '/portal/keys'];
    for (const page of pages) {
      const { text } = await get(page, own.cookie);
      expect(text).toContain('&#60;img src=x');
      expect(text).not.toMatch(/<img|\u202e|<script/);
    }
  });

  it('runs no script, loads nothing from elsewhere and is kept nowhere', async () => {
    const { cookie } = await party();
    const answer = await get('/portal', cookie);
    expect(answer.headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(answer.headers['cache-control']).toBe('no-store');
    const style = /href="([^"]+\.css)"/.exec(answer.text)?.[1] ?? '';
    expect((await get(style)).status).toBe(200);
    expect((await get('/portal/nowhere', cookie)).status).toBe(404);
  });
});
