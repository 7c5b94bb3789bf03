import { toTimestamp } from '../../platform/clock.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { feedEvents, subjectName } from './feed-event.ts';
import type { FeedEvent, FeedSubject } from './feed-event.ts';
import { publicStatesOf } from './public-state.ts';
import { newestEvent } from './newest-event.ts';
import { eventAt, FEED_TOPIC, markOvertaken } from './publish.ts';
import type { FeedDeps } from './publish.ts';

/** Subjects that are told in one write. */
const AT_ONCE = 500;

/** As `publishState` for each of many subjects, in few writes. Safe to repeat. */
export async function publishStates(deps: FeedDeps, subjects: readonly FeedSubject[]): Promise<void> {
  for (let at = 0; at < subjects.length; at += AT_ONCE) await publishSome(deps, subjects.slice(at, at + AT_ONCE));
}

/**
 * Where another writer has taken any of the numbers, all of them are looked at again: what was told late may be older than what
 * the other told.
 */
async function publishSome(deps: FeedDeps, subjects: readonly FeedSubject[]): Promise<void> {
  const { store, clock, changeSignal } = deps;
  let tried = 0;
  const attempted = new Set<string>();
  for (;;) {
    const last = (await newestEvent(store))?.sequence ?? 0;
    const states = await publicStatesOf(store, subjects);
    const told = await toldOf(store, subjects.map(subjectName));
    // Of a batch that another writer's number broke off, what went in is the newest of its subject by now.
    for (const event of told.values()) if (attempted.has(event.event_id)) await markOvertaken(store, event);
    const occurred_at = toTimestamp(clock.now());
    const news: FeedEvent[] = [];
    for (const [i, subject] of subjects.entries()) {
      const event = eventAt(last + news.length + 1, subject, {
        state: states[i],
        told: told.get(subjectName(subject)),
        occurred_at,
      });
      if (event !== undefined) news.push(event);
    }
    if (news.length === 0) return;
    for (const { event_id } of news) attempted.add(event_id);
    // In order, or a reader could see a number before the one in front of it, and a process that dies could leave a gap.
    const inserted = await store.collection(feedEvents).insertMany(news, { inOrder: true });
    if (inserted > 0) await changeSignal.publish(FEED_TOPIC, String(last + news.length));
    if (inserted === news.length) {
      for (const event of news) if (told.has(event.subject)) await markOvertaken(store, event);
      return;
    }
    if (inserted === 0 && last + 1 === tried) throw new Error(`the feed event ${tried} is there and cannot be read`);
    tried = last + 1;
  }
}

/** The newest event of each subject. */
async function toldOf(store: Store, names: readonly string[]): Promise<Map<string, FeedEvent>> {
  const told = new Map<string, FeedEvent>();
  // The newest is never marked, most of those before it are.
  const where = { subject: { in: names }, is_overtaken: null };
  for await (const event of allRows(store.collection(feedEvents), { where, limit: 1000 })) {
    if ((told.get(event.subject)?.sequence ?? 0) < event.sequence) told.set(event.subject, event);
  }
  return told;
}
