import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request as requestHttp } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { signRequest } from '../../src/webhooks/signing/http-signature.ts';
import { projectRoot } from '../support/project-files.ts';
import { ED25519, NAMES } from './craft.ts';
import { statusEvent } from './receiving-app.ts';

const run = promisify(execFile);
const PACKAGE = join(projectRoot, 'packages', 'receiver');
const SIGNED_URL = 'https://buyer.example/webhooks';

/** What a buyer's engineer writes, whatever the framework: plain JavaScript. */
const RECEIVER = `
import { createReceiver, memoryInbox, memoryReplayStore } from 'media-buy-receiver';
export const receiver = createReceiver({
  publicUrl: 'https://buyer.example',
  registration: { mode: 'rfc9421', jwks: JSON.parse(process.argv[2]) },
  replay: memoryReplayStore(),
  inbox: memoryInbox(),
  onEvent: ({ event }) => console.log(JSON.stringify({ task_id: event.task_id })),
});
export const isListening = (server) => console.log(JSON.stringify({ port: server.address().port }));
`;

/** Servers by what they are built on, and which package of this project's own that is. */
const SERVERS: Record<string, { needs?: string; from?: string; code: string }> = {
  'node:http': {
    code: `
import { createServer } from 'node:http';
import { toNode } from 'media-buy-receiver/node';
const server = createServer(toNode(receiver)).listen(0, '127.0.0.1', () => isListening(server));`,
  },
  'Express 5': {
    needs: 'express',
    code: `
import express from 'express';
import { toExpress } from 'media-buy-receiver/express';
const app = express();
app.post('/webhooks', toExpress(receiver));
app.post('/parsed', express.json(), toExpress(receiver));
const server = app.listen(0, '127.0.0.1', () => isListening(server));`,
  },
  'Express 4': {
    needs: 'express',
    from: 'express4',
    code: `
import express from 'express';
import { toExpress } from 'media-buy-receiver/express';
const app = express();
app.post('/webhooks', toExpress(receiver));
app.post('/parsed', express.json(), toExpress(receiver));
const server = app.listen(0, '127.0.0.1', () => isListening(server));`,
  },
  Fastify: {
    needs: 'fastify',
    code: `
import fastify from 'fastify';
import { toFastify } from 'media-buy-receiver/fastify';
const app = fastify();
app.register(toFastify(receiver, { path: '/webhooks' }));
app.post('/other', async ({ body }) => body);
await app.listen({ port: 0, host: '127.0.0.1' });
isListening(app.server);`,
  },
  'a Fetch handler': {
    code: `
import { createServer } from 'node:http';
const handler = { fetch: (request) => receiver.fetch(request) };
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, headers, url } = request;
  const answer = await handler.fetch(
    new Request('http://127.0.0.1' + url, { method, headers, body: Buffer.concat(chunks) }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}).listen(0, '127.0.0.1', () => isListening(server));`,
  },
};

let folder = '';
let packed = '';
let installed = '';

