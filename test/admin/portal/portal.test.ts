import { randomUUID } from 'node:crypto';
import request from 'supertest';
import type { Test } from 'supertest';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { portalRouter } from '../../../src/admin/portal/portal-router.tsx';
import { formToken } from '../../../src/admin/console/form-token.ts';
import { adminRouter } from '../../../src/admin/router.ts';
import { createSignInLink, hashToken } from '../../../src/admin/sign-in-link.ts';
import { portalSessions } from '../../../src/admin/portal/portal-session.ts';
import { apiKeys, hashApiKey } from '../../../src/directory/api-key/api-key.ts';
import { authenticator } from '../../../src/directory/api-key/authenticator.ts';
import type { Scope } from '../../../src/directory/caller.ts';
import { organizations } from '../../../src/directory/organization/organization.ts';
import { noCounters } from '../../../src/platform/metrics/metrics.ts';
import { createBudgets } from '../../../src/platform/budget/budgets.ts';
import { createRateLimiter } from '../../../src/platform/redis/rate-limit-redis.ts';
import type { RateLimiter } from '../../../src/platform/redis/rate-limit.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import type { OrganizationId } from '../../../src/platform/organization-id.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { silent } from '../../directory/support/installation.ts';
import { freshAddress, startRegistry } from '../../registry/support/registry.ts';
import type { Registry } from '../../registry/support/registry.ts';
import { slowWindows } from '../../support/slow-windows.ts';
import { describeOnStores } from '../../support/stores.ts';
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
    const keys = at.store.collection(apiKeys);
    const deps = {
      ...{ ...at, log: silent, webhooks: at.webhooks },
      budgets: createBudgets({ limiter, clock: at.clock, counters: noCounters, sizes }),
      authenticator: authenticator({ ...at, keys, log: silent }),
    };
    app = express();
    app.set('trust proxy', true);
    app.use('/portal', portalRouter({ ...deps, baseUrl: () => 'http://127.0.0.1' }));
    app.use('/secure', portalRouter({ ...deps, baseUrl: () => 'https://sales.example' }));
    app.use('/admin', adminRouter({ ...at, bullQueues: () => [], baseUrl: () => 'http://127.0.0.1' }));
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
    for (const page of [list, await get(pageOf(ours), own.cookie)]) {
      expect(page.text).not.toContain('secret=1');
      expect(page.text).not.toContain('the body of an event');
    }
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

  it('shows the words of strangers as text', async () => {
    const own = await party({ name: HOSTILE });
    const delivery = await over(own.organization_id, { task_type: HOSTILE });
    for (const page of ['/portal', pageOf(delivery), '/portal/receivers']) {
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
