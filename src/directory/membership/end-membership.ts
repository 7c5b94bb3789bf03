import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { EndGrants } from '../oauth/grant-facts.ts';
import { closeApprovals } from '../join-request/join-request.ts';
import { noMember } from './change-role.ts';
import type { MembershipChange, MembershipDeps } from './change-role.ts';
import { membershipId, memberships } from './membership.ts';
import { assertNotLastOwner, passToAnotherOwner, settleAfter, withOwnerNamed } from './owners.ts';

export interface EndMembershipDeps extends MembershipDeps {
  endGrants: EndGrants;
}

/**
 * Ends somebody's membership: from then on nothing of the organization opens to them, in any process, since every call looks
 * for the membership. What they had allowed applications for it ends, and no approval of old lets them in again. Answers how many
 * grants ended.
 * @throws {AppError} `NOT_FOUND` for who is no member, `CONFLICT` for the only owner.
 */
export async function endMembership(
  deps: EndMembershipDeps,
  { organization_id, user_id, by }: MembershipChange,
): Promise<number> {
  const { store, clock, security, endGrants } = deps;
  const rows = store.collection(memberships);
  const membership_id = membershipId(organization_id, user_id);
  const organization = await withOwnerNamed(store, organization_id);
  const isNamed = organization.owner_id === user_id;
  if (!isNamed && (await rows.get(membership_id)) === undefined) throw noMember();
  await assertNotLastOwner(store, organization, user_id);

  // Before the membership ends, so that a process that dies in between leaves no door open behind it.
  await closeApprovals(store, { organization_id, user_id }, toTimestamp(clock.now()));
  const ended = await endGrants({ organization_id, user_id });
  const hasPassed = isNamed && (await passToAnotherOwner(store, organization_id, user_id)) === 'passed';
  const isGone = await rows.delete(membership_id);
  await settleAfter(store, organization_id, user_id);
  // Who ended nothing must not say so: somebody else is making them something else at this instant.
  if (!hasPassed && !isGone)
    throw new AppError('CONFLICT', 'their role was changed at the same time; read the members, and try again');
  // Once more: one may have been given meanwhile.
  const endedLate = await endGrants({ organization_id, user_id });
  security.record('member.left', {
    ...{ subject: by, organization_id, target: user_id },
    reason: by === user_id ? 'left' : 'removed',
  });
  return ended + endedLate;
}

/** Takes back a membership that an approval of old has made for somebody who had been removed meanwhile. */
export async function undoLateAdmission(
  store: Store,
  { organization_id, user_id }: Pick<MembershipChange, 'organization_id' | 'user_id'>,
): Promise<void> {
  await store.collection(memberships).delete(membershipId(organization_id, user_id));
  await settleAfter(store, organization_id, user_id);
}
