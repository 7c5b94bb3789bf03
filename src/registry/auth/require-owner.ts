import type { MembershipRole } from '../../directory/membership/membership.ts';
import { roleIn } from '../../directory/membership/organizations-of-user.ts';
import { organizations } from '../../directory/organization/organization.ts';
import { isSuspended, suspendedError } from '../../directory/organization/suspension.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import type { Store } from '../../platform/store/collection.ts';
import { AppError } from '../../platform/errors.ts';
import { requireUser } from './caller.ts';
import type { RegistryCaller, UserIdentity } from './caller.ts';

/**
 * The organization and the caller who owns it.
 * @throws {AppError} `FORBIDDEN` for a caller who is no owner of it, for an organization there is not, alike (rule T5), and while
 * it is suspended.
 */
export async function requireOwner(
  store: Store,
  caller: RegistryCaller | undefined,
  organizationId: string,
): Promise<{ organization: Organization; user: UserIdentity }> {
  const user = requireUser(caller);
  const organization = await store.collection(organizations).get(organizationId);
  if (organization === undefined || (await roleIn(store, organization, user.user_id)) !== 'owner')
    throw new AppError('FORBIDDEN', 'only an owner of the organization may do this');
  if (isSuspended(organization)) throw suspendedError();
  return { organization, user };
}

/** The organization and the caller who belongs to it, in whatever role. @throws {AppError} as {@link requireOwner}. */
export async function requireMember(
  store: Store,
  caller: RegistryCaller | undefined,
  organizationId: string,
): Promise<{ organization: Organization; user: UserIdentity; role: MembershipRole }> {
  const user = requireUser(caller);
  const organization = await store.collection(organizations).get(organizationId);
  const role = organization && (await roleIn(store, organization, user.user_id));
  if (organization === undefined || role === undefined)
    throw new AppError('FORBIDDEN', 'only who belongs to the organization may do this');
  if (isSuspended(organization)) throw suspendedError();
  return { organization, user, role };
}

/**
 * An organization that a stranger may ask to join or claim a domain for: a personal workspace is nobody's but its owner's to know of.
 * @throws {AppError} `NOT_FOUND`.
 */
export async function knownOrganization(
  store: Store,
  organizationId: string,
  { user_id }: Pick<UserIdentity, 'user_id'>,
): Promise<Organization> {
  const organization = await store.collection(organizations).get(organizationId);
  const isShown =
    organization !== undefined &&
    (!organization.is_personal || (await roleIn(store, organization, user_id)) !== undefined);
  if (!isShown) throw new AppError('NOT_FOUND', 'no such organization');
  return organization;
}
