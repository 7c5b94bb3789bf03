import { z } from 'zod';
import { shownUrl } from '../../platform/outbound/shown-url.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { Delivery } from './delivery.ts';
import { deliveriesMeant } from './delivery-filter.ts';
import type { DeliveryFilter } from './delivery-filter.ts';

/** So many of the oldest webhooks are looked at for the registrations that they are for. */
const LOOKED_AT = 500;
/** So many registrations are named. */
const NAMED = 20;

/** What a range would be, before anything of it is sent: how many, how old, and for which registrations. */
export const RangeCounted = z.object({
  count: z.int(),
  oldest_at: z.string().nullable().describe('When the oldest was made; null where there is none'),
  newest_at: z.string().nullable().describe('When the newest was made; null where there is none'),
  registrations: z
    .array(
      z.object({
        ...{ registration_id: z.string(), organization_id: z.string(), task_id: z.string() },
        url: z.string().describe('Without its query'),
        count: z.int(),
      }),
    )
    .describe(`The ${NAMED} with most webhooks, of the oldest ${LOOKED_AT}`),
  registration_count: z.int().describe(`How many registrations the oldest ${LOOKED_AT} webhooks are for`),
});
export type RangeCounted = z.infer<typeof RangeCounted>;

/** Counts no further than one more than `most`. */
export async function countMeant(
  deliveries: Pick<Collection<Delivery>, 'count' | 'find'>,
  filter: DeliveryFilter,
  most: number,
): Promise<RangeCounted> {
  const where = deliveriesMeant(filter);
  const end = (direction: 'asc' | 'desc', limit: number) =>
    deliveries.find({ where, sort: { field: 'created_at', direction }, limit });
  const [count, oldest, newest] = await Promise.all([
    deliveries.count(where, { most: most + 1 }),
    end('asc', LOOKED_AT),
    end('desc', 1),
  ]);
  const registrations = registrationsOf(oldest.rows);
  return {
    count,
    oldest_at: oldest.rows[0]?.created_at ?? null,
    newest_at: newest.rows[0]?.created_at ?? null,
    registrations: registrations.slice(0, NAMED),
    registration_count: registrations.length,
  };
}

/** Those with most of them first. Pure. */
function registrationsOf(rows: readonly Delivery[]): RangeCounted['registrations'] {
  const found = new Map<string, RangeCounted['registrations'][number]>();
  for (const { registration_id, organization_id, task_id, url } of rows) {
    const name = `${registration_id} ${task_id}`;
    const one = found.get(name) ?? { registration_id, organization_id, task_id, url: shownUrl(url), count: 0 };
    one.count += 1;
    found.set(name, one);
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}
