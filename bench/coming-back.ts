import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_TARGET_GATE_SETTINGS } from '../src/platform/redis/target-gate.ts';
import { quantile } from './figures.ts';
import { benchEvent, openReceivers } from './webhooks-setup.ts';
import type { BenchSender, Receivers } from './webhooks-setup.ts';

const OWED = Number(process.env['BENCH_OWED_EACH'] ?? 2_000);
const RETURNING = 2;
const AT_A_TIME = 500;
const LOOK_EVERY_MS = 100;
const LOOKS_A_SECOND = 1000 / LOOK_EVERY_MS;
const FIRST_SECONDS = 5;
const NEIGHBOUR_EVERY_MS = 20;

/**
 * The pace at which receivers get what they are owed once they are back, each by itself beside what its gate allows; what a
 * healthy neighbour of the same organization waits for its own meanwhile; and in which order it comes. Under a minute.
 */
export async function benchComingBack(
  sender: BenchSender,
  untilClosed: (receivers: Receivers) => Promise<void>,
): Promise<void> {
  const { ratePerSecond } = DEFAULT_TARGET_GATE_SETTINGS;
  const neighbour = await openReceivers(1);
  const returning = await Promise.all(Array.from({ length: RETURNING }, () => openReceivers(1)));
  const halt = new AbortController();
  const send = async ({ ports }: Receivers, count: number) => {
    const [port = 0] = ports;
    await sender.webhooks.send(Array.from({ length: count }, () => benchEvent(port)));
  };
  const sendSlowly = async () => {
    while (!halt.signal.aborted) {
      await send(neighbour, 1);
      await pause(NEIGHBOUR_EVERY_MS);
    }
  };
  console.log(`${RETURNING} receivers down, each owed ${OWED}, and one beside them that is well`);
  try {
    await Promise.all(
      [neighbour, ...returning].map(async (one) => {
        const answered = one.answered(20);
        await send(one, 20);
        await answered;
      }),
    );
    await Promise.all(returning.map((one) => one.setDown(true)));
    for (let sent = 0; sent < OWED; sent += AT_A_TIME) {
      for (const one of returning) await send(one, AT_A_TIME);
    }
    for (const one of returning) await untilClosed(one);
    const slowly = sendSlowly();
    neighbour.takeLatencies();
    await pause(FIRST_SECONDS * 1000);
    console.log(`  neighbour while they are down: ${waits(neighbour)}`);
    for (const one of returning) one.takeBehind();
    await Promise.all(returning.map((one) => one.setDown(false)));
    const paces = await Promise.all(returning.map(paceOf));
    console.log(`  neighbour while they get theirs: ${waits(neighbour)}`);
    halt.abort();
    await slowly;
    for (const [n, { seconds, looks }] of paces.entries()) {
      const first = Array.from({ length: FIRST_SECONDS }, (_, second) => sum(looks, second * LOOKS_A_SECOND));
      const most = Math.max(...looks.map((_, from) => sum(looks, from)));
      console.log(
        `  receiver ${n + 1}: ${first.join(', ')} in its first seconds of ${ratePerSecond} allowed; most in any second ${most}; ` +
          `all in ${seconds.toFixed(1)} s, ${(OWED / seconds).toFixed(0)}/s`,
      );
    }
    const behind = returning.flatMap((one) => one.takeBehind());
    const late = behind.filter((ms) => ms > 0).length / behind.length;
    const by = [0.5, 0.99, 1].map((q) => quantile(behind, q).toFixed(0)).join(', ');
    console.log(`  behind one made later: ${(late * 100).toFixed(1)} %, by p50, p99, most ${by} ms`);
  } finally {
    halt.abort();
    for (const one of [neighbour, ...returning]) one.close();
  }
}

/** How many webhooks came in each span of `LOOK_EVERY_MS`, from the first one on until all have. */
async function paceOf(receiver: Receivers): Promise<{ seconds: number; looks: number[] }> {
  receiver.takeLatencies();
  const all = receiver.answered(OWED);
  await receiver.answered(1);
  const started = performance.now();
  let isOver = false as boolean;
  const over = all.then(() => {
    isOver = true;
  });
  const looks: number[] = [];
  for (let next = started; !isOver;) {
    next += LOOK_EVERY_MS;
    await Promise.race([over, pause(Math.max(0, next - performance.now()))]);
    looks.push(receiver.takeLatencies().length);
  }
  return { seconds: (performance.now() - started) / 1000, looks };
}

/** What arrived in the second from that look on. */
function sum(looks: readonly number[], from: number): number {
  return looks.slice(from, from + LOOKS_A_SECOND).reduce((all, count) => all + count, 0);
}

function waits(receiver: Receivers): string {
  const latencies = receiver.takeLatencies();
  const [p50, p99] = [0.5, 0.99].map((q) => quantile(latencies, q).toFixed(0));
  return `${latencies.length} webhooks, p50 ${p50} ms, p99 ${p99} ms`;
}
