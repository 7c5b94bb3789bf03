import { registrableDomain } from '../../directory/domain/normalize-domain.ts';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { AppError } from '../../platform/errors.ts';
import type { Out, Turns } from '../probe/ask.ts';
import { createOriginTurns, OriginBusy } from '../schedule/origin-turns.ts';
import type { OriginTurns } from '../schedule/origin-turns.ts';

/** What goes before a file is fetched from a place that a publisher's own only names: anybody may name any place. */
export interface Elsewhere {
  /** May refuse the place by throwing. */
  admit: (location: string) => Promise<void>;
  /** Where it waits for others who ask the same origin. */
  turns: Turns;
}

/** Whoever waits longer is told to come back, in milliseconds. */
const MOST_WAIT_MS = 5_000;

/**
 * For who asks for a look: of each origin this process fetches one such file at a time, whoever asks, and of one site so many an hour, over
 * all processes. What is kept at `ownOrigin` is this house's own, and counts nowhere. Both throw {AppError} `RATE_LIMITED`.
 */
export function elsewhereOnRequest(out: Out, budgets: Pick<Budgets, 'take'>, ownOrigin: string): Elsewhere {
  const origins = originsOf(out);
  const turns = {
    waitedMs: 0,
    async inTurn<T>(url: string, work: () => Promise<T>): Promise<T> {
      const leave = await leaveOf(new URL(url).origin);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
  async function leaveOf(origin: string): Promise<() => void> {
    const since = performance.now();
    try {
      return origins.takeFree(origin) ?? (await origins.wait(origin, MOST_WAIT_MS - turns.waitedMs, NEVER));
    } catch (error) {
      if (!(error instanceof OriginBusy)) throw error;
      throw new AppError('RATE_LIMITED', `too many ask ${origin} now; ask again in a few seconds`, {
        retry_after: MOST_WAIT_MS / 1000,
      });
    } finally {
      turns.waitedMs += performance.now() - since;
    }
  }
  return {
    turns,
    async admit(location) {
      const url = URL.parse(location);
      if (url === null || url.origin === ownOrigin) return;
      await budgets.take('pointed_files_of_domain', registrableDomain(url.hostname) ?? url.hostname);
    },
  };
}

const NEVER = new AbortController().signal;

/** The turns of those who ask, one set to each way out. */
const ORIGINS = new WeakMap<Out, OriginTurns>();

function originsOf(out: Out): OriginTurns {
  const known = ORIGINS.get(out) ?? createOriginTurns();
  ORIGINS.set(out, known);
  return known;
}
