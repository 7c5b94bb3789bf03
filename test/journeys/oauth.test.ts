import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterEach, expect, it } from 'vitest';
import { organizations } from '../../src/directory/organization/organization.ts';
import { allowInBrowser } from '../oauth/support/browser.ts';
import type { Person } from '../oauth/support/browser.ts';
import { errorOf, mediaBuyInput, post, send, taskOf } from './support/buyer.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';
import { accessToken, APP, callAsUser, loginEnv, person } from './support/user.ts';
import { describeOnStores } from '../support/stores.ts';

let agent: TestAgent | undefined;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await agent?.stop();
  for (const close of closing.splice(0)) await close();
});

const ADA = person('ada@acme-outdoor.com');
const BOB = person('bob@bolt-media.com');

describeOnStores('access tokens at a whole agent on %s', (store) => {
  it('[R13] [C.auth.tokens] [C.auth.metadata] oauth4webapi finds the way from the API to a token by metadata alone, and with it an organization is made', async () => {
    agent = await startTestAgent(store, { working: false, env: loginEnv([ADA]) });
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so to stand out; this agent is on loopback
    const insecure = { [oauth.allowInsecureRequests]: true };
    const api = new URL(`${agent.baseUrl}/api`);
    const resource = await oauth.processResourceDiscoveryResponse(
      api,
      await oauth.resourceDiscoveryRequest(api, insecure),
    );
    expect(resource.authorization_servers).toEqual([agent.baseUrl]);
    const issuer = new URL(resource.authorization_servers?.[0] ?? '');
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );
    expect(server.issuer).toBe(resource.authorization_servers?.[0]);

    const client: oauth.Client = { client_id: APP.client_id };
    const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
    const redirect_uri = 'http://127.0.0.1:5000/done';
    const url = new URL(server.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      ...{ response_type: 'code', client_id: client.client_id, redirect_uri, state, resource: api.href },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const answer = oauth.validateAuthResponse(server, client, await allowInBrowser(url, ADA), state);
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), answer, redirect_uri, verifier, insecure),
    );
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token ?? '', insecure),
    );
    const request = new Request(api, { headers: { authorization: `Bearer ${refreshed.access_token}` } });
    const claims = await oauth.validateJwtAccessToken(server, request, api.href, {
      ...insecure,
      signingAlgorithms: ['ES256'],
    });
    expect(claims).toMatchObject({ client_id: APP.client_id, iss: agent.baseUrl });

    const made = await callAsUser(agent, refreshed.access_token, '/api/organizations', {
      organization_name: 'Acme Outdoor',
    });
    expect(made).toMatchObject({ status: 201, body: { success: true, organization: { name: 'Acme Outdoor' } } });
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, oauth.None(), refreshed.refresh_token ?? '', insecure),
    );
    const after = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      refreshed.refresh_token ?? '',
      insecure,
    );
    await expect(oauth.processRefreshTokenResponse(server, client, after)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('[R13] the official MCP SDK’s client finds its way from a 401 of the A2A endpoint, registers itself, and buys with its token', async () => {
    agent = await startTestAgent(store, { env: loginEnv([ADA]) });
    await newOrganization(agent, ADA, 'Acme Outdoor');
    const endpoint = `${agent.baseUrl}/a2a/jsonrpc`;
    const challenge = await fetch(endpoint, { method: 'POST' });
    expect(challenge.status).toBe(401);
    const { resourceMetadataUrl: metadataUrl } = extractWWWAuthenticateParams(challenge);
    expect(metadataUrl?.href).toBe(`${agent.baseUrl}/.well-known/oauth-protected-resource/a2a`);

    const app = mcpApplication();
    const start = { serverUrl: endpoint, ...(metadataUrl !== undefined && { resourceMetadataUrl: metadataUrl }) };
    expect(await auth(app.provider, start)).toBe('REDIRECT');
    const callback = await allowInBrowser(app.sentTo?.href ?? '', ADA);
    const authorizationCode = callback.searchParams.get('code') ?? '';
    expect(await auth(app.provider, { ...start, authorizationCode })).toBe('AUTHORIZED');
    expect(await auth(app.provider, start)).toBe('AUTHORIZED');
    const buyer: TestAgent = { ...agent, apiKey: (await app.provider.tokens())?.access_token ?? '' };
    const sent = await send(buyer, 'create_media_buy', mediaBuyInput(agent));
    expect(taskOf(sent).state).toBe('TASK_STATE_SUBMITTED');
  });

  it('[T5] [R13] a user’s token acts for its organization alone, within its scopes', async () => {
    agent = await startTestAgent(store, { env: loginEnv([ADA, BOB]) });
    await newOrganization(agent, ADA, 'Acme Outdoor');
    await newOrganization(agent, BOB, 'Bolt Media');
    const at = agent;
    const as = async (who: Person, scope?: string): Promise<TestAgent> => ({
      ...at,
      apiKey: await accessToken(at, who, { path: '/a2a', ...(scope !== undefined && { scope }) }),
    });
    const [ada, adaReads, bob] = [await as(ADA), await as(ADA, 'tasks:read'), await as(BOB)];
    const { id } = taskOf(await send(ada, 'create_media_buy', mediaBuyInput(agent)));
    const get = (who: TestAgent) => post(who, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } });
    expect(taskOf(await get(ada)).id).toBe(id);
    expect(taskOf(await get(adaReads)).id).toBe(id);
    const toldTo = async (who: TestAgent) => JSON.stringify(await get(who)).replace(/"request_id":"[\da-f-]{36}"/, '');
    expect(await toldTo(bob)).toEqual(await toldTo({ ...agent, apiKey: agent.apiKey }));
    expect((await get(bob)).error?.code).toBe(-32001);
    expect(errorOf(await send(adaReads, 'create_media_buy', mediaBuyInput(agent)))).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(taskOf(await send(adaReads, 'get_products', { brief: 'podcasts' })).state).toBe('TASK_STATE_COMPLETED');
  });

  it('[R13] a token that is forged, expired or for another resource is 401 at the API and at the A2A edge, and says where to go', async () => {
    agent = await startTestAgent(store, { working: false, env: loginEnv([ADA]) });
    await newOrganization(agent, ADA, 'Acme Outdoor');
    const api = await accessToken(agent, ADA, { path: '/api' });
    const a2a = await accessToken(agent, ADA, { path: '/a2a' });
    const none = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${a2a.split('.')[1] ?? ''}.`;
    for (const token of [api, none, `${a2a.slice(0, -4)}AAAA`, 'mk_live_unknown-unknown-unknown-unknown']) {
      const refused = await fetch(`${agent.baseUrl}/a2a/rest/tasks`, { headers: { authorization: `Bearer ${token}` } });
      expect(refused.status).toBe(401);
      const header = refused.headers.get('www-authenticate') ?? '';
      expect(header).toContain('error="invalid_token"');
      await expectDocument(header, `${agent.baseUrl}/a2a`);
    }
    const refused = await callAsUser(agent, a2a, '/api/organizations', { organization_name: 'X' });
    expect(refused.status).toBe(401);
    await expectDocument(refused.headers.get('www-authenticate') ?? '', `${agent.baseUrl}/api`);
    const reads = await accessToken(agent, ADA, { path: '/api', scope: 'registry:read' });
    expect(await callAsUser(agent, reads, '/api/organizations', { organization_name: 'X' })).toMatchObject({
      status: 403,
      body: { error: 'this token lacks the scope registry:write' },
    });
  });

  it('a user of several organizations acts for the one the token names, and for none when it names none', async () => {
    const external = await openIssuer();
    agent = await startTestAgent(store, { working: false, env: { OAUTH_ISSUER: external.issuer } });
    const at = agent;
    const { baseUrl } = at;
    const scope = 'registry:read registry:write tasks:read tasks:write';
    const claims = { sub: 'ada', email: ADA.email, email_verified: true, scope };
    const api = await external.token({ ...claims, aud: `${baseUrl}/api` });
    const company = await callAsUser(agent, api, '/api/organizations', { organization_name: 'Acme' });
    await callAsUser(agent, api, '/api/organizations', { organization_name: 'Ada alone', is_personal: true });
    const organization_id = (company.body['organization'] as { id: string }).id;
    const list = async (more: object) => {
      const token = await external.token({ ...claims, ...more, aud: `${baseUrl}/a2a` });
      return post({ ...at, apiKey: token }, { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} });
    };
    expect((await list({ organization_id })).error).toBeUndefined();
    expect(errorOf(await list({}))).toMatchObject({ code: 'FORBIDDEN' });
    expect(errorOf(await list({})).message).toContain('several organizations');
    expect(errorOf(await list({ organization_id: 'org_demo_buyer' }))).toMatchObject({ code: 'FORBIDDEN' });
    expect(errorOf(await list({ sub: 'eve' })).message).toContain('no organization');
  });

  it('[R13] with an issuer elsewhere, both metadata documents and the card lead there, and there is no sign-in here', async () => {
    const external = await openIssuer();
    agent = await startTestAgent(store, { working: false, env: { OAUTH_ISSUER: external.issuer } });
    const resource = await fetch(`${agent.baseUrl}/.well-known/oauth-protected-resource/api`);
    expect(await resource.json()).toMatchObject({ authorization_servers: [external.issuer] });
    const server = await fetch(`${agent.baseUrl}/.well-known/oauth-authorization-server`);
    expect(await server.json()).toMatchObject({ issuer: external.issuer });
    const card = await fetch(`${agent.baseUrl}/.well-known/agent-card.json`);
    expect(JSON.stringify(await card.json())).toContain(`${external.issuer}/authorize`);
    expect((await fetch(`${agent.baseUrl}/oauth/authorize`)).status).toBe(404);
  });

  it('[R7] of ten colleagues who create their company at once one owns it, and the others learn its id', async () => {
    const colleagues = Array.from({ length: 10 }, (_, i) => person(`person${i}@racing-company.com`));
    agent = await startTestAgent(store, { working: false, env: loginEnv(colleagues) });
    const at = agent;
    const tokens = await Promise.all(colleagues.map((colleague) => accessToken(at, colleague, { path: '/api' })));
    const answers = await Promise.all(
      tokens.map((token) => callAsUser(at, token, '/api/organizations', { organization_name: 'Racing' })),
    );
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    const { id } = won[0]?.body['organization'] as { id: string };
    const lost = answers.filter(({ status }) => status === 409);
    expect(lost.map(({ body }) => body['existing_org_id'])).toEqual(Array(9).fill(id));
    const owned = await agent.core.store
      .collection(organizations)
      .find({ where: { corporate_domain: 'racing-company.com' } });
    expect(owned.rows).toHaveLength(1);
  });

  it('[R7] of ten requests of one user for a personal workspace one makes it; fifteen failures an hour are the most, successes aside', async () => {
    agent = await startTestAgent(store, { working: false, env: loginEnv([ADA, BOB]) });
    const at = agent;
    const token = await accessToken(at, ADA, { path: '/api' });
    const personal = { organization_name: 'Ada', is_personal: true };
    const race = await Promise.all(
      Array.from({ length: 10 }, () => callAsUser(at, token, '/api/organizations', personal)),
    );
    expect(race.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(race.filter(({ status }) => status === 409)).toHaveLength(9);
    expect((await callAsUser(at, token, '/api/organizations', { organization_name: 'Acme' })).status).toBe(201);
    const failures = [];
    for (let i = 0; i < 7; i++) failures.push((await callAsUser(at, token, '/api/organizations', personal)).status);
    expect(failures).toEqual([...Array<number>(6).fill(409), 429]);
    const bob = await accessToken(at, BOB, { path: '/api' });
    expect((await callAsUser(at, bob, '/api/organizations', { organization_name: 'Bolt' })).status).toBe(201);
  });
});

async function newOrganization(at: TestAgent, owner: Person, organization_name: string): Promise<void> {
  const token = await accessToken(at, owner, { path: '/api' });
  const { status } = await callAsUser(at, token, '/api/organizations', { organization_name });
  expect(status).toBe(201);
}

/** The document that a challenge points at exists, and describes the resource. */
async function expectDocument(challenge: string, resource: string): Promise<void> {
  const url = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
  expect(await (await fetch(url)).json()).toMatchObject({ resource });
}

/** An application on the official MCP SDK, as it keeps what it learns. */
function mcpApplication() {
  const kept: { client?: never; tokens?: never; verifier?: string } = {};
  const app = {
    sentTo: undefined as URL | undefined,
    provider: {
      redirectUrl: 'http://127.0.0.1:5001/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1:5001/callback'], client_name: 'MCP application' },
      clientInformation: () => kept.client,
      saveClientInformation: (client) => void Object.assign(kept, { client }),
      tokens: () => kept.tokens,
      saveTokens: (tokens) => void Object.assign(kept, { tokens }),
      redirectToAuthorization: (url) => {
        app.sentTo = url;
      },
      saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
      codeVerifier: () => kept.verifier ?? '',
    } as OAuthClientProvider,
  };
  return app;
}

/** An issuer elsewhere, on a server of its own. */
async function openIssuer() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'x', alg: 'ES256', use: 'sig' };
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.url === '/jwks' ? { keys: [jwk] } : metadata));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
  };
  return {
    issuer,
    token: (claims: Record<string, unknown>) =>
      new SignJWT({ iss: issuer, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'x', typ: 'at+jwt' })
        .setIssuedAt()
        .setExpirationTime('10m')
        .sign(privateKey),
  };
}
