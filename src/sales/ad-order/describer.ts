import type { Clock } from '../../platform/clock.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import type { Description } from '../ad-server/description.ts';

/** A little over the hour in which whoever watches the ad server asks it anew: nobody else has to then. */
const KEPT_MS = HOUR_MS + 5 * 60_000;
/** How soon one that gave no answer is asked again, while what it said before does. */
const ASK_AGAIN_MS = 15_000;

type Ask = () => Promise<Description>;

/** What the ad server says that it can do, known to all of a process. */
export interface Describer {
  /** As it last said, without asking; undefined before it has answered. */
  known(): Description | undefined;
  /** As it said within the last hour, or else as it says now; where it gives no answer, as before. @throws what `ask` throws. */
  describe(ask: Ask): Promise<Description>;
  /** Asks now; who asks meanwhile gets the same answer. @throws what `ask` throws. */
  renew(ask: Ask): Promise<Description>;
}

export function createDescriber(clock: Clock): Describer {
  let known: Description | undefined;
  let dueAtMs = 0;
  let asking: Promise<Description> | undefined;

  async function renew(ask: Ask): Promise<Description> {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    known = await asking;
    dueAtMs = clock.now() + KEPT_MS;
    return known;
  }

  return {
    known: () => known,
    renew,
    async describe(ask) {
      if (known !== undefined && clock.now() < dueAtMs) return known;
      try {
        return await renew(ask);
      } catch (error) {
        if (known === undefined) throw error;
        dueAtMs = clock.now() + ASK_AGAIN_MS;
        return known;
      }
    },
  };
}
