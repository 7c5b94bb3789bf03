import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADA, BOB, CLIENT, REDIRECT, startAuthorizationServer } from './support/authorization-server.ts';
import type { AuthorizationServer } from './support/authorization-server.ts';
import { allowInBrowser, freshAddress, openBrowser } from './support/browser.ts';
import type { Browser, Page, Person } from './support/browser.ts';
import { membershipId, memberships } from '../../src/directory/membership/membership.ts';
import { userIdOf } from '../../src/directory/oauth/access-token.ts';
import { newOrganization, organizations } from '../../src/directory/organization/organization.ts';
import { grants } from '../../src/oauth/grant/grant.ts';
import { AUTHORIZE_STYLE_SOURCE } from '../../src/oauth/authorize/pages.ts';
import { developmentSubject } from '../../src/oauth/identity-provider.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { organizationId } from '../support/ids.ts';

let server: AuthorizationServer;
beforeAll(async () => {
  server = await startAuthorizationServer('sqlite');
});
afterAll(() => server.close());

/** Where a request is answered without any person. */
async function refusal(changes: Record<string, string | undefined>): Promise<Record<string, string>> {
  const { location, status } = await openBrowser().open(server.authorizeUrl(changes));
  expect(status).toBe(303);
  return {
    to: `${location?.origin ?? ''}${location?.pathname ?? ''}`,
    ...Object.fromEntries(location?.searchParams ?? []),
  };
}

async function signIn(browser: Browser, { email, password }: Person, url = server.authorizeUrl()): Promise<Page> {
  return browser.submit(await browser.open(url), { email, password });
}

async function consentPage(browser: Browser, url = server.authorizeUrl()): Promise<Page> {
  const { location } = await signIn(browser, ADA, url);
  return browser.open(location?.href ?? '');
}

describe('an authorization request', () => {
  it('[R13] ends at the application with a code, the state as it was sent, and the issuer', async () => {
    const answer = await allowInBrowser(server.authorizeUrl({ state: 'a b&c=d' }), ADA);
    expect(answer.href.startsWith(`${REDIRECT}&`)).toBe(true);
    expect(answer.searchParams.get('from')).toBe('agent');
    expect(answer.searchParams.get('code')).toMatch(/^oac_/);
    expect(answer.searchParams.get('state')).toBe('a b&c=d');
    expect(answer.searchParams.get('iss')).toBe(server.baseUrl);
  });

  it.each([
    [{ client_id: 'nobody' }],
    [{ client_id: undefined }],
    [{ redirect_uri: undefined }],
    [{ redirect_uri: 'https://console.example/callback' }],
    [{ redirect_uri: 'https://console.example/callback?from=agent&more=1' }],
    [{ redirect_uri: 'https://console.example:8443/callback?from=agent' }],
    [{ redirect_uri: 'https://evil.example/callback?from=agent' }],
    [{ redirect_uri: 'https://console.example/callback/../evil?from=agent' }],
    [{ redirect_uri: 'http://localhost:4711/cb' }],
    [{ redirect_uri: 'http://127.0.0.1:4711/other' }],
    [{ redirect_uri: 'http://127.0.0.1:99999/cb' }],
    [{ redirect_uri: 'http://127.0.0.1:65536/cb' }],
  ])('[R13] with %j is refused on a page, and leads nowhere', async (changes) => {
    const { status, location, html } = await openBrowser().open(server.authorizeUrl(changes));
    expect({ status, location }).toEqual({ status: 400, location: undefined });
    expect(html).not.toContain('evil');
  });

  it('may ask to be answered at any port of a registered loopback address (RFC 8252, 7.3)', async () => {
    const redirect_uri = 'http://127.0.0.1:4711/cb';
    const { code, verifier } = await server.code({ redirect_uri });
    expect(await server.exchange({ code, verifier }, { redirect_uri: 'http://127.0.0.1:4712/cb' })).toMatchObject({
      status: 400,
    });
    expect(await server.exchange({ code, verifier }, { redirect_uri })).toMatchObject({ status: 200 });
  });

  it.each([
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'too-short' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: undefined }, 'unsupported_response_type'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ scope: 'everything' }, 'invalid_scope'],
    [{ scope: 'tasks:write' }, 'invalid_scope'],
    [{ resource: 'https://elsewhere.example/api' }, 'invalid_target'],
    [{ request: 'eyJ' }, 'invalid_request'],
  ])('[R13] with %j is refused at the application with %s', async (changes, error) => {
    expect(await refusal(changes)).toMatchObject({
      to: 'https://console.example/callback',
      error,
      state: 'the state',
      iss: server.baseUrl,
    });
  });

  it('with a parameter twice is refused', async () => {
    const { location } = await openBrowser().open(`${server.authorizeUrl()}&scope=a&scope=b`);
    expect(location?.searchParams.get('error')).toBe('invalid_request');
  });

  it('says that nobody can sign in where no accounts are configured', async () => {
    const closed = await startAuthorizationServer('sqlite', { identityProvider: undefined });
    const { location } = await openBrowser().open(closed.authorizeUrl());
    expect(location?.searchParams.get('error')).toBe('temporarily_unavailable');
    await closed.close();
  });
});

