import { createHash, createPublicKey, verify } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { AgentCard } from '@a2a-js/sdk';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retireBadges } from '../../src/directory/badge/retire-badges.ts';
import { refreshBadges } from '../../src/registry/badge/refresh-badges.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false });
});
afterAll(() => agent.stop());

const PATHS = [
  '/.well-known/agent-card.json',
  '/.well-known/agent.json',
  '/a2a/.well-known/agent-card.json',
  '/a2a/.well-known/agent.json',
];
const VERSIONS = ['1.0', '0.3', undefined];
const CASES = PATHS.flatMap((path) => VERSIONS.map((version) => ({ path, version })));

interface Card extends Record<string, unknown> {
  signatures: { protected: string; signature: string }[];
  securitySchemes: Record<string, Record<string, unknown>>;
  securityRequirements: { schemes: Record<string, unknown> }[];
  security: Record<string, unknown>[];
}

function get(path: string, version: string | undefined, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(agent.baseUrl + path, {
    headers: { ...headers, ...(version !== undefined && { 'A2A-Version': version }) },
  });
}

async function card(path: string, version?: string): Promise<Card> {
  return (await (await get(path, version)).json()) as Card;
}

/** RFC 8785 for a document whose numbers are small integers, written anew: nothing of the agent's own takes part. */
function jcs(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${jcs((value as Record<string, unknown>)[name])}`).join(',')}}`;
}

async function keyAt(jku: string, kid: string): Promise<JsonWebKey> {
  const { keys } = (await (await fetch(jku)).json()) as { keys: (JsonWebKey & { kid: string })[] };
  const found = keys.find((key) => key.kid === kid);
  if (found === undefined) throw new Error(`no key ${kid}`);
  return found;
}

describe.each(CASES)('the card at $path, asked for as $version', ({ path, version }) => {
  it('is signed by a key of the agent’s key set over what is served, as plain cryptography says', async () => {
    const { signatures, ...document } = await card(path, version);
    const verdicts = await Promise.all(
      signatures.map(async (one) => {
        const header = JSON.parse(Buffer.from(one.protected, 'base64url').toString()) as Record<string, string>;
        expect(header).toMatchObject({ alg: expect.any(String) as string, kid: expect.any(String) as string });
        const key = createPublicKey({ key: await keyAt(header['jku'] ?? '', header['kid'] ?? ''), format: 'jwk' });
        const signed = Buffer.from(`${one.protected}.${Buffer.from(jcs(document)).toString('base64url')}`);
        return verify(null, signed, key, Buffer.from(one.signature, 'base64url'));
      }),
    );
    expect(verdicts).toContain(true);
  });

  it('is not sent again to who has it', async () => {
    const first = await get(path, version);
    const [etag = '', modified = ''] = ['etag', 'last-modified'].map((name) => first.headers.get(name) ?? '');
    expect(etag).toContain(
      createHash('sha256')
        .update(Buffer.from(await first.arrayBuffer()))
        .digest('base64url')
        .slice(0, 20),
    );
    for (const headers of [
      { 'If-None-Match': etag },
      { 'If-None-Match': `"other", W/${etag}` },
      { 'If-None-Match': '*' },
      { 'If-Modified-Since': modified },
    ] as Record<string, string>[]) {
      const again = await get(path, version, headers);
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    }
    expect((await get(path, version, { 'If-None-Match': '"other"' })).status).toBe(200);
    // An entity tag decides alone.
    expect((await get(path, version, { 'If-None-Match': '"other"', 'If-Modified-Since': modified })).status).toBe(200);
  });
});

it('is alone among the answers of A2A in having an ETag', async () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
  const headers = { Authorization: `Bearer ${agent.apiKey}`, 'Content-Type': 'application/json', 'A2A-Version': '1.0' };
  const listed = await Promise.all([
    fetch(`${agent.baseUrl}/a2a/jsonrpc`, { method: 'POST', headers, body: JSON.stringify(call) }),
    fetch(`${agent.baseUrl}/a2a/rest/tasks`, { headers }),
    fetch(`${agent.baseUrl}/a2a/rest/tasks/unknown`, { headers }),
    fetch(`${agent.baseUrl}/a2a/jsonrpc`, { method: 'POST', body: '{}' }),
  ]);
  expect(listed.map(({ status }) => status)).toEqual([200, 200, 404, 401]);
  expect(listed.map((answer) => [answer.headers.get('etag'), answer.headers.get('x-powered-by')])).toEqual(
    listed.map(() => [null, null]),
  );
});

it('declares security schemes as each generation writes them, and requires only those', async () => {
  const modern = await card(PATHS[0] ?? '', '1.0');
  const known = ['apiKeySecurityScheme', 'httpAuthSecurityScheme', 'oauth2SecurityScheme'];
  for (const scheme of Object.values(modern.securitySchemes)) {
    expect(Object.keys(scheme)).toHaveLength(1);
    expect(known).toContain(Object.keys(scheme)[0]);
  }
  expect(AgentCard.toJSON(AgentCard.fromJSON(modern))).toEqual(modern);
  const legacy = await card(PATHS[0] ?? '', '0.3');
  const required = { http: ['scheme'], apiKey: ['in', 'name'], oauth2: ['flows'] };
  for (const scheme of Object.values(legacy.securitySchemes)) {
    for (const field of required[scheme['type'] as keyof typeof required]) expect(scheme).toHaveProperty(field);
  }
  const names = Object.keys(modern.securitySchemes).sort();
  expect(modern.securityRequirements.flatMap(({ schemes }) => Object.keys(schemes)).sort()).toEqual(names);
  expect(legacy.security.flatMap((requirement) => Object.keys(requirement)).sort()).toEqual(names);
});

it('[R11.verified] signs of its own agent what its own check saw, for a stranger with the published keys, and no longer once that is over', async () => {
  const { baseUrl, core } = agent;
  await refreshBadges({ ...core, ownUrl: baseUrl }, baseUrl);
  const place = `${baseUrl}/api/registry/agents/${encodeURIComponent(baseUrl)}/badge/media-buy/verification.json`;
  const statement = async () => (await (await fetch(place)).json()) as { jwt: string | null; verified: boolean };
  const { jwt, verified } = await statement();
  expect(verified).toBe(true);
  const { jku = '' } = decodeProtectedHeader(jwt ?? '') as { jku?: string };
  expect(new URL(jku).origin).toBe(baseUrl);
  const { payload } = await jwtVerify(jwt ?? '', createRemoteJWKSet(new URL(jku)), {
    ...{ issuer: baseUrl, subject: baseUrl, typ: 'agent-verification+jwt' },
  });
  expect(payload).toMatchObject({ role: 'media-buy', step: 'verified' });
  const [head = '', , signature = ''] = (jwt ?? '').split('.');
  const claims = Buffer.from(JSON.stringify({ ...payload, role: 'brand' })).toString('base64url');
  const forged = jwtVerify(`${head}.${claims}.${signature}`, createRemoteJWKSet(new URL(jku)));
  await expect(forged).rejects.toThrow('signature verification failed');
  await retireBadges(core, baseUrl);
  expect(await statement()).toMatchObject({ verified: false, jwt: null });
});
