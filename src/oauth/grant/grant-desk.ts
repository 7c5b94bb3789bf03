import type { GrantDesk } from '../../directory/oauth/grant-facts.ts';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import type { Store } from '../../platform/store/collection.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import { endBrowserSessions } from '../authorize/browser-session.ts';
import { grants } from './grant.ts';
import { revoke } from './use-grant.ts';

interface GrantDeskDeps {
  store: Store;
  clock: Clock;
  security: SecurityLog;
}

export function createGrantDesk({ store, clock, security }: GrantDeskDeps): GrantDesk {
  const rows = store.collection(grants);
  const end = (grant_id: string) => revoke({ grants: rows, clock, security }, grant_id, 'revoked_by_operator');

  return {
    async list({ organization_id, subject }, { limit, after }) {
      const page = await rows.find({
        where: {
          created_at: { gte: '0' },
          ...(organization_id !== undefined && { organization_id }),
          ...(subject !== undefined && { subject }),
        },
        sort: { field: 'created_at', direction: 'desc' },
        limit,
        ...(after !== undefined && { after }),
      });
      return { rows: page.rows, ...(page.cursor !== undefined && { cursor: page.cursor }) };
    },
    async end(grant_id) {
      await end(grant_id);
      const row = await rows.get(grant_id);
      if (row === undefined) throw new AppError('NOT_FOUND', 'no grant has this id', { field: 'grant_id' });
      return row;
    },
    async endAll(subject) {
      // First the browsers, so that nothing is granted behind what has been ended.
      const sessions_ended = await endBrowserSessions({ store }, subject);
      let grants_ended = 0;
      for await (const row of allRows(rows, { where: { subject } })) {
        if (row.revoked_at !== null) continue;
        await end(row.grant_id);
        grants_ended++;
      }
      return { grants_ended, sessions_ended };
    },
  };
}

/** How long a process may not know that a grant has ended, in milliseconds. */
const GRANT_KNOWN_WITHIN_MS = 3_000;
const MAX_KNOWN = 10_000;

/** Whether the grant that an access token names has ended, as this process knows it: at most so long behind the store. */
export function endedGrants(
  { store, clock }: Pick<GrantDeskDeps, 'store' | 'clock'>,
  knownMs: number = GRANT_KNOWN_WITHIN_MS,
) {
  const rows = store.collection(grants);
  const goingOn = new Map<string, number>();
  return async (grant_id: string): Promise<boolean> => {
    if (clock.now() < (goingOn.get(grant_id) ?? -Infinity)) return false;
    goingOn.delete(grant_id);
    const askedAt = clock.now();
    const row = await rows.get(grant_id);
    // One that is no more ended with its last refresh token.
    if (row?.revoked_at !== null) return true;
    const oldest = goingOn.size >= MAX_KNOWN ? goingOn.keys().next().value : undefined;
    if (oldest !== undefined) goingOn.delete(oldest);
    goingOn.set(grant_id, askedAt + knownMs);
    return false;
  };
}
