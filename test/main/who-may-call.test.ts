import { randomBytes, randomUUID } from 'node:crypto';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { Router } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/admin/sign-in-link.ts';
import { apiKeys, createApiKey } from '../../src/directory/api-key/api-key.ts';
import { SCOPES } from '../../src/directory/caller.ts';
import type { Scope } from '../../src/directory/caller.ts';
import { newOrganization, organizations } from '../../src/directory/organization/organization.ts';
import { a2aRoutes } from '../../src/main/wiring/a2a-routes.ts';
import { mcpRoutes } from '../../src/main/wiring/mcp-routes.ts';
import { composeOAuth } from '../../src/main/wiring/oauth.ts';
import { operatorKey } from '../../src/main/wiring/operator-routes.ts';
import { createServerApp } from '../../src/main/wiring/server-app.ts';
import { endpoints } from '../../src/registry/index.ts';
import { routeOf } from '../../src/registry/http/mount.ts';
import { Creatives } from '../../src/sales/creative/creative.ts';
import { MediaBuys } from '../../src/sales/media-buy/media-buys.ts';
import { followLink } from '../admin/support/follow-link.ts';
import { ask, mediaBuyInput, responseIn, send, taskOf } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { freshAddress } from '../oauth/support/browser.ts';
import { organizationId } from '../support/ids.ts';
import { callsInPapers, callsOf } from './support/calls-in-papers.ts';
import type { PrintedCall } from './support/calls-in-papers.ts';
import { routesOf } from './support/routes-of.ts';

let agent: TestAgent;
let routes: string[];
/** How each kind of caller shows who it is. */
let headersOf: Readonly<Record<CallerKind, Record<string, string>>>;

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });

beforeAll(async () => {
  const env = {
    ...{ TRUST_PROXY: '1', OAUTH_REGISTRATION: 'true', SECURITY_CONTACT: 'mailto:security@publisher.example' },
    // Nobody is there.
    OPERATOR_OIDC_ISSUER: 'http://127.0.0.1:9',
    ...{ OPERATOR_OIDC_CLIENT_ID: 'agent', OPERATOR_OIDC_CLIENT_SECRET: 'a secret of ours' },
  };
  agent = await startTestAgent('sqlite', { env });
  const { core } = agent;
  const oauth = await composeOAuth(core);
  const a2a = await a2aRoutes(core, oauth, new AbortController().signal);
  const mcp = mcpRoutes(core, oauth, new AbortController().signal, a2a);
  routes = routesOf(await createServerApp(core, oauth, Router().use(a2a.router, mcp)));
  const signedIn = await followLink(await createSignInLink(core, agent.baseUrl));
  const buyerSignedIn = await fetch(`${agent.baseUrl}/portal/sign-in`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ api_key: agent.apiKey }),
    redirect: 'manual',
  });
  headersOf = {
    nobody: {},
    stranger: bearer(`mk_live_${randomBytes(32).toString('base64url')}`),
    buyer: bearer(agent.apiKey),
    operator: bearer(await operatorKey(core)),
    console: { cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '', 'sec-fetch-site': 'same-origin' },
    portal: { cookie: buyerSignedIn.headers.get('set-cookie')?.split(';')[0] ?? '', 'sec-fetch-site': 'same-origin' },
  };
});
afterAll(() => agent.stop());

type CallerKind = 'nobody' | 'stranger' | 'buyer' | 'operator' | 'console' | 'portal';