describe('signing in', () => {
  it('needs the right password, and says of a wrong one no more than that', async () => {
    const answers = await Promise.all(
      [
        { ...ADA, password: 'wrong' },
        { email: 'nobody@acme.example', password: ADA.password },
        { ...ADA, password: BOB.password },
      ].map((person) => signIn(openBrowser(), person)),
    );
    for (const { status, html } of answers) {
      expect(status).toBe(401);
      expect(html).toContain('The address or the password is wrong.');
    }
  });

  it('keeps the session in a cookie that scripts cannot read and other sites do not send, new after sign-in', async () => {
    const browser = openBrowser();
    const first = await browser.open(server.authorizeUrl());
    const before = browser.cookies.get('oauth_session');
    const signedIn = await browser.submit(first, { ...ADA });
    expect(signedIn.headers.getSetCookie()[0]).toMatch(/; Path=\/oauth; Max-Age=28800; HttpOnly; SameSite=Lax$/);
    expect(browser.cookies.get('oauth_session')).not.toBe(before);
  });

  it('[S2.sign-in] fails ten times for one account from one address and is then refused there, and nowhere else', async () => {
    const there = freshAddress();
    for (let i = 0; i < 10; i++)
      expect((await signIn(openBrowser(there), { ...BOB, password: `wrong ${i}` })).status).toBe(401);
    const refused = await signIn(openBrowser(there), BOB);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await signIn(openBrowser(), BOB)).status).toBe(303);
    expect((await signIn(openBrowser(there), ADA)).status).toBe(303);
  });

  it('does not count attempts that succeed', async () => {
    for (let i = 0; i < 12; i++) expect((await signIn(openBrowser(), ADA)).status).toBe(303);
  });

  it('holds every page to a policy that loads nothing, frames nothing and lets the form lead only to the application', async () => {
    const { headers, html } = await openBrowser().open(server.authorizeUrl());
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src ${AUTHORIZE_STYLE_SOURCE}; form-action 'self' https://console.example; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(html).toContain('Console &lt;b&gt;');
    expect(html).not.toContain('<script');
  });

  it('limits the requests of one address with a page', async () => {
    const browser = openBrowser();
    let last = await browser.open(server.authorizeUrl());
    for (let i = 0; i < 60; i++) last = await browser.open(server.authorizeUrl());
    expect(last.status).toBe(429);
    expect(last.html).toContain('Too many requests');
  });
});

