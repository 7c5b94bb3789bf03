import { roleIn } from '../../directory/membership/organizations-of-user.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import type { Store } from '../../platform/store/collection.ts';
import { AppError } from '../../platform/errors.ts';
import type { RegistryCaller } from './caller.ts';
import { organizationsOfCaller } from './organizations-of-caller.ts';

/** The organizations whose entries a caller manages: a key's own, a person's as owner or admin. */
export async function managedOrganizations(store: Store, caller: RegistryCaller | undefined): Promise<Organization[]> {
  const all = await organizationsOfCaller(store, caller);
  if (caller?.kind !== 'user') return all;
  const roles = await Promise.all(all.map((row) => roleIn(store, row, caller.user.user_id)));
  return all.filter((_, i) => roles[i] === 'owner' || roles[i] === 'admin');
}

/**
 * One of them, by its id.
 * @throws {AppError} `FORBIDDEN` for one the caller does not manage, and for one there is not, alike (rule T5).
 */
export async function managedOrganization(
  store: Store,
  caller: RegistryCaller | undefined,
  organizationId: string,
): Promise<Organization> {
  const managed = await managedOrganizations(store, caller);
  const organization = managed.find((row) => row.organization_id === organizationId);
  if (organization === undefined) throw new AppError('FORBIDDEN', 'only who manages the organization may do this');
  return organization;
}
