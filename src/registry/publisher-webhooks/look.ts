import { findByVerifiedDomain } from '../../directory/organization/find-by-domain.ts';
import { newsBetween } from '../../directory/publisher-watch/publisher-news.ts';
import { keptStanding, standingOf } from '../../directory/publisher-watch/publisher-standing.ts';
import { publisherWatches } from '../../directory/publisher-watch/publisher-watch.ts';
import type { OwedNews, PublisherWatch } from '../../directory/publisher-watch/publisher-watch.ts';
import { eachAtOnce } from '../../platform/each-at-once.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { Store } from '../../platform/store/collection.ts';
import { createLeases, LeaseRows } from '../../platform/store/lease.ts';
import type { Delivery } from '../../webhooks/delivery/delivery.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import { newsWebhook, PUBLISHER_EVENT } from './news-webhook.ts';

export interface WatchDeps {
  store: Store;
  clock: Clock;
  ids: Ids;
  log: Logger;
  webhooks: Pick<Webhooks, 'send' | 'end'>;
}

/** Registrations taken in one round, and at work at once. */
const ROUND = 100;
const AT_ONCE = 8;
/** One that nothing was heard of is looked at this often, for safety's sake; in milliseconds. */
const LOOK_EVERY_MS = 3_600_000;
/** What is on its way is taken up again after so long, should its process die; so is one that failed. In milliseconds. */
const AGAIN_MS = 30_000;
/** What another process was about to send when a registration ended has been made by then, in milliseconds. */
const ENDING_MS = 120_000;

/**
 * Tells owners of publishers' domains what has changed since they were told last (rule R15.told); any number of processes may do it at
 * once. Answers how many registrations were looked at.
 */
export async function tellPublishers(deps: WatchDeps): Promise<number> {
  const rows = deps.store.collection(publisherWatches);
  const { rows: due } = await rows.find({
    where: { look_at: { lte: toTimestamp(deps.clock.now()) } },
    sort: { field: 'look_at', direction: 'asc' },
    limit: ROUND,
  });
  await eachAtOnce(due, AT_ONCE, async ({ registration_id }) => {
    try {
      await lookAt(deps, registration_id);
    } catch (error) {
      deps.log.warn({ err: error, registration_id }, 'a publisher could not be told; trying again');
      const look_at = toTimestamp(deps.clock.now() + AGAIN_MS);
      await rows.update(registration_id, (row) => (row.look_at < look_at ? { ...row, look_at } : undefined));
    }
  });
  return due.length;
}

/** Ends a registration: nothing more goes there. What was on its way ends with it. */
export async function endWatch(
  deps: Pick<WatchDeps, 'store' | 'clock'> & { webhooks: Pick<Webhooks, 'end'> },
  registration_id: string,
): Promise<void> {
  const nowMs = deps.clock.now();
  const ended = { ended_at: toTimestamp(nowMs), look_at: toTimestamp(nowMs + ENDING_MS), owed: [] };
  await deps.store
    .collection(publisherWatches)
    .update(registration_id, (row) => (row.ended_at === undefined ? { ...row, ...ended } : undefined));
  await deps.webhooks.end({ task_id: registration_id, registration_id });
}

/** A receiver answered 410: where it was a publisher's, its registration ends. */
export async function endGoneWatch(
  deps: Parameters<typeof endWatch>[0],
  { task_type, registration_id }: Pick<Delivery, 'task_type' | 'registration_id'>,
): Promise<void> {
  if (task_type === PUBLISHER_EVENT) await endWatch(deps, registration_id);
}

/**
 * One look. What is to be told, under which ids, and that it is owed is one write, against the row as it was before the publisher's
 * state was read: of two processes one writes it, and a later state is never overwritten by an earlier one.
 */
async function lookAt(deps: WatchDeps, registration_id: string): Promise<void> {
  const rows = deps.store.collection(publisherWatches);
  for (;;) {
    const row = await rows.get(registration_id);
    if (row === undefined) return;
    if (row.ended_at !== undefined) {
      await finish(deps, row);
      return;
    }
    if (row.owed.length > 0) {
      await tell(deps, row);
      continue;
    }
    const holder = await findByVerifiedDomain(deps.store, row.publisher_domain);
    if (holder?.organization_id !== row.organization_id) {
      await endWatch(deps, registration_id);
      return;
    }
    const decided = await rows.replace(await decide(deps, row));
    if (decided?.owed.length === 0) return;
  }
}

async function decide(deps: WatchDeps, row: PublisherWatch): Promise<PublisherWatch> {
  const { store, clock, ids } = deps;
  const { publisher_domain, events } = row;
  const leases = createLeases(() => store.collection(LeaseRows), clock);
  // Never in the middle of a crawl's writes.
  const { atMs, now } = await leases.hold(`crawl ${publisher_domain}`, async () => {
    const nowMs = clock.now();
    return { atMs: nowMs, now: await standingOf(store, publisher_domain, nowMs) };
  });
  const decided_at = toTimestamp(atMs);
  const wanted = newsBetween(publisher_domain, row.told, now).filter(
    ({ event }) => events === undefined || events.includes(event),
  );
  const owed: OwedNews[] = wanted.map((news, i) => ({
    ...news,
    ...{ sequence: row.sequence + i + 1, idempotency_key: ids.newId(), decided_at },
  }));
  const nextMs = Math.min(now.nextMs, atMs + LOOK_EVERY_MS);
  return {
    ...row,
    ...{ told: keptStanding(now), manager_domain: now.manager_domain, owed, sequence: row.sequence + owed.length },
    look_at: toTimestamp(owed.length === 0 ? nextMs : atMs + AGAIN_MS),
  };
}

/** Safe to be done by two, and again: a delivery is made once for each sequence. */
async function tell(deps: WatchDeps, row: PublisherWatch): Promise<void> {
  await deps.webhooks.send(row.owed.map((news) => newsWebhook(row, news)));
  const told = new Set(row.owed.map(({ sequence }) => sequence));
  const outcome = await deps.store.collection(publisherWatches).update(row.registration_id, (stored) => ({
    ...stored,
    owed: stored.owed.filter(({ sequence }) => !told.has(sequence)),
  }));
  // Ended meanwhile: so does what has just been made.
  if (outcome?.row.ended_at !== undefined || outcome === undefined)
    await deps.webhooks.end({ task_id: row.registration_id, registration_id: row.registration_id });
}

async function finish({ store, clock, webhooks }: WatchDeps, row: PublisherWatch): Promise<void> {
  const { registration_id, look_at, revision } = row;
  if (look_at > toTimestamp(clock.now())) return;
  await webhooks.end({ task_id: registration_id, registration_id });
  await store.collection(publisherWatches).delete(registration_id, revision);
}
