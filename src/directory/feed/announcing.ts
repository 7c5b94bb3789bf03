import { randomUUID } from 'node:crypto';
import { toTimestamp } from '../../platform/clock.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import { eachInTurn } from '../../platform/each-in-turn.ts';
import { feedIntents } from './feed-event.ts';
import type { FeedIntent, FeedSubject } from './feed-event.ts';
import { publishState } from './publish.ts';
import type { FeedDeps } from './publish.ts';

/**
 * Makes a change and tells it. The intent is stored first, so that a process that dies in between leaves a note of what
 * is owed; {@link publishOverdue} settles it.
 */
export async function announcing<T>(
  deps: FeedDeps,
  subjects: readonly FeedSubject[],
  change: () => Promise<T>,
): Promise<T> {
  const intents = deps.store.collection(feedIntents);
  const created_at = toTimestamp(deps.clock.now());
  const noted: FeedIntent[] = subjects.map(({ kind, key }) => ({
    intent_id: randomUUID(),
    ...{ kind, key, created_at, revision: 1 },
  }));
  if (noted.length > 0) await intents.insertMany(noted);
  const result = await change();
  for (const intent of noted) await settle(deps, intent);
  return result;
}

/** How long a change may be under way before a worker tells it, in milliseconds. */
const OVERDUE_MS = 60_000;

/** Tells the changes whose process died before it could. Answers how many. */
export async function publishOverdue(deps: FeedDeps): Promise<number> {
  const overdue = allRows(deps.store.collection(feedIntents), {
    where: { created_at: { lte: toTimestamp(deps.clock.now() - OVERDUE_MS) } },
    sort: { field: 'created_at', direction: 'asc' },
  });
  let found = 0;
  await eachInTurn(overdue, async (intent) => {
    found += 1;
    await settle(deps, intent);
  });
  return found;
}

async function settle(deps: FeedDeps, intent: FeedIntent): Promise<void> {
  await publishState(deps, { kind: intent.kind, key: intent.key });
  await deps.store.collection(feedIntents).delete(intent.intent_id);
}
