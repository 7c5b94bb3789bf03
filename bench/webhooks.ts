import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Agent, request } from 'undici';
import { protocolNames } from '../src/platform/protocol-name.ts';
import { signRequest } from '../src/webhooks/signing/http-signature.ts';
import { generateSigningKey } from '../src/webhooks/signing/signing-key.ts';
import { median, quantile } from './figures.ts';
import { benchEvent, openBenchSender, openReceivers } from './webhooks-setup.ts';
import type { BenchSender, Receivers } from './webhooks-setup.ts';

const CONCURRENCY = 128;
const EVENTS = 1500;
const ROUNDS = 2;
const BUSY_RECEIVERS = 16;

/** Webhook benchmarks, each against a peer in the same run; about a minute. Prints to standard output. */
export async function benchWebhooks(): Promise<void> {
  await throughput();
  await fairness();
}

/** Signed deliveries per second of one worker process, against the same POSTs without all that makes them durable. */
async function throughput(): Promise<void> {
  const sender = await openBenchSender();
  const receivers = await openReceivers(BUSY_RECEIVERS);
  const rivals: { name: string; run: () => Promise<Figures>; rounds: Figures[] }[] = [
    { name: 'signed, recorded deliveries', run: () => deliverAll(sender, receivers), rounds: [] },
    { name: 'bare BullMQ worker + undici POST', run: () => postFromQueue(sender.redisUrl, receivers), rounds: [] },
    { name: 'loop of sign + undici POST, no queue', run: () => signAndPost(receivers), rounds: [] },
  ];
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const rival of rivals) {
      const figures = await rival.run();
      if (round > 0) rival.rounds.push(figures);
    }
  }
  receivers.close();
  await sender.close();
  const [ours = NaN] = rivals.map(({ rounds }) => median(rounds.map(({ perSecond }) => perSecond)));
  console.log(`webhooks of one worker process to ${BUSY_RECEIVERS} receivers, embedded store`);
  for (const { name, rounds } of rivals) {
    const rate = median(rounds.map(({ perSecond }) => perSecond));
    const cpu = median(rounds.map(({ cpuMicros }) => cpuMicros));
    const ratio = (ours / rate).toFixed(2);
    console.log(
      `  ${name.padEnd(38)} ${rate.toFixed(0).padStart(6)}/s  ${cpu.toFixed(0).padStart(5)} µs CPU  ratio ${ratio}`,
    );
  }
}

interface Figures {
  perSecond: number;
  /** Processor time of this process per webhook. */
  cpuMicros: number;
}

function startMeasuring(): () => Figures {
  const started = performance.now();
  const usage = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(usage);
    return { perSecond: EVENTS / ((performance.now() - started) / 1000), cpuMicros: (user + system) / EVENTS };
  };
}

async function deliverAll({ webhooks }: BenchSender, receivers: Receivers): Promise<Figures> {
  await webhooks.send(Array.from({ length: EVENTS }, (_, n) => benchEvent(portOf(receivers, n))));
  const measured = startMeasuring();
  const worker = webhooks.start({ concurrency: CONCURRENCY });
  await receivers.answered(EVENTS);
  const figures = measured();
  await worker.close(5000);
  return figures;
}

async function postFromQueue(redisUrl: string, receivers: Receivers): Promise<Figures> {
  const path = redisUrl.replace('unix://', '');
  const connections = [new Redis(path), new Redis(path, { maxRetriesPerRequest: null })] as const;
  const queue = new Queue<{ url: string; body: string }>('bare', { connection: connections[0], prefix: 'bench' });
  const events = Array.from({ length: EVENTS }, (_, n) => benchEvent(portOf(receivers, n)));
  const opts = { removeOnComplete: true, removeOnFail: true };
  await queue.addBulk(events.map(({ target, body }) => ({ name: 'post', data: { url: target.url, body }, opts })));
  const dispatcher = new Agent({ connections: 64 });
  const measured = startMeasuring();
  const worker = new Worker<{ url: string; body: string }>(
    'bare',
    async ({ data }) => post(dispatcher, data.url, data.body, { 'content-type': 'application/json' }),
    { connection: connections[1], prefix: 'bench', concurrency: CONCURRENCY },
  );
  await receivers.answered(EVENTS);
  const figures = measured();
  await worker.close();
  await queue.close();
  await dispatcher.close();
  for (const connection of connections) connection.disconnect();
  return figures;
}

async function signAndPost(receivers: Receivers): Promise<Figures> {
  const dispatcher = new Agent({ connections: 64 });
  const names = protocolNames();
  const key = generateSigningKey('ed25519', { names });
  const events = Array.from({ length: EVENTS }, (_, n) => benchEvent(portOf(receivers, n)));
  const measured = startMeasuring();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let event = events.pop(); event !== undefined; event = events.pop()) {
        const { url } = event.target;
        const body = Buffer.from(event.body);
        await post(dispatcher, url, body, signRequest({ url, body, key, now: Date.now(), names }));
      }
    }),
  );
  const figures = measured();
  await dispatcher.close();
  return figures;
}

async function post(
  dispatcher: Agent,
  url: string,
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<void> {
  const response = await request(url, { method: 'POST', body, headers, dispatcher });
  await response.body.dump();
}

const DESTINATIONS = 1000;
const HANGING = 100;
const EVENTS_PER_SECOND = 100;
const SECONDS = 16;

/** From the making of an event to its arrival at a healthy receiver: all healthy, then a tenth of them hanging. */
async function fairness(): Promise<void> {
  const sender = await openBenchSender();
  const receivers = await openReceivers(DESTINATIONS);
  const worker = sender.webhooks.start({ concurrency: 256 });
  await load(sender, receivers, 5);
  receivers.takeLatencies();
  await load(sender, receivers, SECONDS);
  const without = receivers.takeLatencies();
  receivers.hang(HANGING);
  await load(sender, receivers, SECONDS);
  const withHanging = receivers.takeLatencies();
  await worker.close(0);
  receivers.close();
  await sender.close();
  const line = (what: string, ms: number[]) =>
    `${what} p50 ${quantile(ms, 0.5).toFixed(1)} ms, p99 ${quantile(ms, 0.99).toFixed(1)} ms (${ms.length} events)`;
  const ratio = quantile(withHanging, 0.99) / quantile(without, 0.99);
  console.log(`made to received, ${DESTINATIONS} receivers`);
  console.log(line('  all healthy          ', without));
  console.log(`${line(`  ${HANGING} of them hanging   `, withHanging)}   p99 ratio ${ratio.toFixed(2)}`);
}

/** Steady events to all receivers in turn, then a moment for the last ones. */
async function load({ webhooks }: BenchSender, { ports }: Receivers, seconds: number): Promise<void> {
  const started = performance.now();
  const sending: Promise<void>[] = [];
  for (let n = 0; n < seconds * EVENTS_PER_SECOND; n++) {
    const dueMs = (n / EVENTS_PER_SECOND) * 1000;
    const aheadMs = dueMs - (performance.now() - started);
    if (aheadMs > 1) await pause(aheadMs);
    sending.push(webhooks.send([benchEvent(ports[(n * 7919) % ports.length] ?? 0)]));
  }
  await Promise.all(sending);
  await pause(500);
}

function portOf({ ports }: Receivers, n: number): number {
  return ports[n % ports.length] ?? 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchWebhooks();
