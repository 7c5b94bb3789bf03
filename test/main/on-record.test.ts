import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Queue as BullQueue } from 'bullmq';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiKeys, createApiKey, revokeApiKey } from '../../src/directory/api-key/api-key.ts';
import { rerollApiKey } from '../../src/directory/api-key/reroll.ts';
import { membershipId, memberships } from '../../src/directory/membership/membership.ts';
import { changeMemberRole, transferOwnership } from '../../src/directory/membership/change-role.ts';
import type { MembershipChange } from '../../src/directory/membership/change-role.ts';
import { endMembership } from '../../src/directory/membership/end-membership.ts';
import { letGoOfDomain } from '../../src/directory/organization/let-go-of-domain.ts';
import { userIdOf } from '../../src/directory/oauth/access-token.ts';
import { developmentSubject } from '../../src/oauth/identity-provider.ts';
import { createPortalLink } from '../../src/directory/portal-link/portal-link.ts';
import { organizations } from '../../src/directory/organization/organization.ts';
import { formToken } from '../../src/admin/console/form-token.ts';
import { createSignInLink } from '../../src/admin/sign-in-link.ts';
import { addPerson } from '../../src/directory/operator/person.ts';
import { requestFields } from '../../src/platform/log.ts';
import { SECURITY_KINDS } from '../../src/platform/security/security-kinds.ts';
import type { SecurityKind } from '../../src/platform/security/security-kinds.ts';
import { oidcWayBack, openConsoleBrowser } from '../admin/support/console-browser.ts';
import type { ConsoleBrowser } from '../admin/support/console-browser.ts';
import { followLink } from '../admin/support/follow-link.ts';
import { CLIENT, openIdentityProvider } from '../admin/support/identity-provider.ts';
import type { IdentityProvider } from '../admin/support/identity-provider.ts';
import { ask, mediaBuyInput, post, send, taskOf } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { allowInBrowser, openBrowser } from '../oauth/support/browser.ts';
import type { Browser, Page } from '../oauth/support/browser.ts';
import { memberOf, provedDomain } from './support/member-of.ts';
import { everythingQueued, everythingStored } from './support/everything-kept.ts';
import { operatorDeps } from '../../src/main/wiring/operator-routes.ts';
import { operatorCauses } from './support/operator-causes.ts';
import { organizationId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { openReceiver, status } from '../webhooks/support/open-receiver.ts';

type Line = Record<string, unknown>;

/** Every secret there is in this run, so that it can be looked for. */
const planted = new Set<string>();
const plant = (secret: string): string => {
  planted.add(secret);
  return secret;
};
const random = () => plant(randomBytes(24).toString('base64url'));
/** Those of webhooks, which have to be kept to be used, and are kept sealed. */
const ofHooks: string[] = [];
const hookSecret = (): string => {
  const secret = random();
  ofHooks.push(secret);
  return secret;
};

const ADA = { email: 'ada@acme.example', password: plant('correct-horse-battery') };
const REDIRECT = 'https://app.example/callback';
const OPERATOR_KEY = `op_live_${random()}`;
const ORGANIZATION = organizationId('org_demo_buyer');

let agent: TestAgent;
let provider: IdentityProvider;
const lines: Line[] = [];
const log = pino(
  { base: null, level: 'trace', mixin: requestFields },
  { write: (line) => lines.push(JSON.parse(line) as Line) },
);
beforeAll(async () => {
  plant(CLIENT.clientSecret);
  provider = await openIdentityProvider({ now: Date.now });
  const env = {
    OPERATOR_OIDC_ISSUER: provider.issuer,
    OPERATOR_OIDC_CLIENT_ID: CLIENT.clientId,
    OPERATOR_OIDC_CLIENT_SECRET: CLIENT.clientSecret,
    TRUST_PROXY: '1',
    SECRET_KEY: random(),
    BOOTSTRAP_API_KEY: `mk_live_${random()}`,
    OPERATOR_API_KEY: OPERATOR_KEY,
    OAUTH_REGISTRATION: 'true',
    OAUTH_CLIENTS: JSON.stringify([{ client_id: 'app', client_name: 'App', redirect_uris: [REDIRECT] }]),
    DEV_ACCOUNTS: `${ADA.email}:${ADA.password}`,
    BILLING_SANDBOX: 'true',
    SECURITY_CONTACT: 'mailto:security@publisher.example',
  };
  agent = await startTestAgent('sqlite', { env, log, working: false });
});
let stopping: Promise<void> | undefined;
const stop = () => (stopping ??= agent.stop().then(() => provider.close()));
afterAll(stop);

/** What strangers and callers were told of what they may not do. */
const refusals: string[] = [];
/** Reads the answer whole, so that its connection is free. */
const fetch: typeof globalThis.fetch = async (...given) => {
  const answer = await globalThis.fetch(...given);
  const text = await answer.clone().text();
  if (!answer.ok) refusals.push(text);
  return answer;
};
const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
const unknownKey = () => `mk_live_${random()}${random()}`;
const at = (path: string) => `${agent.baseUrl}${path}`;
const json = { 'content-type': 'application/json' };
const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) });

