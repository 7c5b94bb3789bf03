import type { EndGrants } from '../../directory/oauth/grant-facts.ts';
import { userIdOf } from '../../directory/oauth/access-token.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { grants } from './grant.ts';
import { revoke } from './use-grant.ts';

interface EndGrantsDeps {
  store: Store;
  clock: Clock;
  security: SecurityLog;
  /** This server's name: with a grant's subject it makes the user's id. */
  issuer: string;
}

/** Ends a former member's grants for an organization: refresh tokens at once, access tokens within seconds in every process. */
export function grantEnder({ store, clock, security, issuer }: EndGrantsDeps): EndGrants {
  const rows = store.collection(grants);
  return async ({ organization_id, user_id }) => {
    let ended = 0;
    const all = allRows(rows, { where: { organization_id }, sort: { field: 'created_at', direction: 'desc' } });
    for await (const { grant_id, subject, revoked_at } of all) {
      if (revoked_at !== null || userIdOf(issuer, subject) !== user_id) continue;
      await revoke({ grants: rows, clock, security }, grant_id, 'membership_ended');
      ended++;
    }
    return ended;
  };
}
