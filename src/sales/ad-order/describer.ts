import type { Clock } from '../../platform/clock.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import type { AdServer } from '../ad-server/ad-server.ts';
import type { Description } from '../ad-server/description.ts';

/** What the ad server says that it can do, asked at most once an hour. */
export interface Describer {
  /** @throws a fault of the ad server's while it was never asked. */
  describe(): Promise<Description>;
  /** What it said last, without waiting for it; undefined while nobody knows. Has it asked again when that is an hour old. */
  known(): Description | undefined;
}

/** @param first What it has said just now. */
export function createDescriber(
  adServer: Pick<AdServer, 'describe'>,
  clock: Clock,
  first: Description | undefined,
): Describer {
  let last = first && { description: first, askedAtMs: clock.now() };
  let asking: Promise<unknown> | undefined;

  async function describe(): Promise<Description> {
    const nowMs = clock.now();
    if (last !== undefined && nowMs - last.askedAtMs < HOUR_MS) return last.description;
    try {
      last = { description: await adServer.describe(), askedAtMs: nowMs };
    } catch (error) {
      if (last === undefined) throw error;
    }
    return last.description;
  }

  return {
    describe,
    known() {
      // That it is away is the breaker's to tell.
      asking ??= describe()
        .catch(() => undefined)
        .finally(() => {
          asking = undefined;
        });
      return last?.description;
    },
  };
}
