import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { withMoreTime } from '../support/with-more-time.ts';
import { launch, startChild } from '../journeys/support/child.ts';
import { onMongodb } from '../support/mongo-settings.ts';
import { hasMongodb } from '../support/stores.ts';
import { withEditedCatalog } from '../sales/support/demo-catalog.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { followLink } from '../admin/support/follow-link.ts';
import { runAgentCommand } from './support/cli.ts';
import { openMiddleBox } from './support/middle-box.ts';

const RUN = 'scripts/run.mjs';
const KEY = `mk_live_${randomUUID().replaceAll('-', '')}`;

let dir: string;
let quiet: Record<string, string>;
const cleanUp: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-process-'));
  quiet = { PORT: '0', DATA_DIR: dir, LOG_LEVEL: 'warn', DRAIN_SECONDS: '0' };
});
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
  await rm(dir, { recursive: true, force: true });
});

/** `npm run COMMAND -- --json` on the folder of this test; ended with the test. */
async function start(command: string, env: Record<string, string> = {}) {
  const child = await startChild(RUN, { ...quiet, ...env }, [command, '--json']);
  cleanUp.push(() => child.kill('SIGTERM'));
  return child;
}

/** What the commands of this machine know of the agent that runs. */
async function running(): Promise<unknown> {
  return JSON.parse(await readFile(join(dir, 'running.json'), 'utf8'));
}

/** Every file and folder in one, with its mode. */
async function modesIn(folder: string): Promise<{ path: string; mode: number; isFolder: boolean }[]> {
  const names = await readdir(folder, { recursive: true });
  const found = await Promise.all(
    names.map(async (name) => {
      const entry = await lstat(join(folder, name)).catch(() => undefined);
      return entry && { path: name, mode: entry.mode & 0o777, isFolder: entry.isDirectory() };
    }),
  );
  return found.filter((one) => one !== undefined);
}

/** Runs a command to its end. */
async function run(command: string, args: string[] = [], env: Record<string, string> = {}) {
  const child = launch(RUN, { ...quiet, ...env }, [command, ...args]);
  return { status: await child.ended, ...child.output };
}

async function rpc(base_url: unknown, key: string, method: string, params: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${String(base_url)}/a2a/jsonrpc`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: Record<string, unknown>; error?: unknown };
  if (result === undefined) throw new Error(JSON.stringify(error));
  return result;
}

async function send(base_url: unknown, key: string, skill: string, input: unknown): Promise<string> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill, input } }] };
  const configuration = { returnImmediately: true };
  const { task } = await rpc(base_url, key, 'SendMessage', { message, configuration });
  return (task as { id: string }).id;
}

/** The agents that the registry says may sell for a publisher. */
async function sellersOf(base_url: unknown, publisher: string): Promise<string[] | undefined> {
  const response = await fetch(`${String(base_url)}/api/properties/resolve/bulk`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ domains: [publisher] }),
  });
  const { results } = (await response.json()) as {
    results: Record<string, { authorized_agents: { url: string }[] } | null>;
  };
  return results[publisher]?.authorized_agents.map(({ url }) => url);
}

/** The example of a skill on the card, as a buyer would paste it. */
async function example(base_url: unknown, skill: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${String(base_url)}/.well-known/agent-card.json`);
  const { skills } = (await response.json()) as { skills: { id: string; examples: string[] }[] };
  const text = skills.find(({ id }) => id === skill)?.examples[0] ?? '';
  const { input } = JSON.parse(text) as { input: Record<string, unknown> };
  return skill === 'create_media_buy' ? { ...input, buyer_ref: `campaign-${randomUUID()}` } : input;
}

/** The response of a task once it has completed. */
async function completed(base_url: unknown, key: string, id: string): Promise<Record<string, unknown>> {
  const task = await until(async () => {
    const found = await rpc(base_url, key, 'GetTask', { id });
    const { state } = found['status'] as { state: string };
    if (/FAILED|REJECTED|CANCELED/.test(state)) throw new Error(JSON.stringify(found));
    return state === 'TASK_STATE_COMPLETED' && found;
  });
  const artifacts = task['artifacts'] as { parts: { data?: Record<string, unknown> }[] }[];
  return artifacts[0]?.parts.find(({ data }) => data !== undefined)?.data ?? {};
}

