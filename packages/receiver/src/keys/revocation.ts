import { boundedFetchJson } from './fetch-json.ts';
import type { FetchJson } from './fetch-json.ts';
import type { Surroundings } from './resolved-key.ts';

/** `stale`: the revocations could not be refreshed for so long that nothing can be said. */
export type KeyStanding = 'good' | 'revoked' | 'stale';

/** Tells whether a key may still be trusted (rule W12, step 9). */
export interface RevocationChecker {
  /** `now` in milliseconds since the epoch. */
  standingOf(keyid: string, now: number, surroundings?: Surroundings): Promise<KeyStanding>;
}

export interface RevocationListOptions {
  /** A JSON document `{revoked_kids: [kid, …], next_update: <RFC 3339>}` on the sender's origin. */
  url: string;
  /** How long past its due refresh a list still counts, in seconds. Default 300. */
  graceSeconds?: number;
  /** Default: what the adapter brings along, else {@link boundedFetchJson}. */
  fetchJson?: FetchJson;
}

const MIN_INTERVAL_MS = 60_000;
const MAX_INTERVAL_MS = 900_000;
const RETRY_MS = 30_000;

/**
 * Polls a revocation list as it is asked: at `next_update`, but no sooner than a minute and no later than 15 minutes
 * after the last time; after a failure no sooner than 30 s. A list it cannot refresh in time makes every key `stale`,
 * and so does one it never got.
 */
export function revocationList({ url, graceSeconds = 300, fetchJson }: RevocationListOptions): RevocationChecker {
  let revoked: ReadonlySet<string> = new Set();
  let refreshDue = -Infinity;
  let nextAttempt = -Infinity;
  let refreshing: Promise<void> | undefined;

  async function refresh(now: number, fetchList: FetchJson): Promise<void> {
    nextAttempt = now + RETRY_MS;
    const list = readList(await fetchList(url).catch(() => undefined));
    if (list === undefined) return;
    revoked = list.revokedKids;
    refreshDue = Math.min(Math.max(list.nextUpdate, now + MIN_INTERVAL_MS), now + MAX_INTERVAL_MS);
    nextAttempt = refreshDue;
  }

  return {
    async standingOf(keyid, now, surroundings) {
      if (now >= nextAttempt) {
        refreshing ??= refresh(now, fetchJson ?? surroundings?.fetchJson ?? boundedFetchJson()).finally(() => {
          refreshing = undefined;
        });
      }
      await refreshing;
      if (revoked.has(keyid)) return 'revoked';
      return now > refreshDue + graceSeconds * 1000 ? 'stale' : 'good';
    },
  };
}

function readList(
  fetched: { status: number; json: unknown } | undefined,
): { revokedKids: Set<string>; nextUpdate: number } | undefined {
  if (fetched?.status !== 200 || typeof fetched.json !== 'object' || fetched.json === null) return undefined;
  const { revoked_kids: kids, next_update: next } = fetched.json as Record<string, unknown>;
  if (!Array.isArray(kids) || !kids.every((kid) => typeof kid === 'string')) return undefined;
  const nextUpdate = typeof next === 'string' ? Date.parse(next) : Number.NaN;
  return { revokedKids: new Set(kids), nextUpdate: Number.isNaN(nextUpdate) ? Infinity : nextUpdate };
}