/** What is answered to anybody. What stands nowhere here or below, nobody has said who may call. */
const OPEN: readonly RegExp[] = [
  /^GET \/\.well-known\/(adagents|agent-card|agent|brand|jwks|revoked-keys)\.json$/,
  /^GET \/\.well-known\/security\.txt$/,
  /^OPTIONS \/\.well-known\/agent\{-card\}\.json$/,
  /^ALL \/\.well-known\/oauth-(authorization-server|protected-resource(\/(api|a2a|mcp))?)$/,
  /^ALL \/mcp$/,
  /^GET \/(favicon\.ico)?$/,
  /^GET \/(docs|docs\/agent|docs\/operator|openapi\.json|api\/operator\/openapi\.json|schemas|healthz|readyz)$/,
  /^GET \/schemas\/\w+\/(input|output)\.json$/,
  /^GET \^\\\/schemas\\\/$/,
  /^GET \/oauth\/(authorize|jwks\.json|sign-out)$/,
  /^POST \/oauth\/(login|consent|token|revoke|register|sign-out)$/,
  /^(GET|POST) \/admin\/sign-in$/,
  /^(GET|POST) \/portal\/sign-in$/,
  /^GET \/(admin|portal)\/(style|live|icon|sign-in)-\w+\.(css|js|svg)$/,
  // Its token is made for one session, and ends with that.
  /^GET \/admin\/preview\/:token$/,
  /^GET \/admin\/sign-in\/oidc\/?(callback)?$/,
];
const AREAS: readonly [prefix: string, who: CallerKind][] = [
  ['/a2a/', 'buyer'],
  ['/mcp', 'buyer'],
  ['/api/operator/', 'operator'],
  ['/admin/', 'console'],
  ['/portal/', 'portal'],
];
/** A library's routers, and one that is there where an ad server rings. */
const UNLISTED = ['POST /a2a/jsonrpc', 'POST /mcp', 'POST /ad-server/events'];
/** Papers of an API leave out what all of its paths begin with. */
const SHORT_FOR = ['', '/api/operator', '/api/buyer/webhooks'];
const REGISTRY = new Map(endpoints.map((row) => [`${row.method.toUpperCase()} ${routeOf(row)}`, row.access]));
const REGISTRY_PATHS = new Set(endpoints.map(routeOf));

/** Who may call a route: anybody, one kind of caller; undefined where nobody has said. */
function whoMay(route: string): CallerKind | 'anybody' | undefined {
  const [method, path = ''] = route.split(' ');
  const access = REGISTRY.get(route);
  if (access !== undefined) return access === 'required' ? 'buyer' : 'anybody';
  // Preflights and the refusal of other methods, at the paths of endpoints.
  if (method === 'ALL' && REGISTRY_PATHS.has(path)) return 'anybody';
  if (OPEN.some((known) => known.test(route))) return 'anybody';
  return AREAS.find(([prefix]) => path.startsWith(prefix))?.[1];
}

async function call(route: string, as: CallerKind): Promise<number> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replaceAll('\\:', '\u0000').replaceAll(/:\w+/g, 'none').replaceAll('\u0000', ':');
  const leaving = new AbortController();
  const answer = await fetch(`${agent.baseUrl}${path}`, {
    method: method === 'ALL' ? 'GET' : method,
    headers: { ...headersOf[as], 'x-forwarded-for': freshAddress() },
    redirect: 'manual',
    signal: leaving.signal,
  });
  leaving.abort();
  return answer.status;
}

const isRefused = (status: number) => status === 401 || status === 403;