describe('consent', () => {
  it('says who asks for what, where the answer goes, and as whom', async () => {
    const { html } = await consentPage(openBrowser(), server.authorizeUrl({ scope: 'registry:write' }));
    expect(html).toContain('ada@acme.example');
    expect(html).toContain('registry:write');
    expect(html).not.toContain('registry:read');
    expect(html).toContain('console.example');
  });

  it('that is denied is said to the application, and leaves nothing', async () => {
    const browser = openBrowser();
    const { location } = await browser.submit(await consentPage(browser), { decision: 'deny' });
    expect(location?.searchParams.get('error')).toBe('access_denied');
    expect(location?.searchParams.has('code')).toBe(false);
  });

  it('is asked for each request, by a person who signs in once', async () => {
    const browser = openBrowser();
    await allowInBrowser(server.authorizeUrl(), ADA, { browser });
    const { html, status } = await browser.open(server.authorizeUrl());
    expect(status).toBe(200);
    expect(html).toContain('Allow access?');
  });

  it('[R13.one-decision] is given once, however often its form is sent', async () => {
    const browser = openBrowser();
    const page = await consentPage(browser);
    const sent = await Promise.all([1, 2, 3].map(() => browser.submit(page, { decision: 'allow' })));
    const codes = new Set(sent.map(({ location }) => location?.searchParams.get('code')));
    expect(codes.size).toBe(1);
    const id = /^oac_([^.]+)/.exec([...codes][0] ?? '')?.[1] ?? '';
    expect(await server.store.collection(grants).get(id)).toMatchObject({ revision: 1, client_id: CLIENT });
  });

  it('[R13.sign-out] ends with the session, which a person can end', async () => {
    const browser = openBrowser();
    expect((await consentPage(browser)).html).toContain('/oauth/sign-out');
    const asked = await browser.open(`${server.baseUrl}/oauth/sign-out`);
    expect((await browser.open(server.authorizeUrl())).html).toContain('Allow access?');
    const done = await browser.submit(asked, {});
    expect(done).toMatchObject({ status: 200, html: expect.stringContaining('You are signed out') as string });
    expect((await browser.open(server.authorizeUrl())).html).toContain('type="password"');
  });

  it('can be given under another account', async () => {
    const browser = openBrowser();
    const switched = await browser.submit(await consentPage(browser), { decision: 'switch' });
    expect(switched.html).toContain('type="password"');
    expect((await browser.open(server.authorizeUrl())).html).toContain('type="password"');
  });

  it('cannot be forged: a form of another browser, step or time, or none, is refused', async () => {
    const [mine, theirs] = [openBrowser(), openBrowser()];
    const [page] = [await consentPage(mine), await consentPage(theirs)];
    const login = await openBrowser().open(server.authorizeUrl());
    const ticketOf = ({ html }: Page) => /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const stale = await theirs.open(server.authorizeUrl());
    const refused = [
      await theirs.submit(page, { decision: 'allow' }),
      await openBrowser().submit(page, { decision: 'allow' }),
      await mine.submit(page, { decision: 'allow', ticket: ticketOf(login) }),
      await mine.submit(page, { decision: 'allow', ticket: '' }),
      await openBrowser().submit(login, { ...ADA }),
    ];
    server.clock.advance(16 * 60_000);
    refused.push(await theirs.submit(stale, { decision: 'allow' }));
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
    expect(refused.every(({ location }) => location === undefined)).toBe(true);
  });

  it('names the organization a token is for, among the person’s own', async () => {
    const user_id = userIdOf(server.baseUrl, developmentSubject(ADA.email));
    const created_at = toTimestamp(server.clock.now());
    const nobody = await consentPage(openBrowser(), server.authorizeUrl({ resource: `${server.baseUrl}/a2a` }));
    expect(nobody.html).not.toContain('value="allow"');
    for (const organization_id of ['org_one', 'org_two', 'org_theirs'].map(organizationId)) {
      const name = `<${organization_id}>`;
      await server.store
        .collection(organizations)
        .insert(newOrganization({ organization_id, name, state: 'active', created_at }));
    }
    for (const organization_id of ['org_one', 'org_two'].map(organizationId)) {
      const membership_id = membershipId(organization_id, user_id);
      await server.store
        .collection(memberships)
        .insert({ membership_id, organization_id, user_id, role: 'member', created_at, revision: 1 });
    }
    const url = server.authorizeUrl({ resource: `${server.baseUrl}/a2a`, scope: 'tasks:read' });
    const theirs = await allowInBrowser(url, ADA, { choice: { organization_id: 'org_theirs' } });
    expect(theirs.searchParams.get('error')).toBe('access_denied');
    const answer = await allowInBrowser(url, ADA, { choice: { organization_id: 'org_two' } });
    const id = /^oac_([^.]+)/.exec(answer.searchParams.get('code') ?? '')?.[1] ?? '';
    expect(await server.store.collection(grants).get(id)).toMatchObject({
      client_id: CLIENT,
      organization_id: 'org_two',
      resource: `${server.baseUrl}/a2a`,
      scopes: ['tasks:read'],
    });
  });
});
