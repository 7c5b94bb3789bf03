import { FEED_TOPIC } from '../../directory/feed/publish.ts';
import type { FeedDeps } from '../../directory/feed/publish.ts';
import { eventsAfter } from '../../directory/feed/read-events.ts';
import type { FeedFilter } from '../../directory/feed/read-events.ts';
import { createBell } from '../../platform/bell.ts';
import { AppError } from '../../platform/errors.ts';
import type { RegistryContext } from '../context.ts';
import { jsonOfEvent } from './schema.ts';

/** A comment is sent after this long without an event, so that proxies keep the connection and a lost signal is made good. */
const HEARTBEAT_MS = 15_000;
const PAGE = 100;

/**
 * Events after a place as server-sent events, for as long as the signal lets and this process goes on: listens first, then reads, then waits. Ends when
 * the client has fallen behind what is kept; coming back it is told so.
 */
export async function* eventStream(
  { store, changeSignal, stopping }: Pick<FeedDeps, 'store' | 'changeSignal'> & Pick<RegistryContext, 'stopping'>,
  from: number | undefined,
  filter: FeedFilter,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const bell = createBell();
  const ends = stopping === undefined ? [signal] : [signal, stopping];
  for (const end of ends) end.addEventListener('abort', bell.ring);
  const stopListening = await changeSignal.subscribe(FEED_TOPIC, bell.ring);
  try {
    yield 'retry: 3000\n\n';
    let place = from;
    while (!ends.some(({ aborted }) => aborted)) {
      const isRung = bell.next();
      const page = await eventsAfter(store, place, PAGE, filter).catch(untilExpired);
      if (page === undefined) return;
      for (const event of page.events)
        yield `id: ${event.sequence}\nevent: ${event.kind}.${event.change}\ndata: ${jsonOfEvent(event)}\n\n`;
      place = page.cursor;
      if (page.hasMore) continue;
      // The id alone is no event, but kept by the client: what its filter leaves out it need not be behind of.
      if (!(await isRung(HEARTBEAT_MS))) yield `: still here\nid: ${place}\n\n`;
    }
  } finally {
    stopListening();
    for (const end of ends) end.removeEventListener('abort', bell.ring);
  }
}

function untilExpired(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'CURSOR_EXPIRED') return undefined;
  throw error;
}
