import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CARD_FILE, cardText } from '../../scripts/write-card.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, rpcClient } from './support/rpc.ts';
import { TASKS } from './support/tasks.ts';

let agent: Agent;
beforeAll(async () => {
  agent = await openAgent({ tasks: TASKS });
});
afterAll(() => agent.close());

/** A card in any generation; tests name the fields they look at. */
interface CardDocument extends Record<string, unknown> {
  supportedInterfaces: object[];
  skills: { id: string; examples: string[] }[];
  securitySchemes: Record<string, object>;
}

async function fetchCard(version?: string, path = '/.well-known/agent-card.json'): Promise<CardDocument> {
  const headers = version === undefined ? {} : { 'A2A-Version': version };
  const response = await fetch(agent.url + path, { headers });
  expect(response.headers.get('content-type')).toBe('application/json');
  return (await response.json()) as CardDocument;
}

it('is generated: the committed file is fresh', async () => {
  expect(await readFile(CARD_FILE, 'utf8')).toBe(await cardText());
});

it('lists one skill per task, with an example that works when it is pasted as text or as data', async () => {
  const card = await fetchCard('1.0');
  expect(card.skills.map(({ id }) => id)).toEqual(['echo', 'build', 'paint', 'wait']);
  const example = card.skills[0]?.examples[0] ?? '';
  const client = rpcClient(agent.url, await agent.newKey(), '1.0');
  for (const parts of [[{ text: example }], [{ data: JSON.parse(example) as unknown }]]) {
    const { result } = await client.call('SendMessage', { message: { ...invoke('echo', {}), parts } });
    expect(result.task.artifacts[0]?.parts[1]?.data).toEqual({ said: 'hello' });
  }
});

it('is served in the generation asked for, at both well-known paths, to anybody', async () => {
  const endpoint = `${agent.url}/a2a/jsonrpc`;
  const modern = await fetchCard('1.0', '/.well-known/agent.json');
  expect(modern.supportedInterfaces[0]).toMatchObject({
    url: endpoint,
    protocolBinding: 'JSONRPC',
    protocolVersion: '1.0',
  });
  expect(Object.keys(modern)).not.toContain('url');
  const legacy = await fetchCard('0.3');
  expect(legacy).toMatchObject({ protocolVersion: '0.3', url: endpoint, preferredTransport: 'JSONRPC' });
  expect(legacy.securitySchemes['bearer']).toMatchObject({ type: 'http', scheme: 'bearer' });
});

it('serves clients that do not say what they speak with one document for both generations', async () => {
  const [both, modern, legacy] = [await fetchCard(), await fetchCard('1.0'), await fetchCard('0.3')];
  for (const field of Object.keys(modern)) {
    if (typeof modern[field] !== 'object') expect(both[field]).toEqual(modern[field]);
    else expect({ value: both[field] }).toMatchObject({ value: modern[field] });
  }
  for (const field of Object.keys(legacy)) expect({ value: both[field] }).toMatchObject({ value: legacy[field] });
});

it('answers conditional requests with 304, by generation', async () => {
  const first = await fetch(`${agent.url}/.well-known/agent-card.json`, { headers: { 'A2A-Version': '1.0' } });
  const etag = first.headers.get('etag') ?? '';
  expect(first.headers.get('cache-control')).toContain('max-age');
  expect(first.headers.get('vary')).toBe('A2A-Version, Accept-Encoding');
  const again = async (version: string) =>
    (
      await fetch(`${agent.url}/.well-known/agent-card.json`, {
        headers: { 'A2A-Version': version, 'If-None-Match': etag },
      })
    ).status;
  expect(await again('1.0')).toBe(304);
  expect(await again('0.3')).toBe(200);
});

it('is compressed as the client likes, the same document under another entity tag', async () => {
  const url = `${agent.url}/.well-known/agent-card.json`;
  const get = async (accepted: string, more: Record<string, string> = {}) => {
    const response = await fetch(url, { headers: { 'A2A-Version': '1.0', 'Accept-Encoding': accepted, ...more } });
    const [encoding, etag, length] = ['content-encoding', 'etag', 'content-length'].map((name) =>
      response.headers.get(name),
    );
    return { encoding, etag: etag ?? '', length: Number(length), status: response.status, text: await response.text() };
  };
  const plain = await get('identity');
  const [gzip, br] = [await get('gzip, br;q=0.5'), await get('gzip;q=0.5, br')];
  expect([plain, gzip, br].map(({ encoding }) => encoding)).toEqual([null, 'gzip', 'br']);
  expect([gzip.text, br.text]).toEqual([plain.text, plain.text]);
  expect(plain.length).toBe(Buffer.byteLength(plain.text));
  expect(Math.max(gzip.length, br.length)).toBeLessThan(plain.length / 2);
  expect(new Set([plain, gzip, br].map(({ etag }) => etag)).size).toBe(3);
  for (const refusing of ['', 'zstd', 'br;q=0, gzip;q=0', 'identity;q=0']) {
    expect((await get(refusing)).encoding).toBeNull();
  }

  expect((await get('br', { 'If-None-Match': br.etag })).status).toBe(304);
  expect((await get('br', { 'If-None-Match': plain.etag })).status).toBe(200);
  const head = await fetch(url, { method: 'HEAD', headers: { 'A2A-Version': '1.0', 'Accept-Encoding': 'br' } });
  expect([head.headers.get('etag'), head.headers.get('content-length')]).toEqual([br.etag, String(br.length)]);
});
