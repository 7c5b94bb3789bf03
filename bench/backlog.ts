import { noCounters } from '../src/platform/metrics/metrics.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startReconciler } from '../src/main/wiring/reconciler.ts';
import { benchComingBack } from './coming-back.ts';
import { benchEvent, openBenchSender, openReceivers } from './webhooks-setup.ts';
import type { BenchSender, Receivers } from './webhooks-setup.ts';
import { lookAtRedis } from './redis-figures.ts';
import type { RedisLook } from './redis-figures.ts';
import { quantile } from './figures.ts';
import { deliveryQueues } from '../src/webhooks/delivery/lanes.ts';

const RECEIVERS = 50;
const OWED = Number(process.env['BENCH_OWED'] ?? 100_000);
const AT_A_TIME = 1_000;
const WATCH_SECONDS = Number(process.env['BENCH_WATCH_SECONDS'] ?? 60);

/**
 * First {@link benchComingBack}, alone with `BENCH_OWED=0`. Then what a worker costs while it owes webhooks to receivers of which each refuses connections; then Redis loses its memory; then they
 * come back. Sender, sweeps of the reconciler included, in this process; Redis and the receivers in two others. What is
 * watched is inside the clock, recording the events is not. About six minutes. Prints to standard output.
 */
export async function benchBacklog(): Promise<void> {
  const sender = await openBenchSender();
  const receivers = await openReceivers(RECEIVERS);
  const redis = lookAtRedis(sender.redisUrl);
  await sender.queues.wasFlushed();
  const rebuilding = watchRebuild(sender);
  const reconciler = startReconciler({ ...sender, ...rebuilding, metrics: noCounters });
  const worker = sender.webhooks.start({ concurrency: 256 });
  try {
    await benchComingBack(sender, async (down) => {
      await allClosed(sender, down);
      await lanesEmpty(sender);
    });
    if (OWED === 0) return;
    console.log(`${OWED} webhooks owed to ${RECEIVERS} receivers that refuse connections, embedded store`);
    // All of them have answered before.
    const answered = receivers.answered(RECEIVERS * 20);
    await record(sender, receivers, RECEIVERS * 20);
    await answered;
    await receivers.setDown(true);
    let recording = 0;
    await watched(`  recording, and trying each receiver`, redis, async () => {
      const started = performance.now();
      await record(sender, receivers, OWED);
      recording = (performance.now() - started) / 1000;
      await allClosed(sender, receivers);
      await lanesEmpty(sender);
    });
    await watched(`  all closed, ${WATCH_SECONDS} s`, redis, () => pause(WATCH_SECONDS * 1000));
    await redis.flush();
    await watched(`  after a flush, until all is closed again`, redis, async () => {
      await rebuilding.over();
      await allClosed(sender, receivers);
      await lanesEmpty(sender);
    });
    await watched(`  all closed, ${WATCH_SECONDS} s`, redis, () => pause(WATCH_SECONDS * 1000));
    receivers.takeBehind();
    await receivers.setDown(false);
    const first = receivers.answered(1);
    const all = receivers.answered(OWED);
    await first;
    await watched('  they come back: from the first answer to the last', redis, () => all, OWED);
    const behind = receivers.takeBehind();
    const by = [0.5, 0.99, 1].map((q) => (quantile(behind, q) / 1000).toFixed(1)).join(', ');
    console.log(`  arrived after one made later, by p50, p99, most: ${by} s of ${recording.toFixed(0)} s of events`);
  } finally {
    await reconciler.stop();
    await worker.close(0);
    redis.close();
    receivers.close();
    await sender.close();
  }
}

/** What is reconciled: webhooks alone. `over` resolves when the next rebuild of the queues is. */
function watchRebuild({ webhooks }: BenchSender) {
  let tell: (seconds: number) => void = () => undefined;
  return {
    runtime: { reconcile: () => Promise.resolve(0) },
    webhooks: {
      async reconcile(overdueMs: number) {
        const started = performance.now();
        const found = await webhooks.reconcile(overdueMs);
        if (overdueMs === 0) tell((performance.now() - started) / 1000);
        return found;
      },
    },
    async over() {
      const seconds = await new Promise<number>((resolve) => (tell = resolve));
      console.log(`  what is owed was queued again in ${seconds.toFixed(1)} s`);
    },
  };
}

async function record({ webhooks }: BenchSender, { ports }: Receivers, count: number): Promise<void> {
  for (let from = 0; from < count; from += AT_A_TIME) {
    const size = Math.min(AT_A_TIME, count - from);
    await webhooks.send(Array.from({ length: size }, (_, n) => benchEvent(ports[(from + n) % ports.length] ?? 0)));
  }
}

/** Resolves when no receiver is tried but now and then. */
async function allClosed({ gate }: BenchSender, { ports }: Receivers): Promise<void> {
  for (const port of ports) {
    while (
      !(await gate.stateOf(`http://127.0.0.1:${port}`, Date.now())).targets.some((at) => at.consecutive_failures >= 5)
    )
      await pause(100);
  }
}

/** Resolves when no attempt waits to be taken. */
async function lanesEmpty({ queues }: BenchSender): Promise<void> {
  const { prompt, late } = deliveryQueues(queues);
  for (;;) {
    const counts = await Promise.all([prompt.counts(), late.counts()]);
    if (counts.every(({ waiting }) => waiting === 0)) return;
    await pause(200);
  }
}

/** Prints what a span cost, a second. */
async function watched(what: string, redis: RedisLook, span: () => Promise<unknown>, webhooks?: number): Promise<void> {
  const before = await redis.read();
  const usage = process.cpuUsage();
  const started = performance.now();
  await span();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(usage);
  const after = await redis.read();
  const rate = webhooks === undefined ? '' : `${(webhooks / seconds).toFixed(0)} webhooks/s  `;
  const parts = [
    `${seconds.toFixed(1)} s`,
    `${((after.commands - before.commands) / seconds).toFixed(0)} Redis commands/s`,
    `CPU sender ${percent((user + system) / 1e6 / seconds)} Redis ${percent((after.cpuMicros - before.cpuMicros) / 1e6 / seconds)}`,
    `RSS ${megabytes(process.memoryUsage.rss())} Redis ${megabytes(after.memoryBytes)}`,
  ];
  console.log(`${what.padEnd(54)} ${rate}${parts.join('  ')}`);
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchBacklog();
