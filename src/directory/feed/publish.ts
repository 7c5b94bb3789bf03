import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { ChangeSignal } from '../../platform/redis/change-signal.ts';
import { feedEvents, subjectName } from './feed-event.ts';
import type { FeedEvent, FeedSubject } from './feed-event.ts';
import { publicStateOf } from './public-state.ts';

export interface FeedDeps {
  store: Store;
  clock: Clock;
  /** Rung after each event, so that streams look. */
  changeSignal: ChangeSignal;
}

/** The change signal's topic for new events. */
export const FEED_TOPIC = 'registry-feed';

/**
 * Tells what the registry now shows of a subject, if that differs from what was told last. The state is read after the
 * number is chosen, and another event under that number starts it over: so of two at once, the newer state is told last.
 * Safe to repeat.
 */
export async function publishState({ store, clock, changeSignal }: FeedDeps, subject: FeedSubject): Promise<void> {
  const events = store.collection(feedEvents);
  const name = subjectName(subject);
  let taken = 0;
  for (;;) {
    const last = await newest(store, {});
    const state = await publicStateOf(store, subject);
    const told = await newest(store, { subject: name });
    const state_json = state === undefined ? null : JSON.stringify(state);
    if ((told?.state_json ?? null) === state_json) return;
    const sequence = (last?.sequence ?? 0) + 1;
    const { inserted } = await events.insert({
      event_id: String(sequence).padStart(16, '0'),
      sequence,
      kind: subject.kind,
      subject: name,
      change: state_json === null ? 'removed' : (told?.state_json ?? null) === null ? 'added' : 'changed',
      state_json,
      occurred_at: toTimestamp(clock.now()),
      revision: 1,
    });
    if (!inserted) {
      if (sequence === taken) throw new Error(`the feed event ${sequence} is there and cannot be read`);
      taken = sequence;
      continue;
    }
    await changeSignal.publish(FEED_TOPIC, String(sequence));
    return;
  }
}

async function newest(store: Store, where: { subject?: string }): Promise<FeedEvent | undefined> {
  const { rows } = await store.collection(feedEvents).find({
    where: { sequence: { gt: 0 }, ...where },
    sort: { field: 'sequence', direction: 'desc' },
    limit: 1,
  });
  return rows[0];
}
