import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formToken } from '../../src/admin/console/form-token.ts';
import { consoleSessions } from '../../src/admin/session.ts';
import { signInLinks } from '../../src/admin/sign-in-link.ts';
import { startConsole } from './support/console.ts';
import type { Console } from './support/console.ts';

let at: Console;

beforeEach(async () => {
  at = await startConsole();
});
afterEach(() => at.close());

const pathOf = (link: string) => link.slice(new URL(link).origin.length);
/** Sends the form of a link's page, as it is sent from there. */
const redeem = (link: string) =>
  request(at.app)
    .post('/admin/sign-in')
    .set('Sec-Fetch-Site', 'same-origin')
    .type('form')
    .send({ token: new URL(link).searchParams.get('token') });
const follow = async () => redeem(await at.signInLink());
const signOutForm = (cookie: string) => ({ _token: formToken(cookie.slice('console_session='.length), '/sign-out') });
const signedIn = async () => (await follow()).get('Set-Cookie')?.[0]?.split(';')[0] ?? '';

describe('the one-time link into the console', () => {
  it('signs in and leads to the console, with a cookie that scripts and other sites cannot use', async () => {
    const answer = await follow();
    expect(answer.status).toBe(303);
    expect(answer.headers['location']).toBe('/admin');
    const cookie = answer.get('Set-Cookie')?.[0] ?? '';
    expect(cookie).toMatch(/^console_session=[A-Za-z0-9_-]{43}; Path=\/admin; Max-Age=43200; HttpOnly; SameSite=Lax$/);
    const page = await request(at.app).get('/admin/queues').set('Cookie', cookie);
    expect(page.status).toBe(200);
    expect(page.text).toContain('__UI_CONFIG__');
  });

  it('works once only, also when twenty follow it at once', async () => {
    const link = await at.signInLink();
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(link)));
    expect(answers.filter((answer) => answer.status === 303)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(19);
    expect((await redeem(link)).status).toBe(401);
    expect((await request(at.app).get(pathOf(link))).status).toBe(401);
  });

  it('says whom it signs in, and is used up by the form alone, not by what looks at links in mail', async () => {
    const link = await at.signInLink();
    await request(at.app).head(pathOf(link));
    const page = await request(at.app).get(pathOf(link));
    expect(page.status).toBe(200);
    expect(page.text).toContain('<bdi>OPERATOR_API_KEY</bdi>');
    expect(page.get('Set-Cookie')).toBeUndefined();
    expect((await redeem(link)).status).toBe(303);
  });

  it('is not redeemed by the form of another site', async () => {
    const token = new URL(await at.signInLink()).searchParams.get('token');
    const forged = request(at.app).post('/admin/sign-in').set('Sec-Fetch-Site', 'cross-site').type('form');
    expect((await forged.send({ token })).status).toBe(403);
  });

  it('[S1] is not looked for in a form that is too large or no form', async () => {
    const link = await at.signInLink();
    const token = new URL(link).searchParams.get('token') ?? '';
    const send = (body: string) =>
      request(at.app).post('/admin/sign-in').set('Sec-Fetch-Site', 'same-origin').type('form').send(body);
    const large = await send(`token=${token}&more=${'x'.repeat(6_000)}`);
    expect([large.status, large.text.includes('send at most 5120 bytes')]).toEqual([413, true]);
    expect((await send(`token=${token}${'&more=x'.repeat(20)}`)).status).toBe(400);
    expect((await send(`token=${token}`).type('json')).status).toBe(401);
    expect((await redeem(link)).status).toBe(303);
  });

  it('is good for 15 minutes and no longer', async () => {
    const [early, late] = [await at.signInLink(), await at.signInLink()];
    at.clock.advance(15 * 60_000 - 1);
    expect((await redeem(early)).status).toBe(303);
    at.clock.advance(1);
    expect((await redeem(late)).status).toBe(401);
  });

  it('and its session are stored as hashes only', async () => {
    const link = await at.signInLink();
    const token = new URL(link).searchParams.get('token') ?? '';
    const cookie = (await redeem(link)).get('Set-Cookie')?.[0] ?? '';
    const session = /=([^;]+)/.exec(cookie)?.[1] ?? '';
    expect(await at.store.collection(signInLinks).get(token)).toBeUndefined();
    expect(await at.store.collection(consoleSessions).get(session)).toBeUndefined();
  });

  it.each(['', '?token=', '?token=wrong', '?token[]=a&token[]=b'])('refuses /admin/sign-in%s', async (query) => {
    const answer = await request(at.app).get(`/admin/sign-in${query}`);
    expect(answer.status).toBe(401);
    expect(answer.get('Set-Cookie')).toBeUndefined();
  });
});

