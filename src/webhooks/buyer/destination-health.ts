import { z } from 'zod';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { allPages } from '../../platform/store/all-rows.ts';
import type { Collection, Query } from '../../platform/store/collection.ts';
import type { Attempt, Delivery } from '../delivery/delivery.ts';
import type { Pauses } from '../delivery/paused-destinations.ts';
import { BuyerAttempt, buyerAttempt } from './delivery-view.ts';

/** How a receiver does, by what one organization's own webhooks met there: never by anybody else's. */
export const DestinationHealth = z.object({
  destination: z.string().describe('Scheme, host and port'),
  state: z
    .enum(['answering', 'failing', 'paused', 'untried'])
    .describe('By the last attempt; `paused` while the seller holds everything back from there'),
  waiting: z.int().describe('Deliveries that are owed, of the 1,000 that wait longest'),
  waiting_since: z.string().nullable(),
  next_attempt_at: z.string().nullable(),
  last_attempt: BuyerAttempt.nullable(),
  last_success_at: z.string().nullable(),
  recent: z
    .object({ delivered: z.int(), pending: z.int(), over: z.int().describe('Ended without being delivered') })
    .describe("Of the organization's 500 newest deliveries"),
});
export type DestinationHealth = z.infer<typeof DestinationHealth>;

/** How far back is looked. */
const NEWEST = 500;
const LONGEST_WAITING = 1000;
const PAGE = 100;

/** What is looked at of a delivery. */
type Seen = Pick<Delivery, 'destination' | 'state' | 'attempts' | 'created_at' | 'next_attempt_at'>;

/** Every destination of an organization's recent or waiting deliveries; those that wait most come first. */
export async function destinationHealths(
  { deliveries, pauses }: { deliveries: Collection<Delivery>; pauses: Pick<Pauses, 'isPaused'> },
  organization_id: OrganizationId,
): Promise<DestinationHealth[]> {
  const newest = { where: { organization_id }, sort: { field: 'created_at', direction: 'desc' } } as const;
  const waiting = {
    where: { organization_id, state: 'pending' },
    sort: { field: 'created_at', direction: 'asc' },
  } as const;
  const recent = byDestination(await seen(deliveries, newest, NEWEST));
  const owed = byDestination(await seen(deliveries, waiting, LONGEST_WAITING));
  const all = [...new Set([...recent.keys(), ...owed.keys()])];
  const healths = await Promise.all(
    all.map(async (destination) =>
      healthOf(
        destination,
        recent.get(destination) ?? [],
        owed.get(destination) ?? [],
        await pauses.isPaused(destination),
      ),
    ),
  );
  return healths.sort((a, b) => b.waiting - a.waiting || a.destination.localeCompare(b.destination));
}

/** The first so many rows of a query. Their bodies, which may be large, are let go page by page. */
async function seen(deliveries: Collection<Delivery>, query: Query<Delivery>, most: number): Promise<Seen[]> {
  const found: Seen[] = [];
  for await (const rows of allPages(deliveries, { ...query, limit: PAGE })) {
    for (const { destination, state, attempts, created_at, next_attempt_at } of rows)
      found.push({ destination, state, attempts, created_at, next_attempt_at });
    if (found.length >= most) break;
  }
  return found;
}

function byDestination(rows: readonly Seen[]): Map<string, Seen[]> {
  const found = new Map<string, Seen[]>();
  for (const row of rows) {
    const known = found.get(row.destination);
    if (known === undefined) found.set(row.destination, [row]);
    else known.push(row);
  }
  return found;
}

function healthOf(
  destination: string,
  recent: readonly Seen[],
  waiting: readonly Seen[],
  isPaused: boolean,
): DestinationHealth {
  const attempts = [...recent, ...waiting].flatMap((row) => row.attempts);
  const last = latest(attempts);
  const count = (fits: (row: Seen) => boolean) => recent.filter(fits).length;
  const dues = waiting.flatMap(({ next_attempt_at }) => next_attempt_at ?? []).sort();
  return {
    destination,
    state: isPaused ? 'paused' : last === undefined ? 'untried' : last.status === 'success' ? 'answering' : 'failing',
    waiting: waiting.length,
    waiting_since: waiting[0]?.created_at ?? null,
    next_attempt_at: dues[0] ?? null,
    last_attempt: last === undefined ? null : buyerAttempt(last),
    last_success_at: latest(attempts.filter(({ status }) => status === 'success'))?.started_at ?? null,
    recent: {
      delivered: count(({ state }) => state === 'delivered'),
      pending: count(({ state }) => state === 'pending'),
      over: count(({ state }) => state !== 'delivered' && state !== 'pending'),
    },
  };
}

/** Timestamps sort as their instants do. */
function latest(attempts: readonly Attempt[]): Attempt | undefined {
  return attempts.reduce<Attempt | undefined>(
    (found, attempt) => (found === undefined || attempt.started_at >= found.started_at ? attempt : found),
    undefined,
  );
}
