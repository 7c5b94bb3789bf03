import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { agentClient, responseOf } from '../src/main/demo/agent-client.ts';
import { campaign, Offers } from '../src/main/demo/campaign.ts';
import { startOwnAgent } from '../src/main/demo/own-agent.ts';
import { createLogger } from '../src/platform/log.ts';
import { usePrivateRedis } from '../src/platform/redis/private-redis.ts';
import { median, quantile } from './figures.ts';

const ROUNDS = 3;
const CALLS = 300;
const AT_ONCE = 16;
/** Calls a second, and how many, for the time that news takes while nothing queues up. */
const CALM_RATE = 10;
const CALM_CALLS = 200;

/** How one side is asked to do its work; resolves with the id its webhooks will carry. */
type Ask = (webhookUrl: string) => Promise<string>;

/**
 * From the call to the final webhook: this agent (validated, stored, idempotent, signed) against a bare Express handler,
 * BullMQ worker and `undici` POSTs, each in one process, in turns in the same run.
 */
export async function benchRoundTrip(): Promise<void> {
  const receiver = await openReceiver();
  const agent = await startOwnAgent();
  const { base_url, api_key } = await agent.ready();
  const bare = await startBare();
  const client = agentClient(base_url, api_key);
  const offers = Offers.parse(responseOf(await client.send('get_products', { brief: 'ctv and display' })));
  const askAgent: Ask = async (url) => {
    const push_notification_config = { url, operation_id: randomUUID() };
    const input = { ...campaign(offers, Date.now()), push_notification_config };
    return (await client.send('create_media_buy', input, { returnImmediately: true })).id;
  };
  const ours: Figures[] = [];
  const peers: Figures[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const pair = [await measure(askAgent, receiver), await measure(bare.ask, receiver)] as const;
    if (round === 0) continue; // warms up
    ours.push(pair[0]);
    peers.push(pair[1]);
  }
  const news = await calmly(askAgent, receiver);
  await agent.stop();
  await bare.stop();
  receiver.close();
  report('create-to-webhook round trips per second', ours, peers, 'rate');
  report('create-to-webhook p50, milliseconds', peers, ours, 'p50', true);
  const [p50, p99] = [quantile(news, 0.5), quantile(news, 0.99)].map((ms) => ms.toFixed(1));
  console.log(
    `state change to first byte at the receiver, ms    p50 ${p50}   p99 ${p99}   (${news.length} webhooks of ${CALM_RATE} calls/s)`,
  );
}

interface Figures {
  rate: number;
  p50: number;
}

function report(what: string, a: Figures[], b: Figures[], field: keyof Figures, isInverse = false): void {
  const [first, second] = [median(a.map((f) => f[field])), median(b.map((f) => f[field]))];
  const [ours, peer] = isInverse ? [second, first] : [first, second];
  console.log(
    `${what.padEnd(48)} ours ${ours.toFixed(1)}   bare BullMQ + undici ${peer.toFixed(1)}   ratio ${(first / second).toFixed(2)}`,
  );
}

async function measure(ask: Ask, receiver: Receiver): Promise<Figures> {
  const took: number[] = [];
  let left = CALLS;
  const started = performance.now();
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const asked = performance.now();
      const id = await ask(receiver.url);
      await receiver.completed(id);
      took.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return { rate: CALLS / ((performance.now() - started) / 1000), p50: median(took) };
}

/** What each webhook took from the change of state that it tells (its `timestamp`) to its first byte, in milliseconds. */
async function calmly(ask: Ask, receiver: Receiver): Promise<number[]> {
  receiver.takeNewsMs();
  const started = performance.now();
  const calls: Promise<void>[] = [];
  for (let n = 0; n < CALM_CALLS; n++) {
    await pause(Math.max(0, (n / CALM_RATE) * 1000 - (performance.now() - started)));
    calls.push(ask(receiver.url).then((id) => receiver.completed(id)));
  }
  await Promise.all(calls);
  return receiver.takeNewsMs();
}

interface Receiver {
  url: string;
  /** What the webhooks since the last asking took; those without a timestamp left out. */
  takeNewsMs(): number[];
  completed(id: string): Promise<void>;
  close(): void;
}

async function openReceiver(): Promise<Receiver> {
  const done = new Set<string>();
  const waiting = new Map<string, () => void>();
  let newsMs: number[] = [];
  const server = createServer((request, response) => {
    const arrivedMs = Date.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(204).end();
      const { task_id, status, timestamp } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<
        string,
        string
      >;
      if (timestamp !== undefined) newsMs.push(arrivedMs - Date.parse(timestamp));
      if (status !== 'completed' || task_id === undefined) return;
      done.add(task_id);
      waiting.get(task_id)?.();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async completed(id) {
      if (!done.has(id)) await new Promise<void>((resolve) => waiting.set(id, resolve));
      waiting.delete(id);
    },
    takeNewsMs() {
      const taken = newsMs;
      newsMs = [];
      return taken;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function startBare(): Promise<{ ask: Ask; stop: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'mba-bench-bare-'));
  const redis = await usePrivateRedis({ dataDir: dir, logger: createLogger('fatal') });
  const entry = fileURLToPath(new URL('./round-trip-bare.ts', import.meta.url));
  const child = fork(entry, [redis.url.replace('unix://', '')], { execArgv: ['--import', 'tsx'] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const exited = once(child, 'exit');
  return {
    async ask(url) {
      const id = randomUUID();
      const body = JSON.stringify({ url, id });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
      await response.json();
      return id;
    },
    async stop() {
      child.disconnect();
      await exited;
      await redis.release();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
