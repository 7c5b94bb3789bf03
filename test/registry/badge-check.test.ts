import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import { badges } from '../../src/directory/badge/badge.ts';
import { feedEvents, subjectName } from '../../src/directory/feed/feed-event.ts';
import { checkId, scheduleCheck, scheduledChecks } from '../../src/directory/scheduled-check/scheduled-check.ts';
import { doRegistryJobs } from './support/registry-jobs.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import { silent } from '../directory/support/installation.ts';
import { STORES } from '../support/stores.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { protocolNames } from '../../src/platform/protocol-name.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import type { TestServer } from '../platform/outbound/support/servers.ts';
import { bodyOf, cardOf, json, mcpServer } from './support/agents.ts';
import { BASE_URL, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';
import { spoilRow } from '../support/spoil-row.ts';

/** The one that differs most from what other tests run on. */
const kind = STORES.at(-1) ?? 'sqlite';

let at: Registry;
beforeAll(async () => {
  at = await startRegistry(kind);
});
afterAll(() => at.close());

const { agentCardExtensionUri } = protocolNames();

/** What an agent of a test does; changed to see what a check makes of it. */
interface Behaviour {
  skills: string[];
  version: string | undefined;
  /** What its key set holds; undefined: no brand.json. */
  keys: object[] | undefined;
  answers:
    | 'products'
    | 'refusal'
    | 'credential refusal'
    | 'not found'
    | 'nobody’s id'
    | 'failed products'
    | 'products by halves'
    | 'products in one'
    | 'unauthorized'
    | 'empty result'
    | 'method not found'
    | 'internal error'
    | 'under another id'
    | 'bare 401'
    | 'garbage';
  /** Whether its card says that calls need a credential. */
  asks: boolean;
  /** What it says of that instead of: a token, by the bearer scheme. */
  security: object | undefined;
  /** What it asks for one by. */
  challenge: string;
  /** Where its card and its brand.json lead; default: to itself. */
  rpcOrigin: string | undefined;
  keysOrigin: string | undefined;
  isAway: boolean;
  /** What it answers over MCP, and then over nothing else. */
  overMcp: object | undefined;
}

async function openAgent(): Promise<{ server: TestServer; does: Behaviour; called: unknown[] }> {
  const { publicKey } = await generateKeyPair('EdDSA');
  const key = { ...(await exportJWK(publicKey)), kid: 'k', proto_use: 'request-signing' };
  const does: Behaviour = {
    skills: ['get_products', 'create_media_buy'],
    version: '3.1',
    keys: [key],
    answers: 'products',
    asks: true,
    security: undefined,
    challenge: 'Bearer',
    rpcOrigin: undefined,
    keysOrigin: undefined,
    isAway: false,
    overMcp: undefined,
  };
  const called: unknown[] = [];
  const server = await serveHttp((request, response) => {
    const origin = `http://${request.headers.host ?? ''}`;
    if (does.isAway) {
      request.socket.destroy();
      return;
    }
    switch (request.url) {
      case '/.well-known/agent-card.json': {
        const params = does.version === undefined ? {} : { proto_version: does.version };
        const capabilities = { extensions: [{ uri: agentCardExtensionUri, params }] };
        const url = `${does.rpcOrigin ?? origin}/rpc`;
        const protocolBinding = does.overMcp === undefined ? 'JSONRPC' : 'GRPC';
        const supportedInterfaces = [{ url, protocolBinding, protocolVersion: '1.0' }];
        const scheme = { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } };
        const bearer = { securitySchemes: scheme, securityRequirements: [{ schemes: { bearer: {} } }] };
        const security = does.asks && (does.security ?? bearer);
        json(response, cardOf('Checked', does.skills, { capabilities, supportedInterfaces, ...security }));
        return;
      }
      case '/.well-known/brand.json':
        if (does.keys === undefined) response.writeHead(404).end();
        else json(response, { agents: [{ url: origin, jwks_uri: `${does.keysOrigin ?? origin}/keys` }] });
        return;
      case '/keys':
        json(response, { keys: does.keys });
        return;
      case '/rpc':
        void bodyOf(request).then((body) => {
          const call = JSON.parse(body) as { id: string };
          called.push(call);
          ANSWERS[does.answers](response, call.id, does.challenge, body);
        });
        return;
      case '/mcp':
        if (does.overMcp === undefined) response.writeHead(404).end();
        else void mcpServer({ path: '/mcp', tools: does.skills, answers: does.overMcp })(request, response);
        return;
      default:
        response.writeHead(404).end();
    }
  });
  return { server, does, called };
}

