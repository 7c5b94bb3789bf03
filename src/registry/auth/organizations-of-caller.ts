import { organizationsOfUser } from '../../directory/membership/organizations-of-user.ts';
import { organizations } from '../../directory/organization/organization.ts';
import { isSuspended, suspendedError } from '../../directory/organization/suspension.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { RegistryCaller } from './caller.ts';

/**
 * The organizations a caller speaks for: a key's one, a person's all that are not suspended.
 * @throws {AppError} `FORBIDDEN` for a person whose organizations all are.
 */
export async function organizationsOfCaller(store: Store, caller: RegistryCaller | undefined): Promise<Organization[]> {
  if (caller === undefined) return [];
  if (caller.kind === 'user') {
    const all = await organizationsOfUser(store, caller.user.user_id);
    const active = all.filter((row) => !isSuspended(row));
    if (active.length === 0 && all.length > 0) throw suspendedError();
    return active;
  }
  const own = await store.collection(organizations).get(caller.key.organization_id);
  return own ? [own] : [];
}
