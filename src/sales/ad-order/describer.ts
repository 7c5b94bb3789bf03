import type { Clock } from '../../platform/clock.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import type { AdServer } from '../ad-server/ad-server.ts';
import type { Description } from '../ad-server/description.ts';

/** What the ad server says that it can do, asked at most once an hour. @throws a fault of the ad server's while it was never asked. */
export function createDescriber(adServer: Pick<AdServer, 'describe'>, clock: Clock): () => Promise<Description> {
  let known: { description: Description; askedAtMs: number } | undefined;
  return async () => {
    const nowMs = clock.now();
    if (known !== undefined && nowMs - known.askedAtMs < HOUR_MS) return known.description;
    try {
      known = { description: await adServer.describe(), askedAtMs: nowMs };
    } catch (error) {
      if (known === undefined) throw error;
    }
    return known.description;
  };
}