const keyDeps = () => ({ ...agent.core, keys: agent.core.store.collection(apiKeys) });
async function newKey() {
  const made = await createApiKey(keyDeps(), { organization_id: ORGANIZATION, name: 'test', scopes: ['tasks:read'] });
  plant(made.raw);
  return made;
}

async function link(): Promise<string> {
  const url = await createSignInLink(agent.core, agent.baseUrl);
  plant(new URL(url).searchParams.get('token') ?? '');
  return url;
}

async function consoleCookie(): Promise<string> {
  const answer = await followLink(await link());
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  plant(cookie.split('=')[1] ?? '');
  return cookie;
}

const verifier = plant(randomBytes(32).toString('base64url'));
const authorizeUrl = () => {
  const url = new URL('/oauth/authorize', agent.baseUrl);
  url.search = new URLSearchParams({
    ...{ client_id: 'app', redirect_uri: REDIRECT, response_type: 'code', code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  }).toString();
  return url.href;
};

async function signedIn(browser: Browser = openBrowser()): Promise<{ browser: Browser; page: Page }> {
  const page = await browser.open(authorizeUrl());
  const { location } = await browser.submit(page, ADA);
  plant(browser.cookies.get('oauth_session') ?? '');
  return { browser, page: await browser.open(location?.href ?? '') };
}

async function decided(decision: string): Promise<Page> {
  const { browser, page } = await signedIn();
  return browser.submit(page, { decision });
}

async function tokens(): Promise<{ refresh_token: string }> {
  const code = plant((await decided('allow')).location?.searchParams.get('code') ?? '');
  const fields = { grant_type: 'authorization_code', client_id: 'app', redirect_uri: REDIRECT };
  const answer = await fetch(at('/oauth/token'), form({ ...fields, code, code_verifier: verifier }));
  const made = (await answer.json()) as { refresh_token: string; access_token: string };
  plant(made.access_token);
  plant(made.refresh_token);
  return made;
}

const refused = async (email: string, browser = openBrowser()) =>
  browser.submit(await browser.open(authorizeUrl()), { email, password: random() });

const operator = (method: string, path: string, body?: Line) =>
  fetch(at(`/api/operator${path}`), {
    ...{ method, headers: { ...bearer(OPERATOR_KEY), ...json } },
    ...(body && { body: JSON.stringify(body) }),
  });

/** What an operator's act answers, which is done; the secrets in it are known from then on. */
async function acted(path: string, body?: Line): Promise<Line> {
  const answer = await operator('POST', path, body);
  const said = (await answer.json()) as Line;
  expect(answer.status, JSON.stringify(said)).toBe(200);
  if (typeof said['key'] === 'string') plant(said['key']);
  if (typeof said['sign_in_url'] === 'string') plant(new URL(said['sign_in_url']).searchParams.get('token') ?? '');
  return said;
}

async function newestSession(): Promise<string> {
  await consoleCookie();
  const { sessions } = (await (await operator('GET', '/sessions?limit=1')).json()) as { sessions: Line[] };
  return String(sessions[0]?.['session_id']);
}

/** How each decision comes about, once. What has to be before it belongs to `given`. */
const CAUSES: Record<SecurityKind, { given?: () => Promise<unknown>; cause: (given: never) => Promise<unknown> }> = {
  'api_key.made': { cause: newKey },
  'api_key.first_used': {
    given: newKey,
    cause: ({ raw }: { raw: string }) => send({ ...agent, apiKey: raw }, 'get_products', { brief: 'sport' }),
  },
  'api_key.revoked': {
    given: newKey,
    cause: ({ key }: { key: { api_key_id: string } }) => revokeApiKey(keyDeps(), ORGANIZATION, key.api_key_id),
  },
  'api_key.rerolled': {
    given: newKey,
    cause: ({ key: { api_key_id } }: { key: { api_key_id: string } }) =>
      rerollApiKey(keyDeps(), randomUUID(), { organization_id: ORGANIZATION, api_key_id, overlap_days: 1 }),
  },
  'credential.refused': { cause: () => send({ ...agent, apiKey: unknownKey() }, 'get_products', {}) },
  'access.refused': {
    given: newKey,
    cause: ({ raw }: { raw: string }) => send({ ...agent, apiKey: raw }, 'create_media_buy', mediaBuyInput(agent)),
  },
  'portal.account_signed_in': {
    async given() {
      const user_id = userIdOf(agent.baseUrl, developmentSubject(ADA.email));
      await agent.core.store.collection(memberships).insert({
        ...{ membership_id: membershipId(ORGANIZATION, user_id), organization_id: ORGANIZATION, user_id },
        ...{ role: 'member', created_at: new Date().toISOString(), revision: 1 },
      });
      const browser = openBrowser();
      const { location } = await browser.open(at('/portal/sign-in/account'));
      const back = await allowInBrowser(location ?? '', ADA, { browser });
      for (const name of ['code', 'state']) plant(back.searchParams.get(name) ?? '');
      plant(browser.cookies.get('oauth_session') ?? '');
      return { browser, back };
    },
    async cause({ browser, back }: { browser: Browser; back: URL }) {
      expect((await browser.open(back.href)).status).toBe(303);
      plant(browser.cookies.get('portal_session') ?? '');
    },
  },
  'portal.link_used': {
    async given() {
      const asked = { organization_id: ORGANIZATION, api_key_id: null, click: randomUUID() };
      const { portal_url } = await createPortalLink(agent.core, asked, agent.baseUrl);
      return plant(new URL(portal_url).searchParams.get('link') ?? '');
    },
    async cause(link: string) {
      const answer = await fetch(at('/portal/sign-in'), {
        ...form({ link }),
        headers: { 'sec-fetch-site': 'same-origin' },
        redirect: 'manual',
      });
      expect(answer.status).toBe(303);
      plant(answer.headers.get('set-cookie')?.split(';')[0]?.split('=')[1] ?? '');
    },
  },
  'console.signed_in': { given: link, cause: followLink },
  'console.oidc_signed_in': {
    async given() {
      const email = 'ann@publisher.example';
      provider.person = { sub: 'ann', email, email_verified: true };
      await addPerson(agent.core, { name: 'Ann', email, role: 'viewer', by: 'a test', click: randomUUID() });
      const browser = openConsoleBrowser(agent.baseUrl);
      const back = await oidcWayBack(browser);
      for (const name of ['code', 'state']) plant(new URL(back).searchParams.get(name) ?? '');
      for (const cookie of browser.jar.values()) plant(cookie);
      return { browser, back };
    },
    async cause({ browser, back }: { browser: ConsoleBrowser; back: string }) {
      expect((await browser.get(back)).status).toBe(303);
      plant(browser.jar.get('console_session') ?? '');
    },
  },
  'console.oidc_refused': {
    cause: () => fetch(at(`/admin/sign-in/oidc/callback?code=${random()}&state=${plant('x'.repeat(42) + 'y')}`)),
  },
  'console.link_refused': { cause: () => fetch(at(`/admin/sign-in?token=${random()}`)) },
  'console.signed_out': {
    given: consoleCookie,
    cause: (cookie: string) =>
      fetch(at('/admin/sign-out'), {
        method: 'POST',
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ _token: formToken(cookie.slice('console_session='.length), '/sign-out') }),
      }),
  },
  'console.cross_site': {
    given: consoleCookie,
    cause: (cookie: string) =>
      fetch(at('/admin/sign-out'), { method: 'POST', headers: { cookie, 'sec-fetch-site': 'cross-site' } }),
  },
  'console.queue_refused': {
    given: consoleCookie,
    cause: (cookie: string) => {
      const headers = { cookie, 'sec-fetch-site': 'same-origin' };
      return fetch(at('/admin/queues/api/queues/task-runs/pause'), { method: 'PUT', headers });
    },
  },
  'operator.refused': { cause: () => fetch(at('/api/operator/keys'), { headers: bearer(unknownKey()) }) },
  'account.signed_in': { cause: () => signedIn() },
  'account.refused': { cause: () => refused(ADA.email) },
  'account.locked': {
    // One address: an account is locked for where its failed tries came from.
    async given() {
      const browser = openBrowser();
      for (let tries = 0; tries < 10; tries += 1) await refused('cat@acme.example', browser);
      return browser;
    },
    cause: (browser: Browser) => refused('cat@acme.example', browser),
  },
  'account.signed_out': { cause: () => decided('switch') },
  'consent.given': { cause: () => decided('allow') },
  'consent.denied': { cause: () => decided('deny') },
  'client.registered': {
    cause: () =>
      fetch(at('/oauth/register'), {
        ...{ method: 'POST', headers: json },
        body: JSON.stringify({ redirect_uris: [REDIRECT], client_name: 'Self-made' }),
      }),
  },
  'token.issued': { cause: tokens },
  'token.refused': {
    cause: () => fetch(at('/oauth/token'), form({ grant_type: 'refresh_token', client_id: 'app', refresh_token: 'x' })),
  },
  'grant.revoked': {
    given: tokens,
    cause: ({ refresh_token }: { refresh_token: string }) =>
      fetch(at('/oauth/revoke'), form({ token: refresh_token, client_id: 'app' })),
  },
  'member.role_changed': {
    given: () => memberOf(agent.core),
    cause: (member: MembershipChange) => changeMemberRole(agent.core, member, 'admin'),
  },
  'organization.transferred': {
    given: () => memberOf(agent.core),
    cause: (member: MembershipChange) => transferOwnership(agent.core, member),
  },
  'member.left': {
    given: () => memberOf(agent.core),
    cause: (member: MembershipChange) => endMembership({ ...agent.core, endGrants: () => Promise.resolve(0) }, member),
  },
  'domain.proved': {
    given: () => memberOf(agent.core),
    cause: (member: MembershipChange) => provedDomain(agent.core, member),
  },
  'domain.released': {
    async given() {
      const member = await memberOf(agent.core);
      return { member, domain: await provedDomain(agent.core, member) };
    },
    async cause({ member, domain }: { member: MembershipChange; domain: string }) {
      const own = await agent.core.store.collection(organizations).get(member.organization_id);
      if (own !== undefined) await letGoOfDomain(agent.core, own, { domain, by: member.by });
    },
  },
  'signature.refused': {
    cause: () => fetch(at('/api/billing/events'), { method: 'POST', headers: json, body: '{"id":"evt_1"}' }),
  },
  'address.refused': {
    cause: () => fetch(at(`/api/public/discover-agent?url=${encodeURIComponent('https://169.254.169.254/')}`)),
  },
  ...operatorCauses(acted, newestSession),
};

