import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { grants } from '../../src/oauth/grant/grant.ts';

import { oauthRouter } from '../../src/oauth/router.ts';
import { tokenEndpoint } from '../../src/oauth/token/token-endpoint.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { countedIn } from '../../src/platform/intake/read-body.ts';
import { createUnfinishedBytes } from '../../src/platform/intake/unfinished-bytes.ts';
import { serveApp } from '../adservers/http/support/bridge.ts';
import { openBudgets } from '../support/open-budgets.ts';
import { CLIENT, newVerifier, REDIRECT, startAuthorizationServer } from './support/authorization-server.ts';
import { freshAddress } from './support/browser.ts';
import type { AuthorizationServer, TokenAnswer } from './support/authorization-server.ts';
import { describeOnStores } from '../support/stores.ts';

describeOnStores('the token endpoint on %s', (kind) => {
  let server: AuthorizationServer;
  beforeAll(async () => {
    server = await startAuthorizationServer(kind, {
      clients: [{ client_id: 'other', client_name: 'Other', redirect_uris: [REDIRECT] }],
    });
  });
  afterAll(() => server.close());

  const refused = { status: 400, error: 'invalid_grant' };

  it('[R13] gives a short-lived access token that says who, for what, by which key, and never lets it be cached', async () => {
    const answer = await server.tokens({ scope: 'registry:read' });
    expect(answer).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 600, scope: 'registry:read' });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { payload, protectedHeader } = await jwtVerify(answer.access_token, server.keySet.keys, {
      currentDate: new Date(server.clock.now()),
    });
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    expect(payload).toMatchObject({
      iss: server.baseUrl,
      aud: `${server.baseUrl}/api`,
      client_id: CLIENT,
      scope: 'registry:read',
      email: 'ada@acme.example',
      email_verified: true,
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(600);
  });

  it('[R13] takes a code once: the second use ends what came of the first', async () => {
    const code = await server.code();
    const first = await server.exchange(code);
    expect(first.status).toBe(200);
    expect(await server.exchange(code)).toMatchObject(refused);
    expect(await server.refresh(first.refresh_token)).toMatchObject(refused);
  });

  it('[S2.credentials] refuses an address that has shown sixty wrong codes and tokens, and no other', async () => {
    const address = freshAddress();
    const form = { grant_type: 'refresh_token', client_id: CLIENT, refresh_token: 'none' };
    const ask = async (from: string) => {
      const headers = { 'x-forwarded-for': from };
      const answer = await fetch(`${server.baseUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers,
      });
      return { status: answer.status, wait: answer.headers.get('retry-after'), body: await answer.json() };
    };
    const tries = await Promise.all(Array.from({ length: 61 }, () => ask(address)));
    expect(tries.filter(({ status }) => status === 400)).toHaveLength(60);
    const refusal = tries.find(({ status }) => status === 429);
    expect(refusal?.body).toMatchObject({
      error: 'temporarily_unavailable',
      budget: { name: 'failed_credentials', size: 60, free_at: expect.any(String) as string },
    });
    expect(Number(refusal?.wait)).toBeGreaterThan(0);
    expect((await ask(freshAddress())).status).toBe(400);
  });

  it.each([
    ['over a budget of its address', 429, { sizes: { unfinished_bytes: 0.000_005 } }, true],
    ['while the server holds too much', 503, { ofAll: 5 }, false],
  ])(
    '[S2.refusal] spells a refusal for later in one way: %s, with its own status',
    async (_, status, most, isBudget) => {
      const { budgets, close } = openBudgets('sizes' in most ? { sizes: most.sizes } : {});
      const unfinished = createUnfinishedBytes({ budgets, clock: systemClock, ...most });
      const app = express().use((request, _response, next) => {
        countedIn(unfinished, request);
        next();
      });
      const url = await serveApp(app.use(oauthRouter(server.context, server.keySet)));
      const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams({ code: 'x' }) });
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      const body = (await answer.json()) as Record<string, unknown>;
      expect(body).toMatchObject({ error: 'temporarily_unavailable', error_description: expect.any(String) as string });
      expect('budget' in body).toBe(isBudget);
      await close();
    },
  );

  it('[R13] takes a code once when twenty use it at once at two processes', async () => {
    const code = await server.code();
    const answers = await atOnce((where) => server.exchange(code, {}, where));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ error }) => error === 'invalid_grant')).toHaveLength(19);
  });

  it('[R13] gives a new refresh token for each used, and ends the family when a used one comes back', async () => {
    const first = await server.tokens();
    const second = await server.refresh(first.refresh_token);
    const third = await server.refresh(second.refresh_token);
    expect([second.status, third.status]).toEqual([200, 200]);
    expect(new Set([first.refresh_token, second.refresh_token, third.refresh_token]).size).toBe(3);
    expect(await server.refresh(second.refresh_token)).toMatchObject(refused);
    expect(await server.refresh(third.refresh_token)).toMatchObject(refused);
  });

  it('[R13] takes a refresh token once when twenty use it at once at two processes, and then the family is over', async () => {
    const { refresh_token } = await server.tokens();
    const answers = await atOnce((where) => server.refresh(refresh_token, {}, where));
    const [won] = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ error }) => error === 'invalid_grant')).toHaveLength(19);
    expect(await server.refresh(won?.refresh_token)).toMatchObject(refused);
  });

  it('refuses a code with another verifier, redirect, client or resource, and takes it all the same when all is right', async () => {
    const code = await server.code();
    expect(await server.exchange({ ...code, verifier: newVerifier() })).toMatchObject(refused);
    expect(await server.exchange(code, { redirect_uri: 'http://127.0.0.1/cb' })).toMatchObject(refused);
    expect(await server.exchange(code, { client_id: 'other' })).toMatchObject(refused);
    const elsewhere = { resource: `${server.baseUrl}/a2a` };
    expect(await server.exchange(code, elsewhere)).toMatchObject({ status: 400, error: 'invalid_target' });
    expect(await server.exchange(code, { resource: `${server.baseUrl}/api` })).toMatchObject({ status: 200 });
  });

  it('refuses a code without its verifier: PKCE is no choice', async () => {
    const { code } = await server.code();
    const form = { grant_type: 'authorization_code', client_id: CLIENT, redirect_uri: REDIRECT, code };
    expect(await server.post('/oauth/token', form)).toMatchObject({ status: 400, error: 'invalid_request' });
  });

  it.each(['', 'nonsense', 'oac_x.0.' + 'A'.repeat(43), 'x'.repeat(1999)])(
    'refuses the made-up code %j',
    async (code) => {
      const answer = await server.exchange({ code, verifier: newVerifier() });
      expect(answer).toMatchObject({ status: 400, error: code === '' ? 'invalid_request' : 'invalid_grant' });
    },
  );

  it('refuses a code after a minute, and a refresh token after thirty days without use', async () => {
    const code = await server.code();
    server.clock.advance(61_000);
    expect(await server.exchange(code)).toMatchObject(refused);
    const { refresh_token } = await server.tokens();
    server.clock.advance(30 * 86_400_000 - 1000);
    const used = await server.refresh(refresh_token);
    expect(used.status).toBe(200);
    server.clock.advance(30 * 86_400_000 + 1000);
    expect(await server.refresh(used.refresh_token)).toMatchObject(refused);
  });

  it('ends a family ninety days after it began, however often it is used', async () => {
    let { refresh_token } = await server.tokens();
    for (let month = 0; month < 3; month++) {
      server.clock.advance(29 * 86_400_000);
      ({ refresh_token } = await server.refresh(refresh_token));
    }
    server.clock.advance(4 * 86_400_000);
    expect(await server.refresh(refresh_token)).toMatchObject(refused);
  });

  it('lets a refresh narrow the scopes and never widen them', async () => {
    const { refresh_token } = await server.tokens({ scope: 'registry:read registry:write' });
    const narrow = await server.refresh(refresh_token, { scope: 'registry:read' });
    expect(narrow).toMatchObject({ status: 200, scope: 'registry:read' });
    expect(decodeJwt(narrow.access_token)['scope']).toBe('registry:read');
    const wide = await server.refresh(narrow.refresh_token, { scope: 'registry:read tasks:write' });
    expect(wide).toMatchObject({ status: 400, error: 'invalid_scope' });
    expect(await server.refresh(narrow.refresh_token)).toMatchObject({
      status: 200,
      scope: 'registry:read registry:write',
    });
  });

  it('a made-up refresh token ends nothing', async () => {
    const { refresh_token } = await server.tokens();
    const forged = refresh_token.replace(/\.1\./, '.2.');
    expect(await server.refresh(forged)).toMatchObject(refused);
    expect(await server.refresh(refresh_token, { client_id: 'other' })).toMatchObject(refused);
    expect(await server.refresh(refresh_token)).toMatchObject({ status: 200 });
  });

  it('revokes by either token, says so whatever the token is, and ends nothing for another client (RFC 7009)', async () => {
    const byRefresh = await server.tokens();
    const other = { token: byRefresh.refresh_token, client_id: 'other' };
    expect((await server.post('/oauth/revoke', other)).status).toBe(200);
    expect(await server.refresh(byRefresh.refresh_token)).toMatchObject({ status: 200 });
    const byAccess = await server.tokens();
    for (const token of [byAccess.access_token, 'unheard of']) {
      expect((await server.post('/oauth/revoke', { token, client_id: CLIENT })).status).toBe(200);
    }
    expect(await server.refresh(byAccess.refresh_token)).toMatchObject(refused);
    const third = await server.tokens();
    const form = { token: third.refresh_token, client_id: CLIENT, token_type_hint: 'refresh_token' };
    expect((await server.post('/oauth/revoke', form)).status).toBe(200);
    expect(await server.refresh(third.refresh_token)).toMatchObject(refused);
  });

  it.each([
    [{ grant_type: 'password', client_id: CLIENT }, 400, 'unsupported_grant_type'],
    [{ client_id: CLIENT }, 400, 'invalid_request'],
    [{ grant_type: 'refresh_token', client_id: 'nobody', refresh_token: 'x' }, 401, 'invalid_client'],
    [{ grant_type: 'refresh_token', refresh_token: 'x' }, 400, 'invalid_request'],
  ])('refuses %j with %i %s', async (form, status, error) => {
    expect(await server.post('/oauth/token', form as Record<string, string>)).toMatchObject({ status, error });
  });

  it('refuses a field that is sent twice, a body that is no form, and a secret', async () => {
    const twice = new URLSearchParams([
      ['grant_type', 'refresh_token'],
      ['client_id', CLIENT],
      ['client_id', 'other'],
      ['refresh_token', 'x'],
    ]);
    expect(await server.post('/oauth/token', twice)).toMatchObject({ status: 400, error: 'invalid_request' });
    const url = `${server.baseUrl}/oauth/token`;
    const json = await fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
    expect(json.status).toBe(400);
    const secret = await fetch(url, { method: 'POST', headers: { authorization: 'Basic eDp5' } });
    expect(secret.status).toBe(401);
    expect(secret.headers.get('www-authenticate')).toContain('Basic');
  });

  it('[R13.rotation] goes on with refresh tokens and codes of a former secret, and gives new ones under the present one', async () => {
    const [tokens, code] = [await server.tokens(), await server.code()];
    const secret = 'another secret of this test that is long enough';
    const rotated = tokenEndpoint({ ...server.context, secret, formerSecrets: [server.context.secret] }, server.keySet);
    const refresh = { grant_type: 'refresh_token', client_id: CLIENT };
    const next = (await rotated.token({ ...refresh, refresh_token: tokens.refresh_token })) as TokenAnswer;
    const after = tokenEndpoint({ ...server.context, secret, formerSecrets: [] }, server.keySet);
    expect(await after.token({ ...refresh, refresh_token: next.refresh_token })).toMatchObject({
      token_type: 'Bearer',
    });
    const exchange = { grant_type: 'authorization_code', client_id: CLIENT, redirect_uri: REDIRECT };
    const given = { ...exchange, code: code.code, code_verifier: code.verifier };
    await expect(after.token(given)).rejects.toMatchObject({ code: 'invalid_grant' });
    expect(await rotated.token(given)).toMatchObject({ token_type: 'Bearer' });
  });

  it('keeps neither codes nor refresh tokens in the store', async () => {
    const code = await server.code();
    const { refresh_token } = await server.exchange(code);
    const id = /^oac_([^.]+)\./.exec(code.code)?.[1] ?? '';
    const row = JSON.stringify(await server.store.collection(grants).get(id));
    expect(row).toContain(id);
    for (const token of [code.code, refresh_token]) expect(row).not.toContain(token.split('.').at(-1));
  });

  it('publishes its own keys, apart from those of webhooks, with nothing private in them', async () => {
    const { kid } = decodeProtectedHeader((await server.tokens()).access_token);
    const response = await fetch(`${server.baseUrl}/oauth/jwks.json`);
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
    expect(keys.find((key) => key['kid'] === kid)).toMatchObject({
      use: 'sig',
      alg: 'ES256',
      proto_use: 'access-token-signing',
    });
    expect(keys.every((key) => !('d' in key))).toBe(true);
  });

  async function atOnce(use: (where: string) => Promise<TokenAnswer>): Promise<TokenAnswer[]> {
    return Promise.all(Array.from({ length: 20 }, (_, i) => use(i % 2 === 0 ? server.baseUrl : server.otherUrl)));
  }
});
