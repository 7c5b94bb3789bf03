import { z } from 'zod';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { Attempt } from './delivery.ts';
import type { Delivery, DeliveryState } from './delivery.ts';
import { deliveriesMeant } from './delivery-filter.ts';

/** Of one receiver so many of its newest webhooks are looked at. */
export const MOST_LOOKED_AT = 1_000;
/** And of each of many so many. */
export const MOST_OF_EACH = 50;
/** They are read so many at a time: their bodies may be large. */
const PAGE = 100;

const { started_at, status, http_status_code, error_message, signature_error } = Attempt.shape;

/** How a receiver answered. */
export const Answered = z.object({ started_at, status, http_status_code, error_message, signature_error });
export type Answered = z.infer<typeof Answered>;

/** What became of the webhooks to one receiver that were made within a day. */
export const DestinationFigures = z.object({
  since: z.string().describe('Those made then or later are counted'),
  is_cut: z.boolean().describe(`There are more: only the newest ${MOST_LOOKED_AT.toLocaleString('en')} are looked at`),
  delivered: z.int(),
  failed: z.int().describe('Over without being taken: `rejected`, `gone` or `exhausted`'),
  success_percent: z.number().nullable().describe('Of those delivered or failed; null where there is none'),
  p50_ms: z.int().nullable().describe('Half of those delivered were so within this, from when they were made'),
  p95_ms: z.int().nullable().describe('And 95 of 100 within this'),
  last_attempt: Answered.nullable().describe('The latest attempt of all that were looked at'),
});
export type DestinationFigures = z.infer<typeof DestinationFigures>;

/** The same with whose webhooks they were. */
export interface FiguresLookedAt extends DestinationFigures {
  organization_ids: ReadonlySet<OrganizationId>;
}

/** Reads the newest webhooks to a receiver in the order of an index, no further than one day or so many rows. */
export async function figuresOf(
  { deliveries, clock }: { deliveries: Collection<Delivery>; clock: Clock },
  destination: string,
  most = MOST_LOOKED_AT,
): Promise<FiguresLookedAt> {
  const since = toTimestamp(clock.now() - DAY_MS);
  const counted = { delivered: 0, failed: 0 };
  const took: number[] = [];
  const organization_ids = new Set<OrganizationId>();
  let last: Answered | undefined;
  let looked = 0;
  let is_cut = false;
  const newest = {
    where: deliveriesMeant({ destination, from: since }),
    sort: { field: 'created_at', direction: 'desc' },
    limit: Math.min(PAGE, most + 1),
  } as const;
  for await (const row of allRows(deliveries, newest)) {
    is_cut = looked === most;
    if (is_cut) break;
    looked += 1;
    last = latestAnswer(last, row);
    organization_ids.add(row.organization_id);
    if (row.state === 'delivered') {
      counted.delivered += 1;
      took.push(...tookOf(row));
    } else if (FAILED.includes(row.state)) counted.failed += 1;
  }
  return {
    ...{ since, is_cut, ...counted, success_percent: percentOf(counted) },
    ...{ p50_ms: percentile(took, 50), p95_ms: percentile(took, 95) },
    ...{ last_attempt: last ?? null, organization_ids },
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
  return all === 0 ? null : Math.floor((delivered * 1000) / all) / 10;
}

/** The smallest of them that so many of 100 are not above. */
function percentile(values: readonly number[], percent: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.ceil((sorted.length * percent) / 100) - 1];
  return found === undefined ? null : Math.round(found);
}

/** The later of these two: one that is known, and a row's last. Timestamps sort as their instants do. Pure. */
export function latestAnswer(
  known: Answered | undefined,
  { attempts }: Pick<Delivery, 'attempts'>,
): Answered | undefined {
  const last = attempts.at(-1);
  if (last === undefined || (known !== undefined && known.started_at >= last.started_at)) return known;
  return Answered.parse(last);
}
