import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { eventsOf, feedEvents } from './feed-event.ts';
import type { FeedEvent } from './feed-event.ts';
import { feedMark, raiseFeedMark } from './feed-mark.ts';
import { newestEvent } from './newest-event.ts';

/** What is older than the days, or not among the newest events, is forgotten. */
export interface FeedRetention {
  days: number;
  events: number;
}

const DAY_MS = 86_400_000;
/** Events looked at under one mark. */
const BATCH = 200;
/** Batches in one round: a process that is told to stop waits for it. */
const BATCHES = 5;

/**
 * Forgets events that are older than is kept, in bounded batches from the oldest on. What a subject was told last stays,
 * however old, unless that was its removal: so the feed from its beginning always folds to the present state, and nothing is told
 * as new that is not. The very last event stays, for the next one's number follows from it. Any number of workers may do it at
 * once; killed in between, it is done again. Answers how many events were looked at.
 */
export async function forgetOldEvents(
  { store, clock }: { store: Store; clock: Clock },
  { days, events }: FeedRetention,
): Promise<number> {
  const last = (await newestEvent(store))?.sequence ?? 0;
  const before = toTimestamp(clock.now() - days * DAY_MS);
  const isOld = ({ sequence, occurred_at }: FeedEvent) =>
    sequence < last && (sequence <= last - events || occurred_at < before);
  let looked = 0;
  for (let i = 0; i < BATCHES; i++) {
    const { swept_to } = await feedMark(store);
    const { rows } = await store.collection(feedEvents).find({
      where: { sequence: { gt: swept_to } },
      sort: { field: 'sequence', direction: 'asc' },
      limit: BATCH,
    });
    const fresh = rows.findIndex((row) => !isOld(row));
    const old = fresh === -1 ? rows : rows.slice(0, fresh);
    const end = old.at(-1)?.sequence;
    if (end === undefined) break;
    await raiseFeedMark(store, { kept_after: end });
    for (const event of old) await forget(store, event);
    await raiseFeedMark(store, { swept_to: end });
    looked += old.length;
    if (fresh !== -1) break;
  }
  return looked;
}

/**
 * Deletes all before an event of its subject, and then itself, where nothing of it is in the present state. A removal stays
 * where something before it was not marked as overtaken: a snapshot under way may have told that.
 */
async function forget(
  store: Store,
  { event_id, sequence, subject, is_overtaken, state_json }: FeedEvent,
): Promise<void> {
  const events = store.collection(feedEvents);
  let isNeeded = false;
  const before = allRows(events, {
    where: { ...eventsOf.subject(subject), sequence: { lt: sequence } },
    sort: { field: 'sequence', direction: 'asc' },
    onSkipped: () => {
      isNeeded = true;
    },
  });
  for await (const row of before) {
    if (row.is_overtaken !== true) {
      isNeeded = true;
      // The removal stays for its sake: were it gone, whoever looks next, or beside us, would find nothing that needs it.
      if (state_json === null) continue;
    }
    await events.delete(row.event_id);
  }
  if (is_overtaken === true || (state_json === null && !isNeeded)) await events.delete(event_id);
}
