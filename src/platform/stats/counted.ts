import { METRIC_NAMES } from '../metrics/metric-names.ts';
import type { CounterName, HistogramName } from '../metrics/metric-names.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Tally } from './stat-span.ts';

/** By what a span calls it: the counter, and the label it is told apart by. */
const COUNTED = {
  tasks: { counter: 'tasks_finished_total', label: 'state' },
  deliveries: { counter: 'webhook_deliveries_total', label: 'state' },
} as const satisfies Record<string, { counter: CounterName; label: string }>;

const TIMED = {
  tasks: 'task_duration_seconds',
  deliveries: 'webhook_event_to_delivered_seconds',
} as const satisfies Record<keyof typeof COUNTED, HistogramName>;

export type CountedKind = keyof typeof COUNTED;

type Counts = Pick<Tally, 'counts' | 'times'>;

/** Where a process counts; `signed`: the webhooks that each signing key has signed, by its id, which no metric has for a label. */
export interface Counting {
  metrics: Pick<Metrics, 'series'>;
  signed?: () => ReadonlyMap<string, number>;
}

/** All that a process has counted of it since it began. */
export function countedSoFar({ metrics, signed }: Counting): Counts {
  const all: Counts = { counts: {}, times: {} };
  for (const [kid, count] of signed?.() ?? []) all.counts[signedBy(kid)] = count;
  for (const [what, { counter, label }] of Object.entries(COUNTED)) {
    for (const { labels, value } of metrics.series(counter)) {
      const name = nameOf(what as CountedKind, labels[label] ?? '');
      all.counts[name] = (all.counts[name] ?? 0) + value;
    }
  }
  for (const [what, histogram] of Object.entries(TIMED)) {
    for (const { counts } of metrics.series(histogram)) {
      const known = all.times[what] ?? counts.map(() => 0);
      all.times[what] = known.map((count, i) => count + (counts[i] ?? 0));
    }
  }
  return all;
}

/** What came since; what stayed as it was is left out. Pure. */
export function since(before: Counts, now: Counts): Counts {
  const counts = Object.entries(now.counts)
    .map(([name, count]) => [name, count - (before.counts[name] ?? 0)] as const)
    .filter(([, count]) => count > 0);
  const times = Object.entries(now.times)
    .map(([name, buckets]) => [name, buckets.map((count, i) => count - (before.times[name]?.[i] ?? 0))] as const)
    .filter(([, buckets]) => buckets.some((count) => count > 0));
  return { counts: Object.fromEntries(counts), times: Object.fromEntries(times) };
}

/** How many of a kind ended so. Pure. */
export function countOf({ counts }: Counts, what: CountedKind, label: string): number {
  return counts[nameOf(what, label)] ?? 0;
}

/**
 * Within how many seconds 95 of 100 were done: the bound of the bucket in which that falls; undefined where none was timed, and
 * where it is beyond the longest that is told apart. Pure.
 */
export function p95Of({ times }: Counts, what: CountedKind): number | undefined {
  const buckets = times[what] ?? [];
  const all = buckets.reduce((sum, count) => sum + count, 0);
  let below = 0;
  const place = buckets.findIndex((count) => (below += count) >= all * 0.95);
  const bounds: readonly number[] = METRIC_NAMES[TIMED[what]].buckets ?? [];
  return all === 0 ? undefined : bounds[place];
}

/** How many webhooks a key has signed. Pure. */
export function signedOf({ counts }: Pick<Counts, 'counts'>, kid: string): number {
  return counts[signedBy(kid)] ?? 0;
}

function signedBy(kid: string): string {
  return `signed ${kid}`;
}

function nameOf(what: CountedKind, label: string): string {
  return `${what} ${label}`;
}
