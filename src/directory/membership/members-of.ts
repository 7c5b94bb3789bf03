import type { Store } from '../../platform/store/collection.ts';
import { joinRequests } from '../join-request/join-request.ts';
import type { Organization } from '../organization/organization.ts';
import { users } from '../user/user.ts';
import { membershipId, memberships } from './membership.ts';
import type { MembershipRole } from './membership.ts';

/** Somebody who belongs to an organization. */
export interface Member {
  user_id: string;
  /** The verified one that they came with; null when nobody said. */
  email: string | null;
  role: MembershipRole;
  since: string;
}

/** A page of an organization's members, the oldest membership first; before them an owner who has none, as its first has not. */
export async function membersOf(
  store: Store,
  organization: Organization,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ members: Member[]; cursor?: string }> {
  const { organization_id, owner_id } = organization;
  const rows = store.collection(memberships);
  const page = await rows.find({
    where: { organization_id },
    sort: { field: 'created_at', direction: 'asc' },
    limit,
    ...(after !== undefined && { after }),
  });
  const members = page.rows.map(({ user_id, role, created_at }) => ({
    user_id,
    role: owner_id === user_id ? ('owner' as const) : role,
    since: created_at,
  }));
  const isOwnerElsewhere =
    owner_id === null || after !== undefined || (await rows.get(membershipId(organization_id, owner_id))) !== undefined;
  const all = isOwnerElsewhere ? members : [firstOwner(organization, owner_id), ...members];
  const emails = await emailsOf(
    store,
    organization,
    all.map(({ user_id }) => user_id),
  );
  return {
    members: all.map((member) => ({ ...member, email: emails.get(member.user_id) ?? null })),
    ...(page.cursor !== undefined && { cursor: page.cursor }),
  };
}

function firstOwner({ claimed_at, created_at }: Organization, user_id: string): Omit<Member, 'email'> {
  return { user_id, role: 'owner', since: claimed_at ?? created_at };
}

/** By what they said of themselves when they came: as themselves, or when they asked to join. */
export async function emailsOf(
  store: Store,
  { organization_id }: Pick<Organization, 'organization_id'>,
  userIds: readonly string[],
): Promise<Map<string, string>> {
  const emails = new Map<string, string>();
  for (const { user_id, email } of await store.collection(users).getMany(userIds))
    if (email !== '') emails.set(user_id, email);
  const unknown = userIds.filter((id) => !emails.has(id));
  if (unknown.length === 0) return emails;
  const asked = await store
    .collection(joinRequests)
    .find({ where: { user_id: { in: unknown }, organization_id }, limit: 1000 });
  for (const { user_id, email } of asked.rows) emails.set(user_id, email);
  return emails;
}
