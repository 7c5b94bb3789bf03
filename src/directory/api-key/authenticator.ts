import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { Logger } from '../../platform/log.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import type { Caller } from '../caller.ts';
import { suspendedError } from '../organization/suspension.ts';
import type { Suspensions } from '../organization/suspension.ts';
import { API_KEY_LENGTH, hashApiKey } from './api-key.ts';
import type { ApiKey } from './api-key.ts';
import { callerOfKey, endOf, goodKey } from './good-key.ts';

export interface Authenticator {
  /**
   * The caller of a raw API key; undefined when it is unknown, expired or revoked.
   * @throws {AppError} `FORBIDDEN` while its organization is suspended. @throws when the store does not answer.
   */
  authenticate(rawKey: string): Promise<Caller | undefined>;
  /** Resolves when the last-use notes under way are written. Call before closing the store. */
  idle(): Promise<void>;
}

export interface AuthenticatorDeps {
  keys: Collection<ApiKey>;
  clock: Clock;
  log: Logger;
  /** Whose keys open nothing for now; absent: nobody's. */
  suspensions?: Pick<Suspensions, 'isSuspended'>;
  security: SecurityLog;
  /** How long a good key is believed without asking the store, and so how late a revocation may be noticed. Default 3000. */
  cacheMs?: number;
  /** Good keys remembered at once. Default 10,000. */
  cacheSize?: number;
}

const LAST_USE_GRAIN_MS = 60_000;

/**
 * Checks API keys (rule R13). Keys are compared by their hashes, so timing says nothing of a stored key. Unknown keys
 * are not remembered: a flood of them cannot push good ones out.
 */
export function authenticator({
  keys,
  clock,
  log,
  suspensions,
  security,
  cacheMs = 3000,
  cacheSize = 10_000,
}: AuthenticatorDeps): Authenticator {
  const known = new Map<string, { caller: Caller; until: number }>();
  const notes = new Set<Promise<void>>();

  function remember(hash: string, caller: Caller, until: number): void {
    known.delete(hash);
    const oldest = known.size >= cacheSize ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    known.set(hash, { caller, until });
  }

  function noteUse(key: ApiKey): void {
    const now = clock.now();
    const isStale = (row: ApiKey) =>
      row.last_used_at === null || now - fromTimestamp(row.last_used_at) >= LAST_USE_GRAIN_MS;
    if (!isStale(key)) return;
    let isFirst = false;
    const note = keys
      .update(key.api_key_id, (row) => {
        isFirst = row.last_used_at === null;
        return isStale(row) ? { ...row, last_used_at: toTimestamp(now) } : undefined;
      })
      .then(
        (noted) => {
          if (noted?.changed === true && isFirst)
            security.record('api_key.first_used', { subject: key.api_key_id, organization_id: key.organization_id });
        },
        (error: unknown) => {
          log.warn({ err: error, api_key_id: key.api_key_id }, 'last use of an API key not recorded');
        },
      )
      .finally(() => notes.delete(note));
    notes.add(note);
  }

  async function callerOf(rawKey: string): Promise<Caller | undefined> {
    if (rawKey.length < API_KEY_LENGTH.min || rawKey.length > API_KEY_LENGTH.max) return undefined;
    const hash = hashApiKey(rawKey);
    const hit = known.get(hash);
    if (hit && clock.now() < hit.until) return hit.caller;
    known.delete(hash);
    const key = await goodKey({ keys, clock }, rawKey);
    if (key === undefined) return undefined;
    const caller = callerOfKey(key);
    remember(hash, caller, Math.min(clock.now() + cacheMs, endOf(key)));
    noteUse(key);
    return caller;
  }

  return {
    async authenticate(rawKey) {
      const caller = await callerOf(rawKey);
      if (caller !== undefined && (await suspensions?.isSuspended(caller.organization_id)) === true)
        throw suspendedError();
      return caller;
    },
    async idle() {
      await Promise.all(notes);
    },
  };
}