describe('the console without a session', () => {
  it.each([
    '/admin',
    '/admin/',
    '/admin/queues',
    '/admin/queues/api/queues',
    '/admin/queues/static/js/x.js',
    '/admin/no',
  ])('answers %s with 401 and a page that says how to get in', async (path) => {
    const answer = await request(at.app).get(path);
    expect(answer.status).toBe(401);
    expect(answer.text).toContain('one-time link');
    expect(answer.text).toContain('npm run agent -- sign-in');
  });

  it.each(['console_session=', 'console_session=wrong', 'other=1', 'console_session'])(
    'believes no made-up cookie: %s',
    async (cookie) => {
      expect((await request(at.app).get('/admin/queues').set('Cookie', cookie)).status).toBe(401);
    },
  );

  it('is what a session becomes after 12 hours', async () => {
    const cookie = await signedIn();
    const look = async () => (await request(at.app).get('/admin/queues').set('Cookie', cookie)).status;
    for (let hour = 1; hour < 12; hour++) {
      at.clock.advance(3_600_000);
      expect(await look()).toBe(200);
    }
    at.clock.advance(3_600_000 - 1);
    expect(await look()).toBe(200);
    at.clock.advance(1);
    expect(await look()).toBe(401);
  });

  it('is what a session becomes after 2 hours without use', async () => {
    const cookie = await signedIn();
    const look = async () => (await request(at.app).get('/admin/queues').set('Cookie', cookie)).status;
    at.clock.advance(2 * 3_600_000 - 1);
    expect(await look()).toBe(200);
    at.clock.advance(2 * 3_600_000);
    expect(await look()).toBe(401);
  });

  it('is what a session becomes on signing out', async () => {
    const cookie = await signedIn();
    const page = await request(at.app).get('/admin/sign-out').set('Cookie', cookie);
    expect(page.text).toContain(`name="_token" value="${signOutForm(cookie)._token}"`);
    const out = await request(at.app)
      .post('/admin/sign-out')
      .set('Cookie', cookie)
      .set('Sec-Fetch-Site', 'same-origin')
      .type('form')
      .send(signOutForm(cookie));
    expect(out.status).toBe(200);
    expect(out.get('Set-Cookie')?.[0]).toContain('Max-Age=0');
    expect((await request(at.app).get('/admin/queues').set('Cookie', cookie)).status).toBe(401);
  });
});

describe('a change in the console', () => {
  const signOut = async (headers: Record<string, string>) => {
    const cookie = await signedIn();
    return request(at.app)
      .post('/admin/sign-out')
      .set('Cookie', cookie)
      .set(headers)
      .type('form')
      .send(signOutForm(cookie));
  };

  it.each([
    ['the browser says it is of this origin', { 'Sec-Fetch-Site': 'same-origin' }],
    ['an older browser names this origin', { Origin: 'SELF' }],
  ])('is made when %s', async (_when, headers) => {
    const own = Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, v === 'SELF' ? at.baseUrl : v]));
    expect((await signOut(own)).status).toBe(200);
  });

  it.each([
    ['nothing says where it comes from', {}],
    ['another site asks', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a sister host of the same site asks', { 'Sec-Fetch-Site': 'same-site' }],
    ['another origin asks', { Origin: 'https://evil.example' }],
    ['an opaque origin asks', { Origin: 'null' }],
    [
      'the browser calls it cross-site though the origin looks right',
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'SELF' },
    ],
  ])('is refused with 403 when %s', async (_when, headers) => {
    const own = Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, v === 'SELF' ? at.baseUrl : v]));
    expect((await signOut(own as Record<string, string>)).status).toBe(403);
  });
});

describe('every answer of the console', () => {
  it('forbids frames, scripts from elsewhere and caching', async () => {
    const cookie = await signedIn();
    for (const answer of [
      await request(at.app).get('/admin/queues').set('Cookie', cookie),
      await request(at.app).get('/admin'),
    ]) {
      const csp = String(answer.headers['content-security-policy']);
      for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
        expect(csp.split('; ')).toContain(part);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['x-powered-by']).toBeUndefined();
    }
  });
});

describe('the console behind https', () => {
  it('[S5.console-cookie] keeps its session in a cookie of this very host, and knows none by the name that plain HTTP has', async () => {
    const secure = await startConsole({ publicUrl: 'https://agent.example' });
    const link = await secure.signInLink();
    expect(link.startsWith('https://agent.example/admin/sign-in?token=')).toBe(true);
    const token = new URL(link).searchParams.get('token');
    const form = request(secure.app).post('/admin/sign-in').set('Sec-Fetch-Site', 'same-origin').type('form');
    const answer = await form.send({ token });
    const cookie = answer.get('Set-Cookie')?.[0] ?? '';
    expect(cookie).toMatch(
      /^__Host-console=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
    );
    const [kept = ''] = cookie.split(';');
    const look = async (sent: string) => (await request(secure.app).get('/admin/queues').set('Cookie', sent)).status;
    expect([await look(kept), await look(kept.replace('__Host-console', 'console_session'))]).toEqual([200, 401]);
    const out = await request(secure.app)
      .post('/admin/sign-out')
      .set({ Cookie: kept, 'Sec-Fetch-Site': 'same-origin' })
      .type('form')
      .send({ _token: formToken(kept.slice('__Host-console='.length), '/sign-out') });
    expect(out.get('Set-Cookie')?.[0]).toMatch(/^__Host-console=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax; Secure$/);
    await secure.close();
  });
});