describe('npm start', () => {
  it('[S4] prints one line for programs, lets nobody else read its files, and stops all it started when interrupted', async () => {
    const agent = await start('start', { METRICS_PORT: '0' });
    const { ready } = agent;
    expect(ready).toMatchObject({
      ready: true,
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      card_url: `${String(ready['base_url'])}/.well-known/agent-card.json`,
      console_url: `${String(ready['base_url'])}/admin`,
      api_key: expect.stringMatching(/^mk_live_/) as string,
      store: expect.stringContaining('sqlite') as string,
      queue: expect.stringContaining('redis') as string,
    });
    expect((await fetch(String(ready['card_url']))).status).toBe(200);
    const modes = await modesIn(dir);
    expect(modes.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['secret', 'store.db', 'store.db-wal', 'redis/redis.sock']),
    );
    expect(modes.filter(({ mode }) => (mode & 0o077) !== 0)).toEqual([]);
    expect([200, 401]).toContain((await fetch(String(ready['console_url']))).status);
    const id = await send(ready['base_url'], String(ready['api_key']), 'get_products', { brief: 'running' });
    expect(id).not.toBe('');
    const measured = await (await fetch(String(ready['metrics_url']))).text();
    expect(measured).toMatch(/^mba_a2a_calls_total\{skill="get_products",wire="1.0",outcome="ok"\} 1$/m);
    expect((await fetch(new URL('/readyz', String(ready['metrics_url'])))).status).toBe(200);
    expect(await agent.kill('SIGINT')).toBe(0);
    expect(agent.output.stdout.trim().split('\n')).toHaveLength(1);
    expect(agent.output.stderr).toBe('');
    expect(existsSync(join(dir, 'running.json'))).toBe(false);
    await until(() => !existsSync(join(dir, 'redis', 'redis.sock')));
  });

  it('started again on its data has the same key and every buy, and finds work that it left', async () => {
    const first = await start('start');
    const key = String(first.ready['api_key']);
    const bought = await send(
      first.ready['base_url'],
      key,
      'create_media_buy',
      await example(first.ready['base_url'], 'create_media_buy'),
    );
    await first.kill('SIGKILL');
    const second = await start('start');
    // It was told when it was made, and is known to the commands of this machine.
    expect(second.ready).not.toHaveProperty('api_key');
    expect(await running()).toMatchObject({ api_key: key });
    expect(await completed(second.ready['base_url'], key, bought)).toHaveProperty('media_buy_id');
  });

  it('tells people where everything is and how to make a media buy', async () => {
    const agent = launch(RUN, quiet, ['start']);
    cleanUp.push(() => agent.kill('SIGTERM'));
    await until(() => agent.output.stdout.includes('Ctrl-C'));
    const { stdout } = agent.output;
    for (const part of ['/.well-known/agent-card.json', '/admin', 'sign-in', 'mk_live_', 'sqlite', 'redis', 'curl -s '])
      expect(stdout).toContain(part);
    const link = /sign in +(\S+)/.exec(stdout)?.[1] ?? '';
    const cookie = (await followLink(link, 'Ada Lovelace')).headers.get('set-cookie')?.split(';')[0] ?? '';
    const page = await fetch(new URL('/admin', link), { headers: { cookie } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<bdi>Ada Lovelace</bdi>')]);
  });
});

describe('npm start where others reach it', () => {
  it('[S4] tells addresses and no secret, looks at nothing of this machine, and has nothing of the demo', async () => {
    const configured = { BOOTSTRAP_API_KEY: KEY, OPERATOR_API_KEY: `op_live_${KEY}` };
    const agent = launch(RUN, { ...quiet, ...configured, HOST: '0.0.0.0' }, ['start']);
    cleanUp.push(() => agent.kill('SIGTERM'));
    await until(() => agent.output.stdout.includes('Ctrl-C'));
    const { stdout, stderr } = agent.output;
    expect(stdout + stderr).not.toMatch(/_live_|token=|password|curl/);
    const base = /agent card +(\S+)\/\.well-known/.exec(stdout)?.[1] ?? '';
    const ask = async (path: string) => (await fetch(base + path, { redirect: 'manual' })).json();
    const looked = await ask(`/api/public/discover-agent?url=${encodeURIComponent(base)}`);
    expect(JSON.stringify(looked)).toContain('loopback address');
    const demo = '/oauth/authorize?response_type=code&client_id=demo-client&redirect_uri=http://127.0.0.1/callback';
    expect((await fetch(base + demo, { redirect: 'manual' })).status).toBe(400);
    const listed = await rpc(base, KEY, 'ListTasks', {});
    expect(listed['tasks'] ?? []).toEqual([]);
    // Neither a closed port nor an open one of this machine is told from the other, and no webhook goes there.
    for (const url of ['http://127.0.0.1:9/', base, 'http://localhost:6379/', 'https://127.0.0.1:8443/'])
      expect(await ask(`/api/public/discover-agent?url=${encodeURIComponent(url)}`)).toMatchObject({
        error: 'address refused',
      });
    const push_notification_config = { url: 'http://127.0.0.1:9/webhooks', operation_id: 'op-1' };
    const buy = { ...(await example(base, 'create_media_buy')), push_notification_config };
    await expect(send(base, KEY, 'create_media_buy', buy)).rejects.toThrow(/push_notification_config\.url/);
    expect(await running()).not.toHaveProperty('api_key');
  });
});

it.each(['start', 'server', 'worker', 'receiver'])(
  'npm run %s takes the place of npm’s shell, so that a SIGTERM to npm stops it too',
  async (command) => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
    expect(scripts[command]).toBe(`exec node ${RUN} ${command}`);
  },
);