describe('decisions about access are on record', () => {
  it.each(Object.keys(SECURITY_KINDS) as SecurityKind[])(
    '[S5.record] %s, once, with where it came from',
    async (kind) => {
      const { given, cause } = CAUSES[kind];
      const prepared = (await given?.()) as never;
      const from = lines.length;
      const found = () => lines.slice(from).filter((line) => line['event'] === 'security' && line['kind'] === kind);
      const counted = `mba_security_events_total{kind="${kind}",outcome="${SECURITY_KINDS[kind].outcome}"}`;
      const count = async () => Number((await agent.core.metrics.text()).split(`${counted} `)[1]?.split('\n')[0] ?? 0);
      const before = await count();
      await cause(prepared);
      await until(() => Promise.resolve(found().length > 0));
      const [event, ...others] = found();
      expect(others).toEqual([]);
      expect(await count()).toBe(before + 1);
      expect(event).toMatchObject({ outcome: SECURITY_KINDS[kind].outcome, msg: 'security' });
      const isByRequest = !/^(api_key\.(made|rerolled|revoked)|member|organization|domain)/.test(kind);
      if (isByRequest)
        expect(event).toMatchObject({
          address: expect.any(String) as unknown,
          request_id: expect.any(String) as unknown,
        });
    },
  );

  it('[S5.record] of known callers with who and what, and never with a credential', async () => {
    const { raw, key } = await newKey();
    await send({ ...agent, apiKey: raw }, 'create_media_buy', mediaBuyInput(agent));
    const of = (kind: string) => lines.findLast((line) => line['kind'] === kind);
    expect(of('access.refused')).toMatchObject({
      ...{ subject: key.api_key_id, organization_id: ORGANIZATION, edge: 'a2a', address: '127.0.0.1' },
      reason: 'this credential lacks the scope tasks:write that create_media_buy needs',
    });
    expect(JSON.stringify(lines)).not.toContain(raw);
    // Nor with a hash that whoever reads the log could make of an address.
    const hash = createHash('sha256').update('cat@acme.example').digest();
    for (const told of ['cat@acme.example', hash.toString('hex').slice(0, 16), hash.toString('base64url')])
      expect(JSON.stringify(lines)).not.toContain(told);
    expect(of('account.locked')).toMatchObject({ subject: expect.stringMatching(/^email_[\w-]{43}$/) as string });
  });

  it('[S5.record] of what operators do with who did it, and once for a click that comes again', async () => {
    const headers = { ...bearer(OPERATOR_KEY), ...json, 'idempotency-key': randomUUID() };
    const from = lines.length;
    const add = { method: 'POST', headers, body: JSON.stringify({ name: 'Cy Ltd' }) };
    const { organization_id } = (await (await fetch(at('/api/operator/buyers/add'), add)).json()) as Line;
    const revoked = async () => {
      const { key } = await newKey();
      return acted(`/buyers/${ORGANIZATION}/keys/${key.api_key_id}/revoke`, { reason: 'leaked' });
    };
    const { api_key_id } = await revoked();
    const suspend = () =>
      fetch(at(`/api/operator/buyers/${String(organization_id)}/suspend`), {
        ...{ method: 'POST', headers: { ...headers, 'idempotency-key': `${headers['idempotency-key']}-2` } },
        body: JSON.stringify({ reason: 'unpaid', webhooks: 'stop' }),
      });
    await suspend();
    expect(await (await suspend()).json()).toMatchObject({ replayed: true });
    const events = lines.slice(from).filter((line) => line['event'] === 'security' && line['by'] !== undefined);
    expect(events).toMatchObject([
      { kind: 'api_key.revoked', by: 'OPERATOR_API_KEY', target: api_key_id, organization_id: ORGANIZATION },
      { kind: 'organization.suspended', by: 'OPERATOR_API_KEY', organization_id, reason: 'webhooks stop' },
    ]);
  });

  it('[S5.oidc-only] operators are told where alone to sign in, where links are switched off', () => {
    const { core } = agent;
    const at = (hasSignInLinks: boolean) =>
      operatorDeps({ ...core, config: { ...core.config, hasSignInLinks } }).onlySignInAt;
    expect([at(true), at(false)]).toEqual([undefined, new URL(provider.issuer).host]);
  });

  it('[S5.record] a stranger fills no disk: a few lines of one address a minute, all of them counted', async () => {
    const from = lines.length;
    const headers = { ...bearer(unknownKey()), 'x-forwarded-for': '198.51.100.7' };
    for (let n = 0; n < 12; n += 1) await fetch(at('/a2a/jsonrpc'), { method: 'POST', headers });
    const written = () => lines.slice(from).filter((line) => line['address'] === '198.51.100.7');
    expect(written().filter((line) => line['event'] === 'security')).toHaveLength(5);
    expect(await agent.core.metrics.text()).toMatch(
      /security_events_total\{kind="credential.refused",outcome="refused"\} 1\d/,
    );
    agent.core.security.close();
    expect(written().at(-1)).toMatchObject({ event: 'security_held_back', kind: 'credential.refused', count: 7 });
  });
});

