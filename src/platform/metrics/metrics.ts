import { within } from '../within.ts';
import { METRIC_NAMES } from './metric-names.ts';
import type { CounterName, GaugeName, HistogramName, LabelsOf, MetricName } from './metric-names.ts';

/** What the parts of the product count with. Never throws, and costs an increment. */
export interface Counters {
  add<N extends CounterName>(name: N, labels: LabelsOf<N>, by?: number): void;
  /** `value` in the unit of the metric's name. */
  observe<N extends HistogramName>(name: N, labels: LabelsOf<N>, value: number): void;
}

/** One value of a gauge. */
export interface Reading<N extends GaugeName> {
  labels: LabelsOf<N>;
  value: number;
}

/** What was counted under one set of labels. */
export interface CountedSeries {
  labels: Readonly<Record<string, string>>;
  /** Of a histogram: the sum of what was observed. */
  value: number;
  /** Of a histogram: how many fell into each bucket, and the last beyond all. */
  counts: readonly number[];
}

/** What is measured in one process. */
export interface Metrics extends Counters {
  /** Says how a gauge is read whenever somebody looks; in place of what was said before. One that fails is left out. */
  gauge<N extends GaugeName>(name: N, read: () => Promise<readonly Reading<N>[]> | readonly Reading<N>[]): void;
  /** What was counted so far of a counter or a histogram, by its labels. */
  series(name: CounterName | HistogramName): readonly CountedSeries[];
  /** All of it in the text format of Prometheus, version 0.0.4. */
  text(): Promise<string>;
}

/** The content type of {@link Metrics.text}. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const PREFIX = 'mba_';

/** Label sets of one metric; what comes beyond is counted together, under `other`, so that no client can fill memory. */
const MAX_SERIES = 500;

/** Labels that take few values each, whoever calls. */
const FEW: ReadonlySet<string> = new Set(['edge', 'budget', 'status', 'outcome', 'state', 'wire', 'mode', 'phase']);

/** How long a gauge may take to be read, in milliseconds. */
const READ_WITHIN_MS = 2_000;

interface Series {
  labels: readonly string[];
  /** Of a histogram: the sum of what was observed; else the count. */
  value: number;
  /** Of a histogram: how many fell into each bucket, and the last beyond all. */
  counts: number[];
}

export function createMetrics(): Metrics {
  const series = new Map<MetricName, Map<string, Series>>();
  const gauges = new Map<GaugeName, () => Promise<readonly Reading<GaugeName>[]> | readonly Reading<GaugeName>[]>();

  function seriesOf(name: MetricName, labels: Readonly<Record<string, string>>): Series {
    let known = series.get(name);
    if (known === undefined) series.set(name, (known = new Map<string, Series>()));
    const values = labelNames(name).map((label) => labels[label] ?? '');
    const key = values.join('\u0000');
    const found = known.get(key);
    if (found !== undefined) return found;
    const isFull = known.size >= MAX_SERIES;
    // What goes wrong is still seen: how it ended, and at which edge, are few.
    const shown = isFull ? values.map((value, i) => (FEW.has(labelNames(name)[i] ?? '') ? value : 'other')) : values;
    const shownKey = shown.join('\u0000');
    const made = known.get(shownKey) ?? {
      labels: shown,
      value: 0,
      counts: bucketsOf(name)
        .map(() => 0)
        .concat(0),
    };
    known.set(shownKey, made);
    return made;
  }

  return {
    add(name, labels, by = 1) {
      seriesOf(name, labels).value += by;
    },
    observe(name, labels, value) {
      const found = seriesOf(name, labels);
      const place = bucketsOf(name).findIndex((bound) => value <= bound);
      const at = place === -1 ? found.counts.length - 1 : place;
      found.counts[at] = (found.counts[at] ?? 0) + 1;
      found.value += value;
    },
    gauge(name, read) {
      gauges.set(name, read);
    },
    series(name) {
      return [...(series.get(name)?.values() ?? [])].map(({ labels, value, counts }) => ({
        labels: Object.fromEntries(labelNames(name).map((label, i) => [label, labels[i] ?? ''])),
        ...{ value, counts: [...counts] },
      }));
    },
    async text() {
      const read = new Map<MetricName, readonly Reading<GaugeName>[]>(
        await Promise.all([...gauges].map(async ([name, reading]) => [name, await readInTime(reading)] as const)),
      );
      const names = Object.keys(METRIC_NAMES) as MetricName[];
      return names
        .flatMap((name) =>
          linesOf(name, [...(series.get(name)?.values() ?? []), ...seriesOfGauge(name, read.get(name))]),
        )
        .join('');
    },
  };
}

/** For what is measured by nobody. */
export const noCounters: Counters = { add: () => undefined, observe: () => undefined };

async function readInTime(
  read: () => Promise<readonly Reading<GaugeName>[]> | readonly Reading<GaugeName>[],
): Promise<readonly Reading<GaugeName>[]> {
  try {
    return await within(READ_WITHIN_MS, Promise.resolve(read()), () => []);
  } catch {
    return [];
  }
}

function seriesOfGauge(name: MetricName, readings: readonly Reading<GaugeName>[] = []): Series[] {
  return readings.map(({ labels, value }) => {
    const given: Readonly<Record<string, string>> = labels;
    return { labels: labelNames(name).map((label) => given[label] ?? ''), value, counts: [] };
  });
}

function labelNames(name: MetricName): readonly string[] {
  return METRIC_NAMES[name].labels;
}

function bucketsOf(name: MetricName): readonly number[] {
  const metric: { buckets?: readonly number[] } = METRIC_NAMES[name];
  return metric.buckets ?? [];
}

/** The lines of one metric; none while nothing was measured. */
function linesOf(name: MetricName, all: readonly Series[]): string[] {
  if (all.length === 0) return [];
  const { type, help } = METRIC_NAMES[name];
  const head = [`# HELP ${PREFIX}${name} ${help}\n`, `# TYPE ${PREFIX}${name} ${type}\n`];
  const sample = (suffix: string, pairs: readonly (readonly [string, string])[], value: number) => {
    const text = pairs.map(([label, given]) => `${label}="${escaped(given)}"`).join(',');
    return `${PREFIX}${name}${suffix}${text === '' ? '' : `{${text}}`} ${value}\n`;
  };
  const samples = all.flatMap((one) => {
    const pairs = labelNames(name).map((label, place) => [label, one.labels[place] ?? ''] as const);
    if (type !== 'histogram') return [sample('', pairs, one.value)];
    let below = 0;
    const buckets = one.counts.map((count, place) => {
      below += count;
      return sample('_bucket', [...pairs, ['le', String(bucketsOf(name)[place] ?? '+Inf')]], below);
    });
    return [...buckets, sample('_sum', pairs, one.value), sample('_count', pairs, below)];
  });
  return [...head, ...samples];
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