describe('a mistake in the environment', () => {
  it.each(['start', 'demo', 'receiver'])('ends %s with status 2 and every name', async (command) => {
    const { status, stdout, stderr } = await run(command, [], { PORT: 'eighty', SIM_SPEED: '0' });
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/PORT must .*\n.*SIM_SPEED must /);
  });
});

describe('a mistake in the catalog', () => {
  it.each(['start', 'server', 'worker'])('ends %s with status 2 and each place, told once', async (command) => {
    const shape = await withEditedCatalog(
      ({ products: [first, second] }) => {
        Object.assign(first ?? {}, { colour: 'blue' });
        Object.assign(second ?? {}, { format_ids: ['nowhere'] });
      },
      (CATALOG_DIR) => run(command, [], { CATALOG_DIR, LOG_LEVEL: 'info' }),
    );
    expect(shape.status).toBe(2);
    for (const place of ['products.json [0].colour', 'products.json [1].format_ids[0]', 'has 2 mistakes']) {
      expect(shape.stderr.split(place)).toHaveLength(2);
    }
    expect(shape.stderr).not.toMatch(/"problems"|CatalogError|\n\s+at /);
  });

  it('ends a server whose list of blocked domains is wrong with the file, the entry, and what to do about it', async () => {
    const entry = { domain: 'track.example', domain_type: 'tracker', blocked_reason: 'counts visits' };
    const { status, stderr } = await withEditedCatalog(
      (_files, folder) =>
        writeFile(
          join(folder, 'blocked-domains.json'),
          JSON.stringify([entry, { ...entry, domain: 'a.example', source: null }, { ...entry, source: '' }]),
        ),
      (CATALOG_DIR) => run('server', [], { CATALOG_DIR, LOG_LEVEL: 'info' }),
    );
    expect(status).toBe(2);
    expect(stderr).toContain('blocked-domains.json [1].source: send a string, not null');
    expect(stderr).toMatch(/blocked-domains\.json \[2\]\.source: say .*, or leave it out/);
    expect(stderr).not.toMatch(/"problems"|CatalogError|\n\s+at /);
  });
});