describe('a request has an id', () => {
  it('[S5.request-id] that goes to the caller with every answer, and into what is logged and said of errors', async () => {
    const paths = ['/healthz', '/nothing', '/a2a/jsonrpc', '/admin', '/api/operator/keys', '/oauth/jwks.json', '/docs'];
    const ids = await Promise.all(paths.map(async (path) => (await fetch(at(path))).headers.get('x-request-id')));
    expect(new Set(ids).size).toBe(paths.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);

    const refusedAt = async (path: string) => {
      const answer = await fetch(at(path), { headers: bearer(unknownKey()) });
      return { id: answer.headers.get('x-request-id'), body: (await answer.json()) as Line };
    };
    for (const path of ['/api/organizations/org_1/api-keys', '/api/operator/keys']) {
      const { id, body } = await refusedAt(path);
      expect(body).toMatchObject({ request_id: id });
    }
    const call = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: `task_${randomUUID()}` } };
    const answer = await fetch(at('/a2a/jsonrpc'), {
      ...{ method: 'POST', body: JSON.stringify(call) },
      headers: { ...bearer(agent.apiKey), ...json, 'A2A-Version': '1.0' },
    });
    const request_id = answer.headers.get('x-request-id');
    expect(JSON.stringify(await answer.json())).toContain(`"request_id":"${request_id}"`);
    await until(() =>
      Promise.resolve(lines.some((line) => line['event'] === 'request' && line['request_id'] === request_id)),
    );
    expect(lines.find((line) => line['event'] === 'request' && line['request_id'] === request_id)).toMatchObject({
      ...{ edge: 'a2a', route: 'POST /a2a/jsonrpc', status: 200, address: '127.0.0.1' },
    });
  });

  it('[S5.request-id] of a proxy that is believed, where it is well-formed', async () => {
    const idFor = async (given: string) =>
      (await fetch(at('/healthz'), { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    expect(await idFor('Root=1-67891233-abcdef012345678912345678')).toBe('Root=1-67891233-abcdef012345678912345678');
    for (const bad of ['short', 'has spaces in it', 'long'.repeat(40), '<script>alert(1)</script>']) {
      expect(await idFor(bad)).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

it('[S5.papers] security.txt says where to write to, for half a year (RFC 9116)', async () => {
  const answer = await fetch(at('/.well-known/security.txt'));
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const text = await answer.text();
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  expect(field('Contact')).toBe('mailto:security@publisher.example');
  expect(field('Canonical')).toBe(`${agent.baseUrl}/.well-known/security.txt`);
  const days = (Date.parse(field('Expires')) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(170);
  expect(days).toBeLessThan(190);
});

describe('the queues', () => {
  /** What `/readyz` says of queues; that no worker runs here it says, too, once it has waited for one. */
  const paused = async () => {
    const { degraded = [] } = (await (await fetch(at('/readyz'))).json()) as { degraded?: { part: string }[] };
    return degraded.filter(({ part }) => part.startsWith('queue '));
  };

  it('[S5.queues] are paused by the operator API alone, with a reason on record, and shown as paused', async () => {
    expect(await paused()).toEqual([]);
    const headers = { cookie: await consoleCookie(), 'sec-fetch-site': 'same-origin', ...json };
    const queue = '/admin/queues/api/queues/task-runs';
    const changes = [
      ...['/pause', '/resume', '/empty', '/obliterate', '/retry/failed', '/promote', '/clean/failed', '/rename'],
      ...['/job-1/retry', '/job-1/clean', '/job-1/promote', '/job-1/update-data', '/add'],
    ];
    for (const change of changes) {
      for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
        const answer = await fetch(at(`${queue}${change}`), { method, headers, body: '{}' });
        expect(answer.status, `${method} ${change}`).toBe(403);
      }
    }
    expect((await fetch(at('/admin/queues/api/pause'), { method: 'PUT', headers })).status).toBe(403);
    const shown = (await (await fetch(at('/admin/queues/api/queues'), { headers })).json()) as { queues: Line[] };
    expect(shown.queues.map((one) => one['readOnlyMode'])).toEqual(shown.queues.map(() => true));

    expect((await operator('POST', '/queues/task-runs/pause')).status).toBe(422);
    expect((await operator('POST', '/queues/none/pause', { reason: 'a drill' })).status).toBe(404);
    const answer = await operator('POST', '/queues/task-runs/pause', { reason: 'a drill' });
    expect(await answer.json()).toMatchObject({ queue: 'task-runs', is_paused: true });
    expect(await paused()).toEqual([{ part: 'queue task-runs', why: 'paused' }]);
    expect(await agent.core.metrics.text()).toContain('mba_queue_paused{queue="task-runs"} 1');
    const { queues } = (await (await operator('GET', '/queues')).json()) as { queues: Line[] };
    expect(queues.filter((one) => one['is_paused'] === true)).toMatchObject([{ queue: 'task-runs' }]);
    await operator('POST', '/queues/task-runs/resume');
    expect(await paused()).toEqual([]);
    const { actions } = (await (await operator('GET', '/actions?target=/queues/task-runs')).json()) as {
      actions: Line[];
    };
    expect(actions).toMatchObject([
      { action: 'queues.resume', outcome: 'done' },
      { action: 'queues.pause', outcome: 'done', input: { reason: 'a drill' } },
    ]);
  });

  it('[S5.queues] jobs with any data harm no worker', async () => {
    const from = lines.length;
    const runs = (agent.core.queues.bullQueues() as BullQueue[]).find(({ name }) => name === 'task-runs');
    for (const [n, data] of BROKEN.entries()) await runs?.add('task-runs', data, { jobId: `broken-${n}` });
    agent.work();
    const task = await ask(agent, 'create_media_buy', mediaBuyInput(agent));
    expect(task).toHaveProperty('media_buy_id');
    await until(
      async () => (await agent.core.queues.queue({ name: 'task-runs', schema: z.unknown() }).counts()).waiting === 0,
    );
    expect(lines.slice(from).filter((line) => Number(line['level']) >= 50)).toEqual([]);
  });
});

describe('a whole run, from its start to its stop, at the lowest level of the log', () => {
  it('[S5.no-secret] [W11.sealed] leaves no secret in logs, metrics, events, refusals and what is shown of webhooks', async () => {
    plant(agent.apiKey);
    const receiver = await openReceiver(status(500));
    const secretUrl = () => receiver.url(`/hook?key=${hookSecret()}`);
    const buyer = bearer(agent.apiKey);
    const hooks = [
      { token: hookSecret(), authentication: { schemes: ['HMAC-SHA256'], credentials: `${hookSecret()}${random()}` } },
      { token: hookSecret() },
    ];
    for (const hook of hooks) {
      const push_notification_config = { url: secretUrl(), operation_id: 'op-1', ...hook };
      await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config }));
    }
    const pasted = { push_notification_config: { url: secretUrl(), operation_id: 'op-2', token: hookSecret() } };
    const reported = { reporting_webhook: { url: secretUrl(), reporting_frequency: 'hourly', token: hookSecret() } };
    const input = (changes: Line) => ({ skill: 'create_media_buy', input: mediaBuyInput(agent, changes) });
    const config = { url: secretUrl(), token: hookSecret() };
    const sendParts = (...parts: Line[]) =>
      post(agent, {
        ...{ jsonrpc: '2.0', id: 1, method: 'SendMessage' },
        params: {
          message: { messageId: randomUUID(), role: 'ROLE_USER', parts },
          configuration: { returnImmediately: true, taskPushNotificationConfig: config },
        },
      });
    const { id } = taskOf(await sendParts({ text: JSON.stringify(input(pasted)) }));
    await sendParts({ data: input(reported) });
    const configs = { jsonrpc: '2.0', id: 1, method: 'ListTaskPushNotificationConfigs', params: { taskId: id } };
    const shown = [await post(agent, configs), await post(agent, { ...configs, method: 'GetTask', params: { id } })];
    expect(JSON.stringify(shown[0])).toContain(receiver.url('/hook'));
    refusals.push(JSON.stringify(shown));
    const listed = await fetch(at('/api/buyer/webhooks/deliveries'), { headers: buyer });
    refusals.push(await listed.text());
    const operatorSees = await fetch(at('/api/operator/webhooks/deliveries'), { headers: bearer(OPERATOR_KEY) });
    refusals.push(await operatorSees.text());

    // What is wrong is told without what was sent, wherever a secret may stand by mistake.
    const misplaced = random();
    const weak = { token: random(), authentication: { schemes: ['HMAC-SHA256'], credentials: plant('weakweakweak') } };
    const wrong = [
      { ...weak, url: receiver.url(), operation_id: 'op-1' },
      { url: `https://user:${misplaced}@buyer.example/`, operation_id: 'op-1' },
      { url: `https://10.0.0.7/${misplaced}`, operation_id: 'op-1', [misplaced]: misplaced },
    ];
    for (const push_notification_config of wrong) {
      const answer = await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config }));
      lines.push({
        told: JSON.stringify(answer.error).replaceAll(`.${misplaced}`, '').replaceAll(`/${misplaced}`, ''),
      });
    }
    for (const path of [`/a2a/rest/${misplaced}?key=${misplaced}`, `/admin?x=${misplaced}`, '/api/operator/none'])
      await fetch(at(path), { headers: bearer(misplaced) });
    await fetch(at('/a2a/jsonrpc'), { method: 'POST', headers: { ...buyer, ...json }, body: `{"a":"${misplaced}` });
    await fetch(at('/oauth/token'), form({ grant_type: misplaced, client_id: misplaced, client_secret: misplaced }));
    await fetch(at('/oauth/token'), { ...form({}), headers: { authorization: `Basic ${misplaced}` } });
    await fetch(at(`/oauth/authorize?client_id=${misplaced}&redirect_uri=https://x.example/${misplaced}`));
    await tokens();

    const metrics = await agent.core.metrics.text();
    await receiver.close();
    const kept = { store: await everythingStored(agent), queues: await everythingQueued(agent) };
    expect(kept.store).toContain(receiver.url('/hook'));
    expect(kept.queues).toContain('mba-');
    for (const secret of ofHooks)
      for (const [where, text] of Object.entries(kept))
        expect(text.includes(secret), `${where}: ${secret}`).toBe(false);
    await stop();
    const seen = { log: JSON.stringify(lines), metrics, told: refusals.join('\n') };
    expect(lines.filter((line) => line['event'] === 'request').length).toBeGreaterThan(50);
    for (const secret of planted) {
      expect(secret.length).toBeGreaterThan(8);
      for (const [where, text] of Object.entries(seen))
        expect(text.includes(secret), `${where}: ${secret}`).toBe(false);
    }
  });
});

const BROKEN: readonly unknown[] = [
  { task_id: '__proto__', turn: 1 },
  { task_id: '__proto__' },
  { task_id: 'constructor', turn: 0 },
  { task_id: '', turn: 1 },
  { task_id: 'x'.repeat(100_000), turn: 1 },
  { task_id: { $gt: '' }, turn: 1 },
  { task_id: ['a'], turn: 1 },
  { task_id: 'a\u0000b', turn: 1 },
  { task_id: 'a', turn: 1e308 },
  JSON.parse('{"__proto__":{"task_id":"a","turn":1}}'),
  [],
  null,
];
