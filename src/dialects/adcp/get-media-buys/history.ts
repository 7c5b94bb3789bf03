import type { JsonObject } from '../../../platform/json-object.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';

/** What happened to a buy, oldest first, each with the revision that it left. Pure. */
export function historyOf({ history }: MediaBuy): JsonObject[] {
  let revision = 1;
  return history.map(({ at: timestamp, action, actor, note, ...event }) => {
    revision = event.revision ?? revision;
    return { revision, timestamp, action, actor, ...(note !== null && { summary: note }) };
  });
}