describe('server and worker apart', () => {
  it('share one data folder on embedded defaults, whichever came first and whatever port was free', async () => {
    const worker = await start('worker', { METRICS_PORT: '0', ALLOW_LOOPBACK: 'true' });
    expect(worker.ready).toEqual({ ready: true, metrics_url: expect.stringMatching(/\/metrics$/) as string });
    const server = await start('server', { BOOTSTRAP_API_KEY: KEY, ALLOW_LOOPBACK: 'true' });
    const { base_url } = server.ready;
    expect(await sellersOf(base_url, 'harbourgazette.example')).toEqual([base_url]);
    const bought = await send(base_url, KEY, 'create_media_buy', await example(base_url, 'create_media_buy'));
    expect(await completed(base_url, KEY, bought)).toHaveProperty('media_buy_id');
    const badge = `${String(base_url)}/api/registry/agents/${encodeURIComponent(String(base_url))}/badge/media-buy/embed`;
    await until(async () => ((await (await fetch(badge)).json()) as { verified: boolean }).verified);
    // Its creatives name the server's address; they are taken once the worker has followed to it.
    const creatives = await example(base_url, 'sync_creatives');
    await until(async () => {
      const synced = await completed(base_url, KEY, await send(base_url, KEY, 'sync_creatives', creatives));
      return !JSON.stringify(synced).includes('"failed"');
    });
    const ofWorker = String(worker.ready['metrics_url']);
    const ready = await fetch(new URL('/readyz', ofWorker));
    expect([ready.status, await ready.json()]).toEqual([200, expect.objectContaining({ store: 'ok', queue: 'ok' })]);
    const measured = await (await fetch(ofWorker)).text();
    expect(measured).toMatch(/^mba_up\{part="store"\} 1$/m);
    expect(await worker.kill('SIGINT')).toBe(0);
    expect(await server.kill('SIGINT')).toBe(0);
  });

  it('a server tells people where the console is and how to sign in, by a command that does it, and no secret', async () => {
    const server = launch(RUN, quiet, ['server']);
    cleanUp.push(() => server.kill('SIGTERM'));
    const [, console_url = ''] = await until(
      () => /console +(\S+)\n.*\n.*\n +queue/.exec(server.output.stdout) ?? undefined,
    );
    expect((await fetch(console_url)).status).toBe(401);
    expect(server.output.stdout).not.toMatch(/_live_|token=/);
    const [, command = ''] = /sign in +npm run -s agent -- (.*?) {3}/.exec(server.output.stdout) ?? [];
    await until(() => existsSync(join(dir, 'running.json')));
    const { stdout } = await runAgentCommand(command.split(' '), { DATA_DIR: dir });
    expect((await followLink(stdout.trim(), 'Ada')).status).toBe(303);
  });

  it('a worker that waits for the first server says so, and stops by a signal', async () => {
    const worker = await start('worker');
    expect(worker.output.stderr).toContain('waiting for a server to say where buyers reach the agent');
    expect(await worker.kill('SIGTERM')).toBe(0);
  });

  it.skipIf(!hasMongodb)(
    'run two of each side by side on one mongodb and one Redis, and do everything once',
    async () => {
      const receiver = await openReceiver();
      cleanUp.push(() => receiver.close());
      const mongodb = new URL(process.env['MONGODB_TEST_URL'] ?? '');
      mongodb.pathname = `/side_${randomUUID().slice(0, 8)}`;
      const shared = {
        ...onMongodb(mongodb.href),
        REDIS_URL: process.env['REDIS_TEST_URL'] ?? '',
        BOOTSTRAP_API_KEY: KEY,
        ALLOW_LOOPBACK: 'true',
      };
      const servers = await Promise.all([start('server', shared), start('server', shared)]);
      await Promise.all([start('worker', shared), start('worker', shared)]);
      const bases = servers.map(({ ready }) => ready['base_url']);
      const input = await example(bases[0], 'create_media_buy');
      const push_notification_config = { url: receiver.url(), operation_id: 'op' };
      const ids = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          send(bases[i % 2], KEY, 'create_media_buy', {
            ...{ ...input, buyer_ref: `campaign-${randomUUID()}` },
            push_notification_config,
          }),
        ),
      );
      for (const [i, id] of ids.entries()) await completed(bases[(i + 1) % 2], KEY, id);
      await receiver.arrived(20);
      const keys = receiver.received.map(({ body }) => body['idempotency_key']);
      expect(new Set(keys).size).toBe(20);
    },
    120_000,
  );
});

describe('npm run demo', () => {
  it('plays the story on an agent of its own and ends with status 0', async () => {
    const { status, stdout } = await run('demo', ['--patience', '300']);
    expect(stdout).toContain('the whole story, every signature verified');
    expect(status).toBe(0);
  });

  it('says what it waits for where a person must decide, and how that is done', async () => {
    const child = launch(RUN, { ...quiet, APPROVAL_OVER_USD: '100' }, ['demo', '--patience', '3600']);
    const told = / waits .+ DATA_DIR=(\S+) npm run -s agent -- approvals/;
    const [, DATA_DIR = ''] = await until(() => told.exec(child.output.stdout) ?? undefined);
    const seller = (...args: string[]) => runAgentCommand(['approvals', ...args, '--json'], { DATA_DIR });
    const { approvals } = JSON.parse((await seller('list')).stdout) as { approvals: { approval_id: string }[] };
    for (const { approval_id } of approvals) expect(await seller('approve', approval_id)).toMatchObject({ status: 0 });
    expect(await child.ended).toBe(0);
  });

  it('ends with a status of its own when nobody answers, and another for mistakes on the command line', async () => {
    const nobody = await run('demo', ['--agent', 'http://127.0.0.1:1', '--api-key', KEY]);
    expect([nobody.status, nobody.stderr]).toEqual([1, expect.stringContaining('the demo failed')]);
    const mistake = await run('demo', ['--agent', 'nowhere', '--patience', '0']);
    expect(mistake.status).toBe(2);
    expect(mistake.stderr).toContain('--api-key');
    expect(mistake.stderr).toContain('--patience');
  });

  it('fails when a webhook was forged on its way, and when one never came', async () => {
    const agent = await start('start');
    const key = ['--api-key', String(agent.ready['api_key'])];
    for (const [mischief, said, leastSeconds] of [
      ['forges', /refused/, 300],
      ['loses', /no final webhook/, 5],
    ] as const) {
      const box = await openMiddleBox(String(agent.ready['base_url']), mischief);
      const { status, stderr } = await withMoreTime(
        (ms) => run('demo', ['--agent', box.url, ...key, '--patience', String(Math.max(leastSeconds, ms / 100))]),
        (ended) => said.test(ended.stderr),
      );
      await box.close();
      expect([mischief, status]).toEqual([mischief, 1]);
      expect(stderr).toMatch(said);
    }
  });
});
