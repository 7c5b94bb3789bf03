import { FEED_TOPIC } from '../../directory/feed/publish.ts';
import type { FeedDeps } from '../../directory/feed/publish.ts';
import { eventsAfter } from './events-after.ts';
import { viewOfEvent } from './schema.ts';

/** A comment is sent after this long without an event, so that proxies keep the connection and a lost signal is made good. */
const HEARTBEAT_MS = 15_000;
const PAGE = 100;

/** Events after a place as server-sent events, for as long as the signal lets: listens first, then reads, then waits. */
export async function* eventStream(
  { store, changeSignal }: Pick<FeedDeps, 'store' | 'changeSignal'>,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let wake: () => void = () => undefined;
  let signals = 0;
  const signalled = () => {
    signals++;
    wake();
  };
  signal.addEventListener('abort', signalled);
  const stopListening = await changeSignal.subscribe(FEED_TOPIC, signalled);
  try {
    yield 'retry: 3000\n\n';
    let cursor = from;
    while (!signal.aborted) {
      const heard = signals;
      const rows = await eventsAfter(store, cursor, PAGE);
      for (const row of rows) {
        const { id, type, ...data } = viewOfEvent(row);
        yield `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, ...data })}\n\n`;
        cursor = row.sequence;
      }
      if (rows.length === PAGE || signals !== heard) continue;
      const isQuiet = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(resolve, HEARTBEAT_MS, true);
        wake = () => {
          clearTimeout(timer);
          resolve(false);
        };
      });
      if (isQuiet) yield ': still here\n\n';
    }
  } finally {
    stopListening();
    signal.removeEventListener('abort', signalled);
  }
}