describe('[S5.matrix] every route of the server', () => {
  it('is one of which somebody has said who may call it', () => {
    expect(routes.length).toBeGreaterThan(100);
    expect(routes.filter((route) => whoMay(route) === undefined)).toEqual([]);
  });

  it('refuses whoever is not meant, and nobody who is', async () => {
    const wrong: string[] = [];
    for (const route of routes) {
      const who = whoMay(route);
      if (who === 'anybody' || who === undefined) continue;
      const asked = (Object.keys(headersOf) as CallerKind[]).map(async (as) => {
        const status = await call(route, as);
        // A key of an organization stands for no person, whom some endpoints are for.
        const isAsMeant = as === who ? status !== 401 : isRefused(status);
        if (!isAsMeant) wrong.push(`${route} as ${as}: ${status}`);
      });
      await Promise.all(asked);
    }
    expect(wrong).toEqual([]);
  });

  it('papers name no other, and no address of the agent that nothing answers at', async () => {
    const isAnswered = callsOf([...routes, ...UNLISTED]);
    const isThere = ({ method, path }: Pick<PrintedCall, 'method' | 'path'>) =>
      SHORT_FOR.some((below) => isAnswered({ method, path: below + path }));
    const printed = await callsInPapers();
    expect(printed.length).toBeGreaterThan(300);
    expect([...new Set(printed.filter((call) => !isThere(call)).map(({ says }) => says))]).toEqual([]);
    for (const call of [
      'GET /api/operator/nothing',
      'DELETE /approvals',
      'GET /api/buyer/webhooks/deliveries/x/nothing',
    ]) {
      const [method, path = ''] = call.split(' ');
      expect([call, isThere({ method, path })]).toEqual([call, false]);
    }
  });

  it('that is open asks nobody for a credential', async () => {
    const open = routes.filter((route) => whoMay(route) === 'anybody' && !/^ALL|\^|sign-in/.test(route));
    const wrong: string[] = [];
    for (const route of open) {
      const status = await call(route, 'nobody');
      // An event of the billing provider is believed for its signature.
      if (isRefused(status) && route !== 'POST /api/billing/events') wrong.push(`${route}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });
});

async function keyWith(scopes: readonly Scope[], organization = 'org_demo_buyer'): Promise<string> {
  const deps = { ...agent.core, keys: agent.core.store.collection(apiKeys) };
  return (await createApiKey(deps, { organization_id: organizationId(organization), name: 'test', scopes })).raw;
}

const others = (scope: Scope) => SCOPES.filter((name) => name !== scope);

const WRITES = ['tasks:read', 'tasks:write'] as const;

/** Each operation of A2A by JSON-RPC, and the scopes that it needs, all of them; a message needs its skill's. */
const METHODS = {
  getAgentCard: { method: null, scopes: [] },
  getAuthenticatedExtendedAgentCard: { method: 'GetExtendedAgentCard', scopes: [] },
  sendMessage: { method: 'SendMessage', scopes: [] },
  sendMessageStream: { method: 'SendStreamingMessage', scopes: [] },
  getTask: { method: 'GetTask', scopes: ['tasks:read'] },
  listTasks: { method: 'ListTasks', scopes: ['tasks:read'] },
  cancelTask: { method: 'CancelTask', scopes: WRITES },
  resubscribe: { method: 'SubscribeToTask', scopes: ['tasks:read'] },
  createTaskPushNotificationConfig: { method: 'CreateTaskPushNotificationConfig', scopes: WRITES },
  getTaskPushNotificationConfig: { method: 'GetTaskPushNotificationConfig', scopes: ['tasks:read'] },
  listTaskPushNotificationConfigs: { method: 'ListTaskPushNotificationConfigs', scopes: ['tasks:read'] },
  deleteTaskPushNotificationConfig: { method: 'DeleteTaskPushNotificationConfig', scopes: WRITES },
} as const satisfies Record<keyof A2ARequestHandler, { method: string | null; scopes: readonly Scope[] }>;

describe('[S5.matrix] every method of A2A', () => {
  it.each(Object.values(METHODS).filter(({ scopes }) => scopes.length > 0))(
    '$method needs each of the scopes $scopes',
    async ({ method, scopes }) => {
      const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent)));
      const body = { jsonrpc: '2.0', id: 1, method, params: { id, taskId: id, url: 'http://127.0.0.1:9/' } };
      const statusWith = async (given: readonly Scope[]) => {
        const leaving = new AbortController();
        const { status } = await fetch(`${agent.baseUrl}/a2a/jsonrpc`, {
          ...{ method: 'POST', body: JSON.stringify(body), signal: leaving.signal },
          headers: { ...bearer(await keyWith(given)), 'content-type': 'application/json', 'a2a-version': '1.0' },
        });
        leaving.abort();
        return status;
      };
      for (const scope of scopes) expect(await statusWith(others(scope))).toBe(403);
      expect(await statusWith(scopes)).not.toBe(403);
    },
  );
});

describe('[S5.matrix] every skill', () => {
  it('needs its scope, of a key that has all others', async () => {
    const { tasks } = agent.core.runtime;
    for (const [skill, { scope }] of tasks) {
      const refused = await send({ ...agent, apiKey: await keyWith(others(scope)) }, skill, {});
      expect([skill, refused.status, refused.error?.message]).toEqual([
        ...[skill, 403, `this credential lacks the scope ${scope} that ${skill} needs`],
      ]);
      const allowed = await send({ ...agent, apiKey: await keyWith([scope]) }, skill, {});
      expect([skill, allowed.status === 403]).toEqual([skill, false]);
    }
  });

  it('tells and changes nothing of another organization', async () => {
    const { core } = agent;
    const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent)));
    const name = `owners-${randomUUID()}`;
    const buy = await ask(agent, 'create_media_buy', mediaBuyInput(agent, { buyer_ref: name }));
    const media_buy_id = String(buy['media_buy_id']);
    const [{ package_id }] = buy['packages'] as [{ package_id: string }];
    const organization = `org_${randomUUID()}`;
    const row = { organization_id: organizationId(organization), name: 'Other', state: 'active' } as const;
    await core.store
      .collection(organizations)
      .insert(newOrganization({ ...row, created_at: new Date().toISOString() }));
    const stranger = { ...agent, apiKey: await keyWith(SCOPES, organization) };
    const updates = { action: 'cancel', reason: 'not mine' };
    /** What would tell or change what is the owner's, if anything did. */
    const inputs: Readonly<Record<string, Json[]>> = {
      get_products: [{ brief: name }],
      list_authorized_properties: [{}],
      list_creative_formats: [{}],
      create_media_buy: [],
      update_media_buy: [
        { media_buy_id, updates },
        { media_buy_id, action: 'cancel' },
        { buyer_ref: name, ...updates },
      ],
      sync_creatives: [{ creatives: [], assignments: { mine: [package_id] } }],
      list_creatives: [{}, { filters: { media_buy_ids: [media_buy_id] } }, { filters: { package_ids: [package_id] } }],
      get_media_buys: [{}, { media_buy_ids: [media_buy_id] }, { buyer_ref: name }, { include_webhook_activity: true }],
      get_media_buy_delivery: [{ media_buy_id }, { media_buy_ids: [media_buy_id] }],
      provide_performance_feedback: [
        {
          media_buy_id,
          measurement_period: { start: '2026-01-05T00:00:00Z', end: '2026-01-12T00:00:00Z' },
          performance_index: 1,
        },
      ],
      sync_accounts: [],
      list_accounts: [{}, { status: 'active' }],
      sync_governance: [],
      get_agent_capabilities: [{}],
      get_task_status: [{ task_id: id }],
      list_tasks: [{}, { task_ids: [id] }],
    };
    expect(Object.keys(inputs).sort()).toEqual([...core.runtime.tasks.keys()].sort());
    const stored = async () => [
      await core.store.collection(MediaBuys).get(media_buy_id),
      (
        await core.store
          .collection(Creatives)
          .find({ where: { organization_id: organizationId('org_demo_buyer') }, limit: 100 })
      ).rows,
    ];
    const before = await stored();
    for (const [skill, tried] of Object.entries(inputs)) {
      for (const input of tried) {
        const answer = await send(stranger, skill, input);
        const text = JSON.stringify(answer.error ?? responseIn(answer));
        const told = [media_buy_id, package_id, name, id].filter((secret) => text.includes(secret));
        // What was sent may be named again in a refusal, and nothing else of it.
        const sent = JSON.stringify(input);
        expect([skill, told.filter((secret) => answer.error === undefined || !sent.includes(secret))]).toEqual([
          skill,
          [],
        ]);
      }
    }
    expect(await stored()).toEqual(before);
  });
});
