import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../platform/store/collection.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import { membershipId, memberships } from './membership.ts';
import type { MembershipRole } from './membership.ts';
import { assertNotLastOwner, passOwnership, passToAnotherOwner, settleAfter, withOwnerNamed } from './owners.ts';

export interface MembershipDeps {
  store: Store;
  clock: Clock;
  security: SecurityLog;
}

/** Whose membership of what is changed, and by whom. */
export interface MembershipChange {
  organization_id: OrganizationId;
  user_id: string;
  by: string;
}

/**
 * Gives a member another role; the same again changes nothing.
 * @throws {AppError} `NOT_FOUND` for who is no member, `CONFLICT` when the only owner would be lowered.
 */
export async function changeMemberRole(
  deps: MembershipDeps,
  { organization_id, user_id, by }: MembershipChange,
  role: MembershipRole,
): Promise<void> {
  const { store, security } = deps;
  const organization = await withOwnerNamed(store, organization_id);
  if (organization.owner_id === user_id) {
    if (role === 'owner') return;
    await assertNotLastOwner(store, organization, user_id);
    await stepDown(deps, { organization_id, user_id }, role, () => passToAnotherOwner(store, organization_id, user_id));
    await settleAfter(store, organization_id, user_id);
  } else {
    let before: MembershipRole | undefined;
    const result = await store.collection(memberships).update(membershipId(organization_id, user_id), (row) => {
      before = row.role;
      return row.role === role ? undefined : { ...row, role };
    });
    if (result === undefined) throw noMember();
    if (!result.changed) return;
    if (before === 'owner') await settleAfter(store, organization_id, user_id);
  }
  security.record('member.role_changed', { subject: by, organization_id, target: user_id, reason: role });
}

/**
 * Makes a member the owner in the place of another, who stays as an admin: one write decides, so that of any number at
 * once one happens. (An owner by membership alone, beside the one whom the organization's row names, gives the role on in two
 * writes, with both as owners in between.)
 * @throws {AppError} `NOT_FOUND` for who is no member, `FORBIDDEN` for who owns nothing to give.
 */
export async function transferOwnership(
  deps: MembershipDeps,
  { organization_id, user_id: to, by: from }: MembershipChange,
): Promise<void> {
  const { store, security } = deps;
  const isMember = async () =>
    (await store.collection(memberships).get(membershipId(organization_id, to))) === undefined ? undefined : to;
  const organization = await withOwnerNamed(store, organization_id);
  if (from === to) return;
  if (organization.owner_id === from) {
    if ((await isMember()) === undefined) throw noMember();
    const pass = () => passOwnership(store, organization_id, from, isMember);
    const outcome = await stepDown(deps, { organization_id, user_id: from }, 'admin', pass);
    if (outcome === 'no_heir') throw noMember();
    if (outcome === 'not_theirs') throw notTheirs();
  } else {
    if ((await store.collection(memberships).get(membershipId(organization_id, from)))?.role !== 'owner')
      throw notTheirs();
    if (organization.owner_id !== to) await changeMemberRole(deps, { organization_id, user_id: to, by: from }, 'owner');
    await changeMemberRole(deps, { organization_id, user_id: from, by: from }, 'admin');
  }
  security.record('organization.transferred', { subject: from, organization_id, target: to });
}

/**
 * Passes the ownership on and leaves another role. A membership that there is gets it first: while they own the organization it says
 * nothing. Where there is none, as of a founder, it is made last, and only by who passed the ownership on: made any earlier it
 * could let somebody in again who is being removed. (A process that dies in between leaves them out, to be let in again.)
 */
async function stepDown<O extends string>(
  { store, clock }: MembershipDeps,
  { organization_id, user_id }: Pick<MembershipChange, 'organization_id' | 'user_id'>,
  role: MembershipRole,
  pass: () => Promise<O>,
): Promise<O> {
  const rows = store.collection(memberships);
  const membership_id = membershipId(organization_id, user_id);
  const known = await rows.update(membership_id, (row) => (row.role === role ? undefined : { ...row, role }));
  const outcome = await pass();
  if (outcome === 'passed' && known === undefined) {
    const created_at = toTimestamp(clock.now());
    await rows.insert({ membership_id, organization_id, user_id, role, created_at, revision: 1 });
  }
  return outcome;
}

export function noMember(): AppError {
  return new AppError('NOT_FOUND', 'nobody with this id belongs to the organization; GET its members for their ids', {
    field: 'userId',
  });
}

function notTheirs(): AppError {
  return new AppError('FORBIDDEN', 'only an owner of the organization may do this');
}
