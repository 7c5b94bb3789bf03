import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Agent, request } from 'undici';
import { protocolNames } from '../src/platform/protocol-name.ts';
import { signRequest } from '../src/webhooks/signing/http-signature.ts';
import { generateSigningKey } from '../src/webhooks/signing/signing-key.ts';
import { median } from './figures.ts';
import { lookAtRedis } from './redis-figures.ts';
import type { RedisLook } from './redis-figures.ts';
import { benchEvent, openBenchSender, openReceivers } from './webhooks-setup.ts';
import type { BenchSender, Receivers } from './webhooks-setup.ts';

const CONCURRENCY = 128;
const EVENTS = 1500;
const ROUNDS = 5;
const BUSY_RECEIVERS = 16;

/**
 * Signed deliveries per second of one worker process, against the same POSTs without all that makes them durable. Inside the
 * clock: from the start of the worker until the receivers have answered all. Not inside: making, storing and queueing the events, and
 * the last recordings after the answers. Processor time is of sender, receivers and Redis.
 */
export async function throughput(): Promise<void> {
  const sender = await openBenchSender();
  const receivers = await openReceivers(BUSY_RECEIVERS);
  const redis = lookAtRedis(sender.redisUrl);
  const at = { sender, receivers, redis };
  const rivals: { name: string; run: () => Promise<Figures>; rounds: Figures[] }[] = [
    { name: 'signed, recorded deliveries', run: () => deliverAll(at), rounds: [] },
    { name: 'bare BullMQ worker + undici POST', run: () => postFromQueue(at), rounds: [] },
    { name: 'loop of sign + undici POST, no queue', run: () => signAndPost(at), rounds: [] },
  ];
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const rival of rivals) {
      const figures = await rival.run();
      if (round > 0) rival.rounds.push(figures);
    }
  }
  redis.close();
  receivers.close();
  await sender.close();
  console.log(
    `webhooks of one worker process to ${BUSY_RECEIVERS} receivers, embedded store: from its start to the last answer`,
  );
  const rates = rivals.map(({ rounds }) => rounds.map(({ perSecond }) => perSecond));
  const ours = median(rates[0] ?? []);
  rivals.forEach(({ name, rounds }, place) => {
    const rate = rates[place] ?? [];
    const of = (figure: (figures: Figures) => number) => median(rounds.map(figure)).toFixed(0);
    console.log(
      `  ${name.padEnd(38)} ${median(rate).toFixed(0).padStart(6)}/s (${Math.min(...rate).toFixed(0)} to ${Math.max(...rate).toFixed(0)})  ours ${(ours / median(rate)).toFixed(2)} of it` +
        `\n    each: µs CPU ${of(({ cpu }) => cpu.sender)} + receivers ${of(({ cpu }) => cpu.receivers)} + Redis ${of(({ cpu }) => cpu.redis)}, Redis scripts ${of1(rounds, ({ scripts }) => scripts)}, commands ${of1(rounds, ({ commands }) => commands)}, rows written ${of1(rounds, ({ writes }) => writes)}`,
    );
  });
  console.log(`  RSS of the sender ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB`);
}

const of1 = (rounds: readonly Figures[], figure: (figures: Figures) => number) => median(rounds.map(figure)).toFixed(1);

/** Of each webhook, but for the rate. */
interface Figures {
  perSecond: number;
  /** In microseconds. */
  cpu: Record<'sender' | 'receivers' | 'redis', number>;
  scripts: number;
  commands: number;
  writes: number;
}

interface Bench {
  sender: BenchSender;
  receivers: Receivers;
  redis: RedisLook;
}

async function startMeasuring({ sender, receivers, redis }: Bench): Promise<() => Promise<Figures>> {
  const before = { redis: await redis.read(), receivers: receivers.cpuMicros(), writes: sender.writes() };
  const usage = process.cpuUsage();
  const started = performance.now();
  return async () => {
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(usage);
    const after = await redis.read();
    const each = (now: number, then: number) => (now - then) / EVENTS;
    return {
      perSecond: EVENTS / seconds,
      cpu: {
        sender: (user + system) / EVENTS,
        receivers: each(receivers.cpuMicros(), before.receivers),
        redis: each(after.cpuMicros, before.redis.cpuMicros),
      },
      scripts: each(after.scripts, before.redis.scripts),
      commands: each(after.commands, before.redis.commands),
      writes: each(sender.writes(), before.writes),
    };
  };
}

async function deliverAll(at: Bench): Promise<Figures> {
  const { receivers } = at;
  const { webhooks } = at.sender;
  await webhooks.send(Array.from({ length: EVENTS }, (_, n) => benchEvent(portOf(receivers, n))));
  const measured = await startMeasuring(at);
  const worker = webhooks.start({ concurrency: CONCURRENCY });
  await receivers.answered(EVENTS);
  const figures = await measured();
  await worker.close(5000);
  return figures;
}

async function postFromQueue(at: Bench): Promise<Figures> {
  const { receivers } = at;
  const path = at.sender.redisUrl.replace('unix://', '');
  const connections = [new Redis(path), new Redis(path, { maxRetriesPerRequest: null })] as const;
  const queue = new Queue<{ url: string; body: string }>('bare', { connection: connections[0], prefix: 'bench' });
  const events = Array.from({ length: EVENTS }, (_, n) => benchEvent(portOf(receivers, n)));
  const opts = { removeOnComplete: true, removeOnFail: true };
  await queue.addBulk(events.map(({ target, body }) => ({ name: 'post', data: { url: target.url, body }, opts })));
  const dispatcher = new Agent({ connections: 64 });
  const measured = await startMeasuring(at);
  const worker = new Worker<{ url: string; body: string }>(
    'bare',
    async ({ data }) => post(dispatcher, data.url, data.body, { 'content-type': 'application/json' }),
    { connection: connections[1], prefix: 'bench', concurrency: CONCURRENCY },
  );
  await receivers.answered(EVENTS);
  const figures = await measured();
  await worker.close();
  await queue.close();
  await dispatcher.close();
  for (const connection of connections) connection.disconnect();
  return figures;
}

async function signAndPost(at: Bench): Promise<Figures> {
  const { receivers } = at;
  const dispatcher = new Agent({ connections: 64 });
  const names = protocolNames();
  const key = generateSigningKey('ed25519', { names });
  const events = Array.from({ length: EVENTS }, (_, n) => benchEvent(portOf(receivers, n)));
  const measured = await startMeasuring(at);
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let event = events.pop(); event !== undefined; event = events.pop()) {
        const { url } = event.target;
        const body = Buffer.from(event.body);
        await post(dispatcher, url, body, signRequest({ url, body, key, now: Date.now(), names }));
      }
    }),
  );
  const figures = await measured();
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

function portOf({ ports }: Receivers, n: number): number {
  return ports[n % ports.length] ?? 0;
}
