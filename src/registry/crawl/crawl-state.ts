import { publishers } from '../../directory/publisher/publisher.ts';
import type { CrawlState, RegistryPublisher } from '../../directory/publisher/publisher.ts';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { CheckDeps } from '../../directory/scheduled-check/scheduled-check.ts';
import type { ReadFile } from './fetch-adagents.ts';

/** Clocks of processes that look differ by less than this; in milliseconds. */
const CLOCKS_DIFFER_MS = 60_000;
/** A publisher that names another place for its file is believed once it has done so for this long; in milliseconds. */
export const LOCATION_STANDS_MS = 24 * 3_600_000;
/** A file may come from servers of which not all have its newest version yet; in milliseconds. */
const OLDER_BY_MS = 60_000;

/** Problems of a file that are kept, and how much of each, in characters. */
const MAX_PROBLEMS = 50;
const MAX_PROBLEM = 300;

/** Whether a look that began later has been taken over. One that began far in the future was, under a clock that was set back. */
export function isOvertaken(
  state: Pick<CrawlState, 'started_at'> | undefined,
  startedAt: number,
  nowMs: number,
): boolean {
  if (state === undefined) return false;
  const lastMs = fromTimestamp(state.started_at);
  return lastMs > startedAt && lastMs <= nowMs + CLOCKS_DIFFER_MS;
}

/**
 * Why a file that was read does not count, though it is one: it is older than the one read last, as after a break-in or from a forgotten
 * copy; or the publisher has only just named another place for it. Undefined: it counts.
 */
export function whyNotYet(
  state: CrawlState | undefined,
  found: ReadFile,
  startedAt: number,
): { reason: string; pending: CrawlState['pending'] } | undefined {
  if (state?.source_url == null) return undefined;
  const { location, last_updated } = state;
  if (location !== null && found.location !== null && found.location !== location) {
    const pending =
      state.pending?.location === found.location
        ? state.pending
        : { location: found.location, since: toTimestamp(startedAt) };
    if (startedAt - fromTimestamp(pending.since) >= LOCATION_STANDS_MS) return undefined;
    return {
      reason: 'authoritative_location is another than before; it counts once it has stood for 24 hours',
      pending,
    };
  }
  const isOlder =
    last_updated !== null &&
    found.last_updated !== null &&
    found.source_url === state.source_url &&
    fromTimestamp(found.last_updated) < fromTimestamp(last_updated) - OLDER_BY_MS;
  return isOlder
    ? { reason: 'the file is older than the one read before, by its last_updated', pending: null }
    : undefined;
}

/** What is to be remembered of a file that counts. */
export function stateOfFile({ source_url, location, last_updated, file }: ReadFile, startedAt: number): CrawlState {
  // A time to come would make each later file an older one.
  const isPast = last_updated !== null && fromTimestamp(last_updated) <= startedAt + CLOCKS_DIFFER_MS;
  const started_at = toTimestamp(startedAt);
  const problems = file.problems.slice(0, MAX_PROBLEMS).map((problem) => problem.slice(0, MAX_PROBLEM));
  return { started_at, source_url, location, last_updated: isPast ? last_updated : null, pending: null, problems };
}

/** What is remembered of a look that found no file. */
export function blankState(started_at: string): CrawlState {
  return { started_at, source_url: null, location: null, last_updated: null, pending: null };
}

/** Since when nothing newer is known of who manages a publisher; rows of before do not say it, so of these it is when they were looked at. */
export function managerSeenAt({ manager_seen_at, started_at }: CrawlState): string {
  return manager_seen_at ?? started_at;
}

/** Remembers a look on the publisher's row, which is made where there is none. */
export async function rememberLook(
  { store, clock }: CheckDeps,
  publisher_domain: string,
  look: Pick<RegistryPublisher, 'manager_domain'> & { crawl: CrawlState },
): Promise<void> {
  const rows = store.collection(publishers);
  const now = toTimestamp(clock.now());
  const changed = await rows.update(publisher_domain, (row) => ({ ...row, ...look }));
  if (changed !== undefined) return;
  const { inserted } = await rows.insert({
    ...{ publisher_domain, source: 'adagents_json', verified: false, properties: [], ...look },
    ...{ created_at: now, updated_at: now, seen_at: look.crawl.started_at, revision: 1 },
  });
  if (!inserted) await rows.update(publisher_domain, (row) => ({ ...row, ...look }));
}
