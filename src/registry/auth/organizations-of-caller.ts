import { organizationsOfUser } from '../../directory/membership/organizations-of-user.ts';
import { organizations } from '../../directory/organization/organization.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { RegistryCaller } from './caller.ts';

/** The organizations a caller speaks for: a key's one, a person's all. */
export async function organizationsOfCaller(store: Store, caller: RegistryCaller | undefined): Promise<Organization[]> {
  if (caller === undefined) return [];
  if (caller.kind === 'user') return organizationsOfUser(store, caller.user.user_id);
  const own = await store.collection(organizations).get(caller.key.organization_id);
  return own ? [own] : [];
}
