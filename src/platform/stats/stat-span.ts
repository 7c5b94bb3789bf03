import { z } from 'zod';
import type { CollectionSpec } from '../store/collection.ts';

/** What a process counted in a minute, or all processes in an hour. */
export const StatSpan = z.object({
  stat_id: z.string().min(1).max(512),
  span: z.enum(['minute', 'hour']),
  /** Its first instant. */
  at: z.iso.datetime(),
  /** How many, by name and label: `tasks completed`. */
  counts: z.record(z.string(), z.int().min(0)),
  /** Of times, by name: how many fell into each bucket, and the last beyond all. */
  times: z.record(z.string(), z.array(z.int().min(0))),
  /** The most jobs that waited at the end of a minute of it. */
  queued: z.int().min(0),
  expires_at: z.iso.datetime(),
  revision: z.int().min(1),
});
export type StatSpan = z.infer<typeof StatSpan>;

export const StatSpans: CollectionSpec<StatSpan> = {
  name: 'stat_spans',
  key: 'stat_id',
  schema: StatSpan,
  indexes: [{ name: 'span_at', fields: ['span', 'at'] }],
  expires: 'expires_at',
};

/** What is told of a span, whoever counted it. */
export type Tally = Pick<StatSpan, 'counts' | 'times' | 'queued'>;

/** All of them together; what waits is seen by every process, so that the most is what counts. Pure. */
export function addedUp(tallies: readonly Tally[]): Tally {
  const all: Tally = { counts: {}, times: {}, queued: 0 };
  for (const { counts, times, queued } of tallies) {
    for (const [name, count] of Object.entries(counts)) all.counts[name] = (all.counts[name] ?? 0) + count;
    for (const [name, buckets] of Object.entries(times)) {
      const known = all.times[name] ?? [];
      const most = Math.max(known.length, buckets.length);
      all.times[name] = Array.from({ length: most }, (_, i) => (known[i] ?? 0) + (buckets[i] ?? 0));
    }
    all.queued = Math.max(all.queued, queued);
  }
  return all;
}
