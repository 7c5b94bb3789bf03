import { timingSafeEqual } from 'node:crypto';
import { fromTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { Caller } from '../caller.ts';
import { API_KEY_LENGTH, hashApiKey } from './api-key.ts';
import type { ApiKey } from './api-key.ts';

export interface GoodKeyDeps {
  keys: Collection<ApiKey>;
  clock: Clock;
}

/** The key as it is stored now; undefined for one that is unknown, over or revoked. Compared by hashes, so timing says nothing. */
export async function goodKey({ keys, clock }: GoodKeyDeps, rawKey: string): Promise<ApiKey | undefined> {
  if (rawKey.length < API_KEY_LENGTH.min || rawKey.length > API_KEY_LENGTH.max) return undefined;
  const hash = hashApiKey(rawKey);
  const key = (await keys.find({ where: { key_hash: hash }, limit: 1 })).rows[0];
  if (key?.revoked_at !== null) return undefined;
  if (clock.now() >= endOf(key)) return undefined;
  return timingSafeEqual(Buffer.from(key.key_hash), Buffer.from(hash)) ? key : undefined;
}

/** When a key ends by itself, in milliseconds; `Infinity` for one that does not. */
export function endOf({ expires_at }: Pick<ApiKey, 'expires_at'>): number {
  return expires_at === null ? Infinity : fromTimestamp(expires_at);
}

/** Whom a good key stands for. */
export function callerOfKey({ organization_id, api_key_id, client_id, scopes }: ApiKey): Caller {
  return { organization_id, principal_id: api_key_id, ...(client_id !== undefined && { client_id }), scopes };
}
