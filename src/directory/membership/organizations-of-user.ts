import type { Store } from '../../platform/store/collection.ts';
import { organizations } from '../organization/organization.ts';
import type { Organization } from '../organization/organization.ts';
import { membershipId, memberships } from './membership.ts';
import type { MembershipRole } from './membership.ts';

/** The organizations a user belongs to, owned ones first. */
export async function organizationsOfUser(store: Store, userId: string): Promise<Organization[]> {
  const rows = store.collection(organizations);
  const [owned, joined] = await Promise.all([
    rows.find({ where: { owner_id: userId }, limit: 1000 }),
    store.collection(memberships).find({ where: { user_id: userId }, limit: 1000 }),
  ]);
  const others = await rows.getMany(joined.rows.map((membership) => membership.organization_id));
  const ownedIds = new Set(owned.rows.map((row) => row.organization_id));
  return [...owned.rows, ...others.filter((row) => !ownedIds.has(row.organization_id))];
}

/** A user's role in an organization; undefined for who does not belong to it. */
export async function roleIn(
  store: Store,
  organization: Organization,
  userId: string,
): Promise<MembershipRole | undefined> {
  if (organization.owner_id === userId) return 'owner';
  return (await store.collection(memberships).get(membershipId(organization.organization_id, userId)))?.role;
}