/** Packs once, for all the projects below. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'receiver-package-'));
  const stage = join(folder, 'stage');
  for (const name of ['package.json', 'README.md', 'LICENSE', 'docs', 'vectors']) {
    cpSync(join(PACKAGE, name), join(stage, name), { recursive: true });
  }
  const compiler = join(projectRoot, 'node_modules/typescript/bin/tsc');
  const config = join(PACKAGE, 'tsconfig.build.json');
  await run(process.execPath, [compiler, '-p', config, '--noCheck', '--outDir', join(stage, 'dist')]);
  const { stdout } = await npm(stage, 'pack', '--ignore-scripts', '--pack-destination', folder);
  packed = join(folder, stdout.trim().split('\n').at(-1) ?? '');
  installed = join(folder, 'installed');
  mkdirSync(installed);
  writeFileSync(join(installed, 'package.json'), '{"private":true,"type":"module"}');
  await npm(installed, 'install', packed, '--offline', '--no-audit', '--no-fund');
  writeFileSync(join(installed, 'receiver.mjs'), RECEIVER);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('the packed receiver', () => {
  it('is under 100 kB, and brings nothing else along', () => {
    expect(statSync(packed).size).toBeLessThan(100_000);
    const lock = JSON.parse(readFileSync(join(installed, 'package-lock.json'), 'utf8')) as { packages: object };
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/media-buy-receiver']);
  });

  it('bundles for platforms without any module of Node’s', async () => {
    const bundle = (entry: string) =>
      build({
        entryPoints: [join(installed, 'node_modules/media-buy-receiver/dist', entry)],
        ...{ bundle: true, write: false, platform: 'browser', format: 'esm', logLevel: 'silent' },
      });
    expect((await bundle('index.js')).errors).toEqual([]);
    expect((await bundle('redis/index.js')).errors).toEqual([]);
    await expect(bundle('node/index.js')).rejects.toThrow('node:');
  });

  it('has types that need no package’s but Node’s, and none of those for other platforms', () => {
    const dist = join(installed, 'node_modules/media-buy-receiver/dist');
    const types = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
    expect(types).toContain('index.d.ts');
    for (const name of types) {
      const imported = [...readFileSync(join(dist, name), 'utf8').matchAll(/(?:from|import)\s*\(?'([^']+)'/g)];
      const others = imported.map(([, from = '']) => from).filter((from) => !from.startsWith('.'));
      const isForNode = /^(node\/|express|fastify)/.test(name);
      expect([name, others.filter((from) => !(isForNode && from.startsWith('node:')))]).toEqual([name, []]);
    }
  });
});

describe.each(Object.entries(SERVERS))('installed into an empty project with %s', (name, { needs, from, code }) => {
  it('takes what is signed, once, and refuses the rest', async () => {
    const project = projectOf(name.replace(/\W+/g, '-'), {
      'server.mjs': `import { isListening, receiver } from './receiver.mjs';${code}`,
    });
    if (needs !== undefined) link(`node_modules/${from ?? needs}`, project, needs);
    const server = await start(project);
    const event = statusEvent();
    const body = JSON.stringify(event);
    const signed = () =>
      signRequest({ url: SIGNED_URL, body: Buffer.from(body), key: ED25519, now: Date.now(), names: NAMES });

    expect(await post(server.port, '/webhooks', body, signed())).toMatchObject({
      status: 200,
      body: { outcome: 'handled' },
    });
    expect(await server.next()).toEqual({ task_id: event['task_id'] });
    expect(await post(server.port, '/webhooks', body, signed())).toMatchObject({ body: { outcome: 'duplicate' } });
    expect(await post(server.port, '/webhooks', `${body} `, signed())).toMatchObject({
      status: 401,
      body: { error: 'webhook_signature_digest_mismatch' },
    });
    expect(await post(server.port, '/webhooks', body, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    const large = ' '.repeat(1_048_577);
    expect(await post(server.port, '/webhooks', large, signed())).toMatchObject({ status: 413 });
    if (needs === 'express') {
      expect(await post(server.port, '/parsed', body, signed())).toMatchObject({
        status: 500,
        body: { message: expect.stringContaining('before any body parser') as string },
      });
    }
    if (needs === 'fastify') {
      const json = { 'content-type': 'application/json' };
      expect(await post(server.port, '/other', body, json)).toEqual({ status: 200, body: event });
    }
  });
});

/** An empty project in which nothing is installed but the package. */
function projectOf(name: string, files: Record<string, string>): string {
  const project = join(folder, name);
  cpSync(installed, project, { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(project, path), text);
  return project;
}

/** A package as it lies in this project's own node_modules: no test goes to a registry. */
function link(from: string, project: string, name: string): void {
  const at = join(project, 'node_modules', name);
  mkdirSync(dirname(at), { recursive: true });
  symlinkSync(join(projectRoot, from), at, 'dir');
}

interface Running {
  port: number;
  /** The next line it prints. */
  next(): Promise<unknown>;
}

async function start(project: string): Promise<Running> {
  const jwks = JSON.stringify({ keys: [ED25519.publicJwk] });
  const child = spawn(process.execPath, ['server.mjs', jwks], { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    const exited = once(child, 'exit');
    if (child.kill('SIGKILL')) await exited;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const line = await lines.next();
    if (line.done === true) throw new Error('the server ended');
    return JSON.parse(line.value);
  };
  const { port } = (await next()) as { port: number };
  return { port, next };
}

function post(
  port: number,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((resolve, reject) => {
    const outgoing = requestHttp({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => {
        resolve({ status: answer.statusCode, body: JSON.parse(text) });
        outgoing.destroy();
      });
    });
    outgoing.on('error', reject).end(body);
  });
}

function npm(cwd: string, ...args: string[]): Promise<{ stdout: string }> {
  const path = process.env['npm_execpath'] ?? '';
  return path.endsWith('npm-cli.js') ? run(process.execPath, [path, ...args], { cwd }) : run('npm', args, { cwd });
}
