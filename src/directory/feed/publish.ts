import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { ChangeSignal } from '../../platform/redis/change-signal.ts';
import { feedEvents, publisherOf, subjectName } from './feed-event.ts';
import type { FeedEvent, FeedSubject } from './feed-event.ts';
import { newestEvent } from './newest-event.ts';
import { publicStateOf } from './public-state.ts';
import type { PublicState } from './public-state.ts';

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
  let taken = 0;
  for (;;) {
    const last = await newestEvent(store);
    const state = await publicStateOf(store, subject);
    const told = await newestEvent(store, { subject: subjectName(subject) });
    const sequence = (last?.sequence ?? 0) + 1;
    const event = eventAt(sequence, subject, { state, told, occurred_at: toTimestamp(clock.now()) });
    if (event === undefined) return;
    const { inserted } = await events.insert(event);
    if (!inserted) {
      if (sequence === taken) throw new Error(`the feed event ${sequence} is there and cannot be read`);
      taken = sequence;
      continue;
    }
    if (told !== undefined) await markOvertaken(store, event);
    await changeSignal.publish(FEED_TOPIC, String(sequence));
    return;
  }
}

/** What is to be told of a subject under a number; undefined where what was told last is what is shown. */
export function eventAt(
  sequence: number,
  subject: FeedSubject,
  now: { state: PublicState | undefined; told: FeedEvent | undefined; occurred_at: string },
): FeedEvent | undefined {
  const state_json = now.state === undefined ? null : JSON.stringify(now.state);
  const before = now.told?.state_json ?? null;
  if (before === state_json) return undefined;
  const name = subjectName(subject);
  const agent_url = subject.kind === 'agent' ? urlIn(state_json ?? before) : undefined;
  const change = state_json === null ? 'removed' : before === null ? 'added' : 'changed';
  return {
    event_id: String(sequence).padStart(16, '0'),
    sequence,
    kind: subject.kind,
    subject: name,
    change,
    state_json,
    type: `${subject.kind}.${change}`,
    publisher_domain: publisherOf(name),
    ...(agent_url !== undefined && { agent_url }),
    occurred_at: now.occurred_at,
    revision: 1,
  };
}

/** The address that the public state of an agent names. */
function urlIn(state_json: string | null): string | undefined {
  const { url } = JSON.parse(state_json ?? '{}') as { url?: unknown };
  return typeof url === 'string' ? url : undefined;
}

/**
 * Marks what an event overtakes, so that snapshots pass it over. Killed in between, a snapshot tells it besides what has
 * overtaken it; nothing is missing.
 */
export async function markOvertaken(store: Store, { sequence, subject }: FeedEvent): Promise<void> {
  const events = store.collection(feedEvents);
  const before = allRows(events, {
    where: { subject, is_overtaken: null, sequence: { lt: sequence } },
    sort: { field: 'sequence', direction: 'asc' },
  });
  for await (const { event_id } of before) await events.update(event_id, (row) => ({ ...row, is_overtaken: true }));
}
