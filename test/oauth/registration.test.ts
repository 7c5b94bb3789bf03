import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registeredClients } from '../../src/oauth/client/client.ts';
import { isRegisteredUri, redirectUriProblem } from '../../src/oauth/client/redirect-uri.ts';
import { ADA, newVerifier, startAuthorizationServer, challengeOf } from './support/authorization-server.ts';
import type { AuthorizationServer } from './support/authorization-server.ts';
import { allowInBrowser, freshAddress, openBrowser } from './support/browser.ts';

describe('an application’s registration', () => {
  let server: AuthorizationServer;
  beforeAll(async () => {
    server = await startAuthorizationServer('sqlite', { isRegistrationOpen: true });
  });
  afterAll(() => server.close());

  async function register(body: unknown, address = freshAddress()): Promise<Record<string, unknown>> {
    const response = await fetch(`${server.baseUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(body),
    });
    return { status: response.status, ...((await response.json()) as Record<string, unknown>) };
  }

  const redirect_uris = ['https://app.example/cb'];

  it('is taken as that of a public application, whatever it asked for', async () => {
    const answer = await register({
      redirect_uris,
      client_name: 'App',
      token_endpoint_auth_method: 'client_secret_basic',
      logo_uri: 'x',
    });
    expect(answer).toMatchObject({
      status: 201,
      redirect_uris,
      client_name: 'App',
      token_endpoint_auth_method: 'none',
    });
    expect(answer).not.toHaveProperty('client_secret');
  });

  it.each([
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{}, 'invalid_redirect_uri'],
    [{ redirect_uris: ['http://app.example/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris, token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    [{ redirect_uris, grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ redirect_uris, response_types: ['token'] }, 'invalid_client_metadata'],
    [{ redirect_uris, client_name: 'x'.repeat(101) }, 'invalid_client_metadata'],
    [{ redirect_uris, client_name: 'App \u202egnp.exe' }, 'invalid_client_metadata'],
    [{ redirect_uris, client_name: '\u2066App' }, 'invalid_client_metadata'],
    [{ redirect_uris, client_name: 'A\u200bpp' }, 'invalid_client_metadata'],
    [[], 'invalid_client_metadata'],
  ])('as %j is refused', async (body, error) => {
    expect(await register(body)).toMatchObject({ status: 400, error });
  });

  it('[R13.self-registered] is told to the person who is asked, also where its name was taken in a time that allowed more', async () => {
    const { client_id } = await register({ redirect_uris, client_name: 'App' });
    const rows = server.store.collection(registeredClients);
    await rows.update(String(client_id), (row) => ({ ...row, client_name: '\u202eppA' }));
    const url = server.authorizeUrl({ client_id: String(client_id), redirect_uri: redirect_uris[0] });
    const browser = openBrowser();
    const { location } = await browser.submit(await browser.open(url), { ...ADA });
    const { html } = await browser.open(location?.href ?? '');
    expect(html).toContain('This application registered itself');
    expect(html).toContain('<bdi>ppA</bdi>');
    const { html: own } = await openBrowser().open(server.authorizeUrl());
    expect(own).not.toContain('registered itself');
  });

  it('is forgotten after a day unless somebody allowed it something', async () => {
    const [used, unused] = [await register({ redirect_uris }), await register({ redirect_uris })];
    const asks = ({ client_id }: Record<string, unknown>) =>
      server.authorizeUrl({ client_id: String(client_id), redirect_uri: redirect_uris[0] });
    await allowInBrowser(asks(used), ADA);
    server.clock.advance(25 * 3_600_000);
    expect((await openBrowser().open(asks(used))).status).toBe(200);
    expect((await openBrowser().open(asks(unused))).status).toBe(400);
  });

  it('is limited to ten an hour from one address', async () => {
    const address = freshAddress();
    const statuses = [];
    for (let i = 0; i < 11; i++) statuses.push((await register({ redirect_uris }, address))['status']);
    expect(statuses).toEqual([...Array<number>(10).fill(201), 429]);
  });

  it('is not possible unless configured, and not offered then', async () => {
    const closed = await startAuthorizationServer('sqlite');
    const response = await fetch(`${closed.baseUrl}/oauth/register`, { method: 'POST' });
    expect(response.status).toBe(404);
    const metadata = await fetch(`${closed.baseUrl}/.well-known/oauth-authorization-server`);
    expect(await metadata.json()).not.toHaveProperty('registration_endpoint');
    await closed.close();
  });

  it('binds the code to what was registered: another application cannot use it', async () => {
    const { client_id } = await register({ redirect_uris });
    const verifier = newVerifier();
    const url = server.authorizeUrl({
      client_id: String(client_id),
      redirect_uri: redirect_uris[0],
      code_challenge: challengeOf(verifier),
    });
    const code = (await allowInBrowser(url, ADA)).searchParams.get('code') ?? '';
    const redirect_uri = redirect_uris[0] ?? '';
    expect(await server.exchange({ code, verifier }, { redirect_uri })).toMatchObject({ error: 'invalid_grant' });
    const own = await server.exchange({ code, verifier }, { redirect_uri, client_id: String(client_id) });
    expect(own.status).toBe(200);
  });
});

describe('a redirect URI', () => {
  it.each([
    'https://app.example/cb?x=1',
    'http://127.0.0.1/cb',
    'http://[::1]:8080/cb',
    'http://localhost:3000/callback',
    'com.example.app:/oauth',
  ])('%s is allowed', (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined();
  });

  it.each([
    '/cb',
    'http://app.example/cb',
    'https://app.example/cb#x',
    'https://app.example/cb#',
    'https://user@app.example/cb',
    'https://app.example\\@evil.example/cb',
    'https://app.example/c b',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'myapp:/cb',
    'http://127.0.0.1.evil.example/cb',
    'https://a;sandbox/cb',
    'https://a,b.example/cb',
    "https://a'b.example/cb",
    'com.example.app://a;sandbox/cb',
    'http://127.0.0.1:99999/cb',
    `https://app.example/${'x'.repeat(500)}`,
  ])('%s is refused', (uri) => {
    expect(redirectUriProblem(uri)).toMatch(/^must /);
  });

  it.each([
    ['https://app.example/cb', 'https://app.example/cb', true],
    ['https://app.example/cb', 'https://app.example/cb/', false],
    ['https://app.example/cb', 'https://APP.example/cb', false],
    ['https://app.example/cb', 'https://app.example:444/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:50000/cb', true],
    ['http://127.0.0.1:3000/cb', 'http://127.0.0.1/cb', true],
    ['http://[::1]/cb?x=1', 'http://[::1]:9/cb?x=1', true],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:50000/cb?x=1', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:1@evil.example/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example/cb', false],
    ['http://127.0.0.1/cb', 'http://localhost/cb', false],
    ['http://localhost:3000/cb', 'http://localhost:3001/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:99999/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:65536/cb', false],
    ['http://127.0.0.1:99999/cb', 'http://127.0.0.1:99999/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:5/cb#x', false],
    ['https://a;sandbox/cb', 'https://a;sandbox/cb', false],
  ])('registered as %s and asked for as %s: %s', (registered, requested, matches) => {
    expect(isRegisteredUri([registered], requested)).toBe(matches);
  });
});
