import { z } from 'zod';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { Attempt, DeliveryState } from './delivery.ts';
import type { Delivery } from './delivery.ts';

/** Of one receiver so many of its newest webhooks are looked at. */
export const MOST_LOOKED_AT = 1_000;
/** They are read so many at a time: their bodies may be large. */
const PAGE = 100;

const { started_at, status, http_status_code, error_message } = Attempt.shape;

/** What became of the webhooks to one receiver that were made within a day. */
export const DestinationFigures = z.object({
  since: z.string().describe('Those made then or later are counted'),
  is_cut: z.boolean().describe(`There are more: only the newest ${MOST_LOOKED_AT.toLocaleString('en')} are looked at`),
  delivered: z.int(),
  failed: z.int().describe('Over without being taken: `rejected`, `gone` or `exhausted`'),
  success_percent: z.number().nullable().describe('Of those delivered or failed; null where there is none'),
  p50_ms: z.int().nullable().describe('Half of those delivered were so within this, from when they were made'),
  p95_ms: z.int().nullable().describe('And 95 of 100 within this'),
  last_attempt: z
    .object({ started_at, status, http_status_code, error_message })
    .nullable()
    .describe('The latest attempt of all that were looked at'),
});
export type DestinationFigures = z.infer<typeof DestinationFigures>;

/** Reads the newest webhooks to a receiver in the order of an index, no further than one day or {@link MOST_LOOKED_AT} rows. */
export async function figuresOf(
  { deliveries, clock }: { deliveries: Collection<Delivery>; clock: Clock },
  destination: string,
): Promise<DestinationFigures> {
  const since = toTimestamp(clock.now() - DAY_MS);
  const counted = { delivered: 0, failed: 0 };
  const took: number[] = [];
  let last: Attempt | undefined;
  let looked = 0;
  let is_cut = false;
  // Each state by itself, for the index has them so.
  const where = { destination, state: { in: DeliveryState.options }, created_at: { gte: since } };
  const newest = { where, sort: { field: 'created_at', direction: 'desc' }, limit: PAGE } as const;
  for await (const row of allRows(deliveries, newest)) {
    is_cut = looked === MOST_LOOKED_AT;
    if (is_cut) break;
    looked += 1;
    last = latest(last, row.attempts.at(-1));
    if (row.state === 'delivered') {
      counted.delivered += 1;
      took.push(...tookOf(row));
    } else if (FAILED.includes(row.state)) counted.failed += 1;
  }
  return {
    ...{ since, is_cut, ...counted, success_percent: percentOf(counted) },
    ...{ p50_ms: percentile(took, 50), p95_ms: percentile(took, 95) },
    last_attempt: last === undefined ? null : answerOf(last),
  };
}

const FAILED: readonly DeliveryState[] = ['rejected', 'gone', 'exhausted'];

/** From when it was made until the receiver had taken it, in milliseconds. */
function tookOf({ created_at, attempts }: Delivery): number[] {
  const taken = attempts.findLast((one) => one.status === 'success');
  if (taken === undefined) return [];
  return [fromTimestamp(taken.started_at) + (taken.timings?.total_ms ?? 0) - fromTimestamp(created_at)];
}

/** With one decimal, and 100 for all alone. */
function percentOf({ delivered, failed }: { delivered: number; failed: number }): number | null {
  const all = delivered + failed;
  return all === 0 ? null : Math.floor((delivered / all) * 1000) / 10;
}

/** The smallest of them that so many of 100 are not above. */
function percentile(values: readonly number[], percent: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.ceil((sorted.length * percent) / 100) - 1];
  return found === undefined ? null : Math.round(found);
}

/** Timestamps sort as their instants do. */
function latest(a: Attempt | undefined, b: Attempt | undefined): Attempt | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.started_at > a.started_at ? b : a;
}

function answerOf(last: Attempt): NonNullable<DestinationFigures['last_attempt']> {
  return {
    ...{ started_at: last.started_at, status: last.status },
    ...(last.http_status_code !== undefined && { http_status_code: last.http_status_code }),
    ...(last.error_message !== undefined && { error_message: last.error_message }),
  };
}
