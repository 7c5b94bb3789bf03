import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from './figures.ts';
import { throughput } from './webhook-throughput.ts';
import { benchEvent, openBenchSender, openReceivers } from './webhooks-setup.ts';
import type { BenchSender, Receivers } from './webhooks-setup.ts';

/** Webhook benchmarks, each against a peer in the same run; about two minutes. Prints to standard output. */
export async function benchWebhooks(): Promise<void> {
  await throughput();
  await fairness();
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

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchWebhooks();
