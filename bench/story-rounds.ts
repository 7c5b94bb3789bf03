import { median, quantile } from './figures.ts';
import { usageOf } from './process-trees.ts';
import { openStoryReceiver } from './story-receiver.ts';
import type { StoryReceiver } from './story-receiver.ts';
import { MissingPeerError } from './story-sides.ts';
import type { StorySide } from './story-sides.ts';

const ROUNDS = 5;
const STORIES = 250;
const AT_ONCE = 16;
export const WARM_UPS = Number(process.env['BENCH_WARM_UPS'] ?? 8);

interface Round {
  rate: number;
  p50: number;
  p99: number;
  cpuMs: number;
  scripts: number;
  commands: number;
  storeCalls: number;
  stallMs: number;
}

/**
 * {@link AT_ONCE} stories at once, {@link STORIES} a round, {@link ROUNDS} rounds after those that warm up, all sides in turns in one run;
 * the first is what the others are compared with. A side that cannot be had here is named. Prints to standard output.
 * A process needs some 2,000 stories until all of its code is compiled: {@link WARM_UPS} rounds of each side are not counted.
 */
export async function compareStories(starts: readonly (() => Promise<StorySide>)[]): Promise<void> {
  const receiver = await openStoryReceiver();
  const sides: StorySide[] = [];
  try {
    for (const start of starts) await start().then((side) => sides.push(side), sayMissing);
    const rounds = new Map(sides.map((side) => [side, [] as Round[]]));
    for (let n = 1 - WARM_UPS; n <= ROUNDS; n++) {
      for (const side of n % 2 === 0 ? sides : sides.toReversed()) {
        const round = await measure(side, receiver);
        if (n > 0) rounds.get(side)?.push(round);
      }
    }
    report(rounds);
  } finally {
    for (const side of sides) await side.stop();
    receiver.close();
  }
}

function sayMissing(error: unknown): void {
  if (!(error instanceof MissingPeerError)) throw error;
  console.log(`not measured: ${error.message}`);
}

async function measure(side: StorySide, receiver: StoryReceiver): Promise<Round> {
  const took: number[] = [];
  let left = STORIES;
  const [usage, calls, stored] = [usageOf(side.pids), await side.redisCalls(), await side.storeCalls()];
  await side.stallMs();
  const started = performance.now();
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const asked = performance.now();
      await receiver.completed(await side.ask(receiver.url));
      took.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  const seconds = (performance.now() - started) / 1000;
  // First: a look at a process's metrics ends the span of which it tells the longest.
  const stallMs = await side.stallMs();
  const [used, called, storedNow] = [usageOf(side.pids), await side.redisCalls(), await side.storeCalls()];
  return {
    rate: STORIES / seconds,
    ...{ p50: quantile(took, 0.5), p99: quantile(took, 0.99) },
    cpuMs: ((used?.cpuMs ?? NaN) - (usage?.cpuMs ?? NaN)) / STORIES,
    scripts: ((called?.scripts ?? NaN) - (calls?.scripts ?? NaN)) / STORIES,
    stallMs,
    commands: ((called?.commands ?? NaN) - (calls?.commands ?? NaN)) / STORIES,
    storeCalls: (storedNow - stored) / STORIES,
  };
}

function report(rounds: ReadonlyMap<StorySide, readonly Round[]>): void {
  const ours = [...rounds.values()][0] ?? [];
  const of = (all: readonly Round[], field: keyof Round) => median(all.map((round) => round[field]));
  const shown = (value: number, digits: number) => (Number.isNaN(value) ? '-' : value.toFixed(digits)).padStart(7);
  console.log(
    `${''.padEnd(38)} stories/s (spread)        CPU ms    p50    p99 ms  scripts commands   store  stall ms  RSS MB   ours of it: rate, CPU`,
  );
  for (const [side, all] of rounds) {
    const rates = all.map(({ rate }) => rate);
    const spread = `(${Math.min(...rates).toFixed(0)}-${Math.max(...rates).toFixed(0)})`;
    const rss = (usageOf(side.pids)?.rssBytes ?? NaN) / 1e6;
    const ratios = (['rate', 'cpuMs'] as const).map((field) => (of(ours, field) / of(all, field)).toFixed(2));
    console.log(
      `${side.name.padEnd(38)} ${shown(of(all, 'rate'), 1)} ${spread.padEnd(14)} ${shown(of(all, 'cpuMs'), 2)} ${shown(of(all, 'p50'), 0)} ${shown(of(all, 'p99'), 0)} ${shown(of(all, 'scripts'), 1)} ${shown(of(all, 'commands'), 0)} ${shown(of(all, 'storeCalls'), 1)} ${shown(Math.max(...all.map(({ stallMs }) => stallMs)), 0)} ${shown(rss, 0)}   ${ratios.join(', ')}`,
    );
  }
}