const resultOf = (data: object) => ({ task: { id: 't', artifacts: [{ artifactId: 'a', parts: [{ data }] }] } });
const PRODUCT = {
  ...{ product_id: 'home', name: 'Home page', description: 'All of the home page', delivery_type: 'guaranteed' },
  publisher_properties: [{ publisher_domain: 'paper.example', selection_type: 'all' }],
  ...{ format_ids: [], pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD' }] },
};
const PRODUCTS = { products: [PRODUCT] };
const refusalOf = (code: string) => ({ errors: [{ code, message: 'no' }] });
const REFUSAL = { errors: [{ code: 'INVALID_REQUEST', message: 'brief: send one' }] };

type Respond = (response: ServerResponse, id: string, challenge: string, text: string) => void;
const data =
  (value: object): Respond =>
  (response, id) => {
    json(response, { jsonrpc: '2.0', id, result: resultOf(value) });
  };

const ANSWERS: Record<Behaviour['answers'], Respond> = {
  products: data(PRODUCTS),
  refusal: data(REFUSAL),
  'credential refusal': data(refusalOf('AUTH_REQUIRED')),
  'failed products': data({ ...PRODUCTS, status: 'failed', adcp_error: { code: 'AUTH_GONE', message: 'no' } }),
  'products by halves': data({ products: [PRODUCT, { ...PRODUCT, delivery_type: undefined }] }),
  'products in one': data({ products: PRODUCT }),
  'not found': data(refusalOf('PLAN_NOT_FOUND')),
  'nobody’s id': (response, id, challenge, text) => {
    data(refusalOf(text.includes('"plan_id"') ? 'PLAN_NOT_FOUND' : 'INVALID_REQUEST'))(response, id, challenge, text);
  },
  unauthorized: (response, _id, challenge) => {
    json(response, {}, 401, { 'www-authenticate': challenge });
  },
  'empty result': (response, id) => {
    json(response, { jsonrpc: '2.0', id, result: { task: {} } });
  },
  'method not found': (response, id) => {
    json(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
  },
  'internal error': (response) => {
    json(response, { jsonrpc: '2.0', id: 1, error: { code: -32603 } });
  },
  'under another id': (response) => {
    json(response, { jsonrpc: '2.0', id: 1, result: resultOf(PRODUCTS) });
  },
  'bare 401': (response) => response.writeHead(401).end(),
  garbage: (response) => response.end('<html>'),
};

/** Registers an agent as somebody's and answers how to have it checked. */
async function registered(url: string) {
  const { organization_id } = await at.organization({});
  const key = await at.apiKey(organization_id);
  const agent_id = randomUUID();
  const now = toTimestamp(at.clock.now());
  await at.store.collection(agents).insert({
    ...{ agent_id, organization_id, url, name: 'Checked', type: 'sales', visibility: 'public' },
    ...{ created_at: now, updated_at: now, revision: 1 },
  });
  const check = (credential = key) =>
    at.post(`/api/me/agents/${agent_id}/badges/check`).set('Authorization', `Bearer ${credential}`);
  const verified = async (version = '3.1') =>
    (
      (await at.get(`/api/registry/agents/${encodeURIComponent(url)}/badge/media-buy/${version}/embed`)).body as {
        verified: boolean;
      }
    ).verified;
  return { agent_id, key, check, verified };
}

/** What is said of an agent for machines. */
async function shown(url: string) {
  const answer = await at.get(`/api/registry/agents/${encodeURIComponent(url)}/badge/media-buy/3.1/verification.json`);
  expect(answer.status).toBe(200);
  return answer.body as Statement;
}

interface Statement {
  verified: boolean;
  step: string | null;
  jwt: string | null;
  keys: string;
  expires_at: string | null;
}

describe(`checking an agent for badges on ${kind}`, () => {
  it('[R11] issues a badge to an agent whose card resolves, tasks answer and keys are published', async () => {
    const { server, called } = await openAgent();
    const { check, verified } = await registered(server.origin);
    expect(await verified()).toBe(false);
    const answer = await check();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      reachable: true,
      badges: [{ role: 'media-buy', version: '3.1', status: 'earned', step: 'verified', proof: 'answered' }],
    });
    expect(await verified()).toBe(true);
    expect(called).toHaveLength(1);
    expect(JSON.stringify(called[0])).toContain('get_products');
  });

  it.each([
    ['lacks a task of the role', { skills: ['get_products'] }, 'does not declare'],
    ['declares no protocol release', { version: undefined }, 'no protocol release'],
    ['declares a release of another shape', { version: '3' }, 'no protocol release'],
    ['declares a release that does not exist', { version: '9.9' }, 'which is not known'],
  ] as const)('[R11] refuses, and revokes, the badge of an agent that %s', async (_, change, reason) => {
    const { server, does } = await openAgent();
    const { check, verified } = await registered(server.origin);
    await check();
    expect(await verified()).toBe(true);
    Object.assign(does, change);
    const answer = await check();
    expect(answer.body).toMatchObject({
      badges: [{ status: 'revoked', reason: expect.stringContaining(reason) as string }],
    });
    expect(await verified()).toBe(false);
  });

  it.each([
    ['publishes no brand.json', { keys: undefined }, 'no brand.json'],
    ['publishes no key', { keys: [] }, 'no key for signing'],
    ['publishes keys of another use', { keys: [{ kid: 'k', proto_use: 'other' }] }, 'no key for signing'],
    ['publishes its private key', { keys: [{ kid: 'k', proto_use: 'request-signing', d: 'x' }] }, 'no key for signing'],
    ['publishes a key without material', { keys: [{ kid: 'k', proto_use: 'request-signing' }] }, 'no public key'],
    [
      'publishes a key that is no point of its curve',
      { keys: [{ kid: 'k', proto_use: 'request-signing', kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }] },
      'no public key',
    ],
    [
      'names a key set on another site',
      { keysOrigin: 'http://127.0.0.2:1' },
      'key set is on a site that is not its own',
    ],
    ['names an address on another site', { rpcOrigin: 'http://127.0.0.2:1' }, 'a site that is not its own'],
    ['does not know the method', { answers: 'method not found' }, 'not answered by its schema'],
    ['answers every call with an internal error', { answers: 'internal error' }, 'under the id that was sent'],
    ['answers every call with the same file', { answers: 'under another id' }, 'under the id that was sent'],
    ['answers a task with nothing in it', { answers: 'empty result' }, 'not answered by its schema'],
    [
      'answers a task without a member that every release requires',
      { answers: 'products by halves' },
      'get_products is not answered by its schema: see products.1.delivery_type',
    ],
    ['answers a task by another type', { answers: 'products in one' }, 'not answered by its schema: see products'],
    ['answers what is no JSON-RPC', { answers: 'garbage' }, 'under the id that was sent'],
    ['answers 401 without a challenge', { answers: 'bare 401' }, 'without a challenge'],
    ['answers a task by a refusal', { answers: 'refusal' }, '(INVALID_REQUEST), which proves nothing'],
    ['answers a task with what it says has failed', { answers: 'failed products', asks: false }, 'AUTH_GONE'],
    [
      'asks for a credential that its card does not speak of',
      { answers: 'unauthorized', asks: false },
      'a scheme that its card requires',
    ],
    [
      'refuses for want of a credential that its card does not speak of',
      { answers: 'credential refusal', asks: false },
      'AUTH_REQUIRED',
    ],
    [
      'asks by another scheme than its card requires',
      { answers: 'unauthorized', challenge: 'Basic realm="a"' },
      'its card requires',
    ],
    [
      'names the scheme in quotes or as a parameter alone',
      { answers: 'unauthorized', challenge: 'Basic realm="x, Bearer y", bearer="z"' },
      'its card requires',
    ],
    [
      'declares a scheme that it does not require',
      {
        answers: 'unauthorized',
        security: {
          securitySchemes: { a: { type: 'http', scheme: 'bearer' }, b: { type: 'http', scheme: 'basic' } },
          security: [{ b: [] }],
        },
      },
      'its card requires',
    ],
    [
      'requires a scheme that it does not declare',
      {
        answers: 'unauthorized',
        security: { securitySchemes: { a: { type: 'mutualTLS' } }, security: [{ bearer: [] }, { a: [] }] },
      },
      'its card requires',
    ],
  ] as const)('[R11] [R11.verified] calls declared, and not verified, an agent that %s', async (_, change, reason) => {
    const { server, does } = await openAgent();
    const { check, verified } = await registered(server.origin);
    Object.assign(does, change);
    const declared = {
      status: 'earned',
      step: 'declared',
      proof: null,
      reason: expect.stringContaining(reason) as string,
    };
    expect((await check()).body).toMatchObject({ badges: [declared] });
    expect(await verified()).toBe(false);
    expect(await shown(server.origin)).toMatchObject({ verified: false, step: 'declared', jwt: null });
    // Verified once, it is so no longer.
    Object.assign(does, (await openAgent()).does);
    await check();
    expect(await verified()).toBe(true);
    Object.assign(does, change);
    expect((await check()).body).toMatchObject({ badges: [declared] });
    expect(await verified()).toBe(false);
  });

  it.each([
    ['Basic realm="x, y", Bearer realm="z"', undefined],
    ['bEARER error="invalid_token"', { securitySchemes: { a: { type: 'oauth2' } }, security: [{ a: ['read'] }] }],
    [
      'DPoP',
      { securitySchemes: { a: { openIdConnectSecurityScheme: {} } }, securityRequirements: [{ schemes: { a: {} } }] },
    ],
    ['ApiKey', { securitySchemes: { a: { type: 'apiKey', in: 'header', name: 'X-Key' } }, security: [{ a: [] }] }],
  ] as const)(
    '[R11.verified] calls protected, and not verified, an agent with the challenge %s where the card requires its scheme',
    async (challenge, security) => {
      const { server, does } = await openAgent();
      Object.assign(does, { answers: 'unauthorized', challenge, security });
      const { check, verified } = await registered(server.origin);
      const known = {
        ...{ step: 'protected', proof: 'asks_for_credential' },
        reason: 'get_products asks for a credential, so nobody has seen it answered',
      };
      expect((await check()).body).toMatchObject({ badges: [{ status: 'earned', ...known }] });
      expect(await verified()).toBe(false);
      expect(await shown(server.origin)).toMatchObject({ verified: false, ...known, jwt: null, expires_at: null });
      // What it was verified for, it is no more; and is again, once it answers.
      Object.assign(does, { answers: 'products' });
      await check();
      expect(await verified()).toBe(true);
      Object.assign(does, { answers: 'credential refusal' });
      expect((await check()).body).toMatchObject({ badges: [known] });
      expect(await verified()).toBe(false);
    },
  );

  it('[R11.verified] believes an agent that finds no plan of nobody’s id, and misses one that is not sent', async () => {
    const { server, does } = await openAgent();
    const { check } = await registered(server.origin);
    Object.assign(does, { skills: ['check_governance'], answers: 'nobody’s id' });
    expect((await check()).body).toMatchObject({ badges: [{ role: 'governance', step: 'verified' }] });
    Object.assign(does, { answers: 'not found' });
    expect((await check()).body).toMatchObject({
      badges: [{ step: 'declared', reason: expect.stringContaining('PLAN_NOT_FOUND') as string }],
    });
  });

  it('[R11.verified] [S6] shows what an earlier release called verified for a challenge as protected, and tells the feed at the next check', async () => {
    const { server, does } = await openAgent();
    Object.assign(does, { answers: 'unauthorized' });
    const { check, verified } = await registered(server.origin);
    await check();
    const { rows } = await at.store.collection(badges).find({ where: { agent_url: server.origin } });
    const badge_id = rows[0]?.badge_id ?? '';
    expect(rows).toMatchObject([{ step: 'declared', proof: 'asks_for_credential' }]);
    await at.store.collection(badges).update(badge_id, (row) => ({ ...row, step: 'verified', reason: null }));
    expect(await verified()).toBe(false);
    expect(await shown(server.origin)).toMatchObject({ verified: false, step: 'protected', jwt: null });
    const events = at.store.collection(feedEvents);
    const subject = subjectName({ kind: 'badge', key: badge_id });
    const told = async () => (await events.find({ where: { subject } })).rows;
    const [first] = await told();
    await events.update(first?.event_id ?? '', ({ state_json, ...row }) => ({
      ...row,
      state_json: String(state_json).replace('protected', 'verified'),
    }));
    await check();
    const { state_json } = (await told()).at(-1) ?? {};
    expect(JSON.parse(state_json ?? '')).toMatchObject({ step: 'protected' });
  });

  it('[R11.verified] takes a right answer over MCP for a proof, and names what is wrong with another', async () => {
    const { server, does, called } = await openAgent();
    const { check, verified } = await registered(server.origin);
    does.overMcp = PRODUCTS;
    expect((await check()).body).toMatchObject({ badges: [{ step: 'verified', proof: 'answered' }] });
    expect(await verified()).toBe(true);
    does.overMcp = { products: [{ product_id: 'home', name: 'Home page' }] };
    expect((await check()).body).toMatchObject({
      badges: [{ step: 'declared', reason: 'get_products is not answered by its schema: see products.0.description' }],
    });
    expect(await verified()).toBe(false);
    expect(called).toEqual([]);
  });

  it('[R11.verified] takes a result by the schema of the task for a proof', async () => {
    const { server, does } = await openAgent();
    Object.assign(does, { asks: false });
    const { check } = await registered(server.origin);
    expect((await check()).body).toMatchObject({ badges: [{ step: 'verified', proof: 'answered', reason: null }] });
  });

  it('[R11.verified] signs what it verified, for whoever has the published keys, until a time', async () => {
    const { server } = await openAgent();
    const { check } = await registered(server.origin);
    await check();
    const statement = await shown(server.origin);
    const keys = createLocalJWKSet(await at.webhooks.jwks());
    const { payload, protectedHeader } = await jwtVerify(statement.jwt ?? '', keys, {
      ...{ issuer: BASE_URL, subject: server.origin, typ: 'agent-verification+jwt' },
      currentDate: new Date(at.clock.now()),
    });
    expect(payload).toMatchObject({
      role: 'media-buy',
      version: '3.1',
      step: 'verified',
      proof: 'answered',
    });
    expect(protectedHeader.jku).toBe(statement.keys);
    expect(toTimestamp((payload.exp ?? 0) * 1000).slice(0, 19)).toBe(statement.expires_at?.slice(0, 19));
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(86_400);
    const late = { currentDate: new Date(at.clock.now() + 86_401_000) };
    await expect(jwtVerify(statement.jwt ?? '', keys, late)).rejects.toThrow('exp');
    const unpinned = await at.get(
      `/api/registry/agents/${encodeURIComponent(server.origin)}/badge/media-buy/verification.json`,
    );
    expect(unpinned.body).toMatchObject({ verified: true, proto_version: '3.1' });
    const none = await at.get(
      `/api/registry/agents/${encodeURIComponent(server.origin)}/badge/brand/3.1/verification.json`,
    );
    expect(none.body).toMatchObject({ verified: false, step: null, jwt: null });
  });

  it('[R11] keeps the badge of an agent that is away for up to two days, then revokes it, and issues it again', async () => {
    const { server, does } = await openAgent();
    const { check, verified } = await registered(server.origin);
    await check();
    does.isAway = true;
    at.clock.advance(47 * 3_600_000);
    expect((await check()).body).toMatchObject({ reachable: false, reason: expect.any(String) as string });
    expect(await verified()).toBe(true);
    at.clock.advance(2 * 3_600_000);
    await check();
    expect(await verified()).toBe(false);
    does.isAway = false;
    await check();
    expect(await verified()).toBe(true);
  });

  it('[R11] lets a newer minor release keep the older badge, and an older or other major one lose it', async () => {
    const { server, does } = await openAgent();
    const { check, verified } = await registered(server.origin);
    await check();
    does.version = '3.2';
    await check();
    expect([await verified('3.1'), await verified('3.2')]).toEqual([true, true]);
    does.version = '3.1';
    await check();
    expect([await verified('3.1'), await verified('3.2')]).toEqual([true, false]);
    does.version = '2.5';
    await check();
    expect([await verified('3.1'), await verified('2.5')]).toEqual([false, true]);
  });

  it('[R11] leaves one badge after many checks at once', async () => {
    const { server } = await openAgent();
    const { check } = await registered(server.origin);
    await Promise.all(Array.from({ length: 8 }, () => check()));
    expect(await at.store.collection(badges).count({ agent_url: server.origin })).toBe(1);
  });

  /** What a worker does from time to time. */
  const doJobs = async () => {
    const changeSignal = {
      publish: () => Promise.resolve(),
      subscribe: () => Promise.resolve(() => undefined),
      close: () => Promise.resolve(),
    };
    const outbound = createOutbound({ allowLoopback: true });
    await doRegistryJobs({ ...at, changeSignal, outbound, log: silent, names: protocolNames(), baseUrl: BASE_URL });
    await outbound.close();
  };

  it('[R11] revokes the badges of an agent that is deleted, also when the process dies in between or a check is under way', async () => {
    const { server } = await openAgent();
    const { agent_id, key, check, verified } = await registered(server.origin);
    await check();
    const gone = await at.send('delete', `/api/me/agents/${agent_id}`).set('Authorization', `Bearer ${key}`);
    expect(gone.status).toBe(204);
    expect(await verified()).toBe(false);

    const again = await openAgent();
    const left = await registered(again.server.origin);
    await left.check();
    await scheduleCheck(at, 'badges', again.server.origin);
    await at.store.collection(agents).delete(left.agent_id);
    // What is left shows nothing, and is what a worker tidies.
    expect(await left.verified()).toBe(false);
    const held = () => at.store.collection(badges).find({ where: { agent_url: again.server.origin } });
    expect((await held()).rows).toMatchObject([{ status: 'earned' }]);
    await doJobs();
    expect((await held()).rows).toMatchObject([{ status: 'revoked' }]);
    expect(await at.store.collection(scheduledChecks).get(checkId('badges', again.server.origin))).toBeUndefined();
  });

  it('[R11] [S6] revokes a badge that could not be read when its agent was deleted, once it can be', async () => {
    const { server } = await openAgent();
    const { agent_id, key, check, verified } = await registered(server.origin);
    await check();
    await scheduleCheck(at, 'badges', server.origin);
    const { rows } = await at.store.collection(badges).find({ where: { agent_url: server.origin } });
    const mend = await spoilRow(() => at.another([]), badges, rows[0]?.badge_id ?? '', 'version');
    const gone = await at.send('delete', `/api/me/agents/${agent_id}`).set('Authorization', `Bearer ${key}`);
    expect(gone.status).toBe(204);
    await mend();
    const held = () => at.store.collection(badges).find({ where: { agent_url: server.origin } });
    expect((await held()).rows).toMatchObject([{ status: 'earned' }]);
    await doJobs();
    expect((await held()).rows).toMatchObject([{ status: 'revoked' }]);
    expect(await verified()).toBe(false);
    expect(await at.store.collection(scheduledChecks).get(checkId('badges', server.origin))).toBeUndefined();
  });

  it('[T5] checks only for who manages the agent', async () => {
    const { server } = await openAgent();
    const { check } = await registered(server.origin);
    const { organization_id } = await at.organization({});
    expect((await check(await at.apiKey(organization_id))).status).toBe(404);
    expect((await check(await at.apiKey(organization_id, ['registry:read']))).status).toBe(403);
  });
});
