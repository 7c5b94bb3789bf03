import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http2';
import { createServer as createTcpServer } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createEndpointHandler, workflow } from '@restatedev/restate-sdk';
import { bodyOf, resultOf, send, serve } from './story.mjs';

// The SDK uses what came with Node 22.
Promise.withResolvers ??= () => {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};

/**
 * Restate, one server on its own log with its defaults: one workflow of two durable webhooks. What others keep in rows is the
 * workflow's state (the buy and where it stands) and its journal (each webhook's bytes and answer).
 */
const story = workflow({
  name: 'story',
  handlers: {
    async run(ctx, buy) {
      const tell = async (status, result) => {
        const body = bodyOf({ id: buy.id, status, idempotency_key: ctx.rand.uuidv4(), result });
        await ctx.run(status, () => send(buy.url, body));
      };
      ctx.set('state', 'working');
      await tell('working');
      const result = resultOf(buy);
      ctx.set('buy', result);
      ctx.set('state', 'completed');
      await tell('completed', result);
    },
  },
});

const services = createServer(createEndpointHandler({ services: [story] }));
services.listen(0, '127.0.0.1');
await once(services, 'listening');

const [ingress, admin, node] = await Promise.all([freePort(), freePort(), freePort()]);
const dir = mkdtempSync(join(tmpdir(), 'mba-bench-restate-'));
const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
const server = spawn(
  createRequire(import.meta.url).resolve(`${platform}/bin/restate-server`),
  ['--no-logo', '--listen-mode', 'tcp', '--bind-ip', '127.0.0.1', '--bind-port', node, '--base-dir', dir].map(String),
  {
    cwd: dir,
    env: {
      ...process.env,
      ...{ RESTATE_INGRESS__BIND_PORT: ingress, RESTATE_ADMIN__BIND_PORT: admin },
      ...{ RESTATE_DISABLE_TELEMETRY: 'true', DO_NOT_TRACK: '1', RUST_LOG: 'error' },
    },
    stdio: ['ignore', 'ignore', 'ignore'],
  },
);
server.on('exit', () => process.exit(1));
process.on('exit', () => {
  server.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

await registered();
await serve(async (buy) => {
  const accepted = await post(`http://127.0.0.1:${ingress}/story/${buy.id}/run/send`, buy);
  if (!accepted.ok) throw new Error(`Restate answered ${accepted.status}: ${await accepted.text()}`);
  await accepted.arrayBuffer();
});

/** Tells the server where the workflow is, once it answers. */
async function registered() {
  for (;;) {
    const uri = `http://127.0.0.1:${services.address().port}`;
    const answer = await post(`http://127.0.0.1:${admin}/deployments`, { uri }).catch(() => undefined);
    if (answer?.ok) return;
    await pause(200);
  }
}

function post(url, value) {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) });
}

async function freePort() {
  const probe = createTcpServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
