import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { Caller } from '../caller.ts';
import { organizations } from '../organization/organization.ts';
import { isSuspended, suspendedError } from '../organization/suspension.ts';
import { apiKeys } from './api-key.ts';
import { callerOfKey, goodKey } from './good-key.ts';

/**
 * API keys as the store has them now, with nothing remembered and no use noted: for what a key has opened and is still open.
 */
export function keysNow({ store, clock }: { store: Store; clock: Clock }) {
  const keys = store.collection(apiKeys);
  return {
    /** Undefined when it is unknown, over or revoked. @throws {AppError} `FORBIDDEN` while its organization is suspended. */
    async authenticate(rawKey: string): Promise<Caller | undefined> {
      const key = await goodKey({ keys, clock }, rawKey);
      if (key === undefined) return undefined;
      const organization = await store.collection(organizations).get(key.organization_id);
      if (organization !== undefined && isSuspended(organization)) throw suspendedError();
      return callerOfKey(key);
    },
  };
}
