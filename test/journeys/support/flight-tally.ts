import { createHash } from 'node:crypto';

/**
 * What the simulated ad server must deliver, worked out anew from `docs/decisions/0014-simulated-ad-server.md`, hour by
 * hour, without any code of the product's.
 */
export interface TalliedLine {
  product_id: string;
  model: 'cpm' | 'flat-fee';
  /** Minor units per thousand impressions, or of the whole fee. */
  rate: bigint;
}

/** What holds from an instant on. */
export interface Spell {
  fromMs: number;
  isRunning: boolean;
  /** Minor units, a line each. */
  budgets: readonly bigint[];
}

export interface TalliedHour {
  line: number;
  hourMs: number;
  impressions: number;
  spend: number;
  clicks: number;
}

interface Flight {
  seed: string;
  buyer_ref: string;
  lines: readonly TalliedLine[];
  spells: readonly Spell[];
  startMs: number;
  endMs: number;
}

const HOUR = 3_600_000;
const SHARES = '3 2 1 1 1 2 3 4 5 5 5 6 6 6 5 5 6 7 8 9 10 9 7 5'.split(' ').map(Number);

/** The hours of a flight before an instant, in the order of time. */
export function tallyFlight(flight: Flight, untilMs: number): TalliedHour[] {
  const { startMs, endMs, spells } = flight;
  const edges = [startMs, endMs, untilMs, ...spells.map(({ fromMs }) => fromMs)];
  for (let ms = startMs - (startMs % HOUR); ms < endMs; ms += HOUR) edges.push(ms);
  const cuts = [...new Set(edges)]
    .filter((ms) => ms >= startMs && ms <= Math.min(endMs, untilMs))
    .sort((a, b) => a - b);
  const counted = flight.lines.map(() => ({ impressions: 0n, spend: 0n, clicks: 0n }));
  const hours = new Map<string, TalliedHour>();
  for (const [n, fromMs] of cuts.slice(0, -1).entries()) {
    const toMs = cuts[n + 1] ?? endMs;
    const spell = spells.findLast((one) => one.fromMs <= fromMs);
    if (spell?.isRunning !== true) continue;
    for (const [line, { product_id, model, rate }] of flight.lines.entries()) {
      const seed = `${flight.seed}/${flight.buyer_ref}/${product_id}/${line}`;
      const budget = spell.budgets[line] ?? 0n;
      const sum = counted[line];
      if (sum === undefined) continue;
      const before = { ...sum };
      const left = model === 'cpm' ? (budget * 1000n) / rate - sum.impressions : least(rate, budget) - sum.spend;
      const share =
        (left * audience(fromMs, toMs) * drawn(`${seed}/${fromMs}`, 85, 115)) / (audience(fromMs, endMs) * 100n);
      const taken = toMs === endMs ? left : least(left, share);
      sum.impressions += model === 'cpm' ? taken : (taken * 1000n) / 500n;
      sum.spend = model === 'cpm' ? halfEven(sum.impressions * rate, 1000n) : sum.spend + taken;
      sum.clicks = (sum.impressions * drawn(`${seed}/clicks`, 5, 30)) / 10_000n;
      if (taken > 0n) add(hours, line, fromMs - (fromMs % HOUR), before, sum);
    }
  }
  return [...hours.values()].sort((a, b) => a.hourMs - b.hourMs || a.line - b.line);
}

type Counted = Record<'impressions' | 'spend' | 'clicks', bigint>;

function add(hours: Map<string, TalliedHour>, line: number, hourMs: number, before: Counted, after: Counted): void {
  const key = `${line} ${hourMs}`;
  const hour = hours.get(key) ?? { line, hourMs, impressions: 0, spend: 0, clicks: 0 };
  for (const name of ['impressions', 'spend', 'clicks'] as const) hour[name] += Number(after[name] - before[name]);
  hours.set(key, hour);
}

function audience(fromMs: number, toMs: number): bigint {
  let sum = 0;
  for (let ms = fromMs; ms < toMs;) {
    const next = Math.min(toMs, ms - (ms % HOUR) + HOUR);
    sum += (SHARES[new Date(ms).getUTCHours()] ?? 0) * (next - ms);
    ms = next;
  }
  return BigInt(sum);
}

function drawn(words: string, low: number, high: number): bigint {
  const number = Number.parseInt(createHash('sha1').update(words).digest('hex').slice(0, 8), 16);
  return BigInt(low + (number % (high - low + 1)));
}

function halfEven(dividend: bigint, divisor: bigint): bigint {
  const whole = dividend / divisor;
  const rest = (dividend % divisor) * 2n;
  return rest > divisor || (rest === divisor && whole % 2n === 1n) ? whole + 1n : whole;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
