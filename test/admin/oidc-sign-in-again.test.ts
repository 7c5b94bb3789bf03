import { randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPerson } from '../../src/directory/operator/person.ts';
import { testClock } from '../directory/support/installation.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { formsIn, textOf } from './console/support/visitor.ts';
import { openConsoleBrowser } from './support/console-browser.ts';
import type { ConsoleBrowser } from './support/console-browser.ts';
import { CLIENT, openIdentityProvider } from './support/identity-provider.ts';
import type { IdentityProvider } from './support/identity-provider.ts';

const MINUTE = 60_000;
const NEW_KEY = '/admin/buyers/org_demo_buyer/keys/new';

describe('[O1.fresh] a sign-in of late at the identity provider', () => {
  const clock = testClock();
  let provider: IdentityProvider;
  let agent: TestAgent;
  beforeAll(async () => {
    provider = await openIdentityProvider(clock);
    agent = await startTestAgent('sqlite', {
      ...{ working: false, clock },
      env: {
        OPERATOR_OIDC_ISSUER: provider.issuer,
        OPERATOR_OIDC_CLIENT_ID: CLIENT.clientId,
        OPERATOR_OIDC_CLIENT_SECRET: CLIENT.clientSecret,
        SIGN_IN_LINKS: 'false',
      },
    });
    const email = 'ada@publisher.example';
    await addPerson(agent.core, { name: 'Ada', email, role: 'admin', by: 'a test', click: randomUUID() });
    provider.person = { sub: 'ada', email, email_verified: true };
  });
  afterAll(async () => {
    await agent.stop();
    await provider.close();
  });

  const says = (claims: Record<string, unknown>) => {
    provider.claims = (good: JWTPayload) => ({ ...good, ...claims });
  };
  const seconds = () => Math.floor(clock.now() / 1000);
  const cookieOf = ({ jar }: ConsoleBrowser) => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  /** To the provider and back. */
  async function signIn(by: ConsoleBrowser, again = '') {
    const away = await by.get(`/admin/sign-in/oidc${again}`);
    const back = await by.get((await by.get(away.location)).location);
    return { away: new URL(away.location).searchParams, back };
  }
  async function send(by: ConsoleBrowser, page: string, given: Record<string, string> = {}) {
    const fields = page === NEW_KEY ? { scopes: 'tasks:read', ...given } : given;
    const [form] = formsIn((await by.get(page)).text);
    if (form === undefined) throw new Error(`${page} has no form`);
    const answer = await fetch(`${agent.baseUrl}${form.action}`, {
      ...{ method: 'POST', redirect: 'manual' },
      headers: { cookie: cookieOf(by), 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ ...form.fields, ...fields }),
    });
    return { status: answer.status, to: answer.headers.get('location'), text: await answer.text() };
  }

  it('counts from when they proved there who they are, not from when they came back', async () => {
    const by = openConsoleBrowser(agent.baseUrl);
    says({ auth_time: seconds() - 10 * 60 });
    expect((await signIn(by)).away.has('max_age')).toBe(false);
    expect((await send(by, NEW_KEY, { name: 'of late' })).status).toBe(200);
    clock.advance(6 * MINUTE);
    expect(await send(by, NEW_KEY, { name: 'too old' })).toMatchObject({ status: 303, to: '/admin/sign-in-again' });
    // Whoever does not say when it was, says nothing of late.
    says({});
    await signIn(by);
    expect((await send(by, NEW_KEY, { name: 'who knows' })).status).toBe(303);
  });

  it('is asked for by max_age and prompt, and leads back to the form as it was typed', async () => {
    const by = openConsoleBrowser(agent.baseUrl);
    says({ auth_time: seconds() - 3600 });
    await signIn(by);
    expect((await send(by, NEW_KEY, { name: 'typed before' })).to).toBe('/admin/sign-in-again');
    const page = await by.get('/admin/sign-in-again');
    expect(page.text).toContain('href="/admin/sign-in/oidc?again"');
    expect(page.text).not.toContain('agent -- sign-in');
    says({ auth_time: seconds() });
    const { away, back } = await signIn(by, '?again');
    expect([away.get('max_age'), away.get('prompt')]).toEqual(['900', 'login']);
    expect([back.status, back.location]).toEqual([303, '/admin/sign-in-again']);
    expect(textOf((await by.get('/admin/sign-in-again')).text)).toContain('typed before');
    const done = await send(by, '/admin/sign-in-again');
    expect([done.status, done.text.includes('shown this once')]).toEqual([200, true]);
  });

  it.each([
    ['says nothing of when', () => ({})],
    ['says that it was long ago', () => ({ auth_time: seconds() - 16 * 60 })],
    ['says that it is still to come', () => ({ auth_time: seconds() + 600 })],
    ['says it in no number', () => ({ auth_time: String(seconds()) })],
  ])('is not taken from a provider that %s; the session goes on as it was', async (_what, claims) => {
    const by = openConsoleBrowser(agent.baseUrl);
    says({ auth_time: seconds() - 3600 });
    await signIn(by);
    await send(by, NEW_KEY, { name: 'never' });
    says(claims());
    const { back } = await signIn(by, '?again');
    expect([back.status, back.text.includes('did not ask you anew')]).toEqual([403, true]);
    expect(back.text).toContain('href="/admin/sign-in/oidc?again"');
    expect((await by.get('/admin')).status).toBe(200);
    expect((await by.get('/admin/sign-in-again')).text).toContain('Nothing has been done yet');
  });
});
