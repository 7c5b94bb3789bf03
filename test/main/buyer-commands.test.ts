import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentCard } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signModernCard } from '../../src/a2a/card/card-signature.ts';
import { writeRunning } from '../../src/main/process/running-file.ts';
import { listen } from '../../src/main/process/listen.ts';
import { mediaBuyInput } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { craft, ED25519, NOW } from '../receiver/craft.ts';
import { runAgentCommand } from './support/cli.ts';

const SKILL = { id: 'buy', name: 'Buy', description: 'Buys.', tags: [] };

let agent: TestAgent;
let folder: string;
beforeAll(async () => {
  agent = await startTestAgent('sqlite');
  folder = await mkdtemp(join(tmpdir(), 'buyer-commands-'));
});
afterAll(async () => {
  await agent.stop();
  await rm(folder, { recursive: true });
});

const run = (args: readonly string[]) => runAgentCommand(args, { BUYER_KEY: agent.apiKey });
async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe('call', () => {
  it('calls a skill by the official client and follows it until it has completed, telling each step once', async () => {
    const input = await file('buy.json', JSON.stringify(mediaBuyInput(agent)));
    const args = ['call', 'create_media_buy', '--to', agent.baseUrl, '--input', input, '--token-env', 'BUYER_KEY'];
    const { status, stdout, stderr } = await run([...args, '--follow', '--json']);
    expect([status, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({
        state: 'completed',
        response: expect.objectContaining({ media_buy_id: expect.any(String) as string }) as object,
      }),
    ]);
    const steps = stderr.trimEnd().split('\n');
    expect(steps.at(-1)).toMatch(/^\S+ {2}completed/);
    expect(new Set(steps).size).toBe(steps.length);
  });

  it('says what is refused, with exit status 1, and what is wrong with the usage, with 2', async () => {
    const to = ['call', 'create_media_buy', '--to', agent.baseUrl, '--token-env', 'BUYER_KEY'];
    const refused = await run(to);
    expect(refused.status).toBe(1);
    expect(refused.stdout + refused.stderr).toMatch(/packages|required/);
    expect(await run([...to, '--input', join(folder, 'none.json')])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--input') as string,
    });
    expect(await run(['call', 'get_products', '--to', 'agent'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--to must be') as string,
    });
    expect(await run(['call', 'x', '--to', agent.baseUrl, '--token-env', 'NO_KEY'])).toMatchObject({ status: 2 });
  });

  it('calls the agent that runs on DATA_DIR where none is named, says so, and calls the named one instead', async () => {
    const here = { DATA_DIR: await mkdtemp(join(folder, 'data-')), BUYER_KEY: agent.apiKey };
    const input = await file('brief.json', JSON.stringify({ brief: 'display' }));
    const args = ['call', 'get_products', '--input', input, '--token-env', 'BUYER_KEY', '--json'];
    const nobody = await runAgentCommand(args, here);
    expect(nobody.status).toBe(2);
    expect(nobody.stdout + nobody.stderr).toContain(
      `no agent runs on ${here.DATA_DIR}; start one, or name it with --to`,
    );
    await writeRunning(here.DATA_DIR, { pid: process.pid, base_url: agent.baseUrl });
    expect(await runAgentCommand(args, here)).toEqual({
      ...{ status: 0, stdout: expect.stringContaining('"state":"completed"') as string },
      stderr: `calling ${agent.baseUrl}, the agent that runs on ${here.DATA_DIR}\n`,
    });
    await writeRunning(here.DATA_DIR, { pid: process.pid, base_url: 'http://127.0.0.1:1' });
    expect(await runAgentCommand([...args, '--to', agent.baseUrl], here)).toMatchObject({ status: 0, stderr: '' });
  });

  it('sends the key to the origin that was named and to no other, whatever its card says', async () => {
    const card = await (
      await fetch(`${agent.baseUrl}/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } })
    ).text();
    const server = await listen('127.0.0.1', 0);
    server.answer((_, response) => response.setHeader('content-type', 'application/json').end(card));
    try {
      const { status, stderr } = await run(['call', 'get_products', '--to', server.url, '--key', agent.apiKey]);
      expect([status, stderr]).toEqual([1, expect.stringContaining(`the key is sent to ${server.url} alone`)]);
    } finally {
      await server.stop();
    }
  });
});

describe('card check', () => {
  it('verifies the signatures, and finds nothing wrong with the card of this agent', async () => {
    expect(await run(['card', 'check', agent.baseUrl])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/problems +none\n$/) as string,
    });
  });

  it.each([
    [
      'a changed one',
      {},
      { description: 'Changed.' },
      'no signature verifies: that of key card-1 is not over this card',
    ],
    ['an unsigned one', {}, { signatures: [] }, 'it is not signed'],
    ['one that nobody can call', { supportedInterfaces: [] }, {}, 'nobody can call the agent'],
    ['skills of one id', { skills: [SKILL, SKILL] }, {}, 'two skills have the id buy'],
    ['a nameless one', { name: '' }, {}, 'name is missing'],
    ['one by a key elsewhere', {}, {}, 'jku is not at'],
    ['one by a key that is not published', {}, {}, 'has no key card-1'],
  ])('tells %s, and nothing else, with exit status 1', async (which, before, after, told) => {
    const server = await listen('127.0.0.1', 0);
    const jku = which.includes('elsewhere') ? 'https://else.example/jwks.json' : `${server.url}/jwks.json`;
    const card = AgentCard.fromJSON({
      ...{ name: 'Ann', description: 'Sells.', version: '1', skills: [SKILL] },
      supportedInterfaces: [{ url: `${server.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      ...before,
    });
    const { privateKey, publicJwk } = ED25519;
    const signatures = await signModernCard(card, { kid: 'card-1', alg: 'EdDSA', jku, privateKey });
    const served = JSON.stringify({ ...(AgentCard.toJSON(card) as object), signatures, ...after });
    const kid = which.includes('not published') ? 'card-2' : 'card-1';
    const keys = JSON.stringify({ keys: [{ ...publicJwk, kid }] });
    server.answer(({ url }, response) => response.end(url === '/jwks.json' ? keys : served));
    try {
      const { status, stdout } = await run(['card', 'check', server.url]);
      expect([status, stdout]).toEqual([1, expect.stringMatching(/problems +1\n/)]);
      expect(stdout).toContain(told);
    } finally {
      await server.stop();
    }
  });
});

describe('verify', () => {
  async function kept(changed = false): Promise<string[]> {
    const { headers, rawBody, url } = craft();
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const body = changed ? Buffer.concat([rawBody, Buffer.from(' ')]) : rawBody;
    return [
      ...['verify', '--headers', await file('head.txt', lines.join('\r\n')), '--body', await file('body', body)],
      ...['--url', url, '--jwks', await file('jwks.json', JSON.stringify({ keys: [ED25519.publicJwk] }))],
    ];
  }
  const then = ['--at', new Date(NOW).toISOString()];

  it('verifies a webhook that was kept, as of its time, with the kit that buyers receive with', async () => {
    expect(await run([...(await kept()), ...then])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^verified +yes\n[^]*key +key-1/) as string,
    });
  });

  it('names the step that fails: the body, the time, the URL', async () => {
    const digest = await run([...(await kept(true)), ...then]);
    expect([digest.status, digest.stdout]).toEqual([1, expect.stringMatching(/failed at step +11, the digest/)]);
    const late = await run([...(await kept()), '--json']);
    expect([late.status, JSON.parse(late.stdout)]).toEqual([
      1,
      expect.objectContaining({ ok: false, code: 'webhook_signature_window_invalid' }),
    ]);
    const elsewhere = await run([...(await kept()), ...then, '--url', 'https://elsewhere.example/']);
    expect(elsewhere.stdout).toMatch(/failed at step +10,/);
  });

  it('wants one source of keys, and a URL', async () => {
    const args = await kept();
    expect(await run(args.slice(0, 7))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('one of --card, --jwks and --secret-env') as string,
    });
    expect(await run([...args.slice(0, 5), ...args.slice(7)])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--url is needed') as string,
    });
  });
});
