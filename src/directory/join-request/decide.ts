import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Store } from '../../platform/store/collection.ts';
import { undoLateAdmission } from '../membership/end-membership.ts';
import { membershipId, memberships } from '../membership/membership.ts';
import type { MembershipRole } from '../membership/membership.ts';
import { recordUser } from '../user/user.ts';
import { joinRequests } from './join-request.ts';
import type { JoinRequest } from './join-request.ts';

interface Deps {
  store: Store;
  clock: Clock;
}

/** Which request, and who decides it. */
export interface Deciding {
  join_request_id: string;
  /** Where only those of one organization may be decided. */
  organization_id?: string;
  /** An owner's user id; of the seller's person, `operator:` and their name. */
  decided_by: string;
}

/**
 * Lets somebody join. Approving again, after a crash in between perhaps, ends in the same membership (rule R8).
 * @throws {AppError} `NOT_FOUND`; `CONFLICT` for another decision than the one that stands, and for who has left since.
 */
export async function approveJoining(deps: Deps, deciding: Deciding, role: MembershipRole): Promise<JoinRequest> {
  const { store, clock } = deps;
  const row = await decide(deps, deciding, { status: 'approved', role });
  const { organization_id, user_id, email } = row;
  if (row.membership_ended_at !== undefined) throw leftSince();
  const { inserted } = await store.collection(memberships).insert({
    membership_id: membershipId(organization_id, user_id),
    organization_id,
    user_id,
    role: row.role ?? role,
    created_at: toTimestamp(clock.now()),
    revision: 1,
  });
  if (inserted) await refuseIfLeft(store, row);
  await recordUser(deps, { user_id, email }, undefined);
  return row;
}

/** Turns somebody away. Again answers the same (rule R8). @throws {AppError} like {@link approveJoining}. */
export function rejectJoining(deps: Deps, deciding: Deciding): Promise<JoinRequest> {
  return decide(deps, deciding, { status: 'rejected', role: null });
}

/** Decides once: the first decision stands, and the same one again answers it. */
async function decide(
  { store, clock }: Deps,
  { join_request_id, organization_id, decided_by }: Deciding,
  decision: Pick<JoinRequest, 'status' | 'role'>,
): Promise<JoinRequest> {
  const rows = store.collection(joinRequests);
  const asked = await rows.get(join_request_id);
  if (asked === undefined || (organization_id !== undefined && asked.organization_id !== organization_id))
    throw unknown();
  const decided_at = toTimestamp(clock.now());
  const result = await rows.update(join_request_id, (row) =>
    row.status === 'pending' ? { ...row, ...decision, pending_for: null, decided_at, decided_by } : undefined,
  );
  if (!result) throw unknown();
  if (result.row.status !== decision.status || result.row.role !== decision.role)
    throw new AppError('CONFLICT', decidedAlready(result.row));
  return result.row;
}

/** An approval that is sent twice may come after the end of the membership that the first one began. */
async function refuseIfLeft(store: Store, { join_request_id, ...member }: JoinRequest): Promise<void> {
  const now = await store.collection(joinRequests).get(join_request_id);
  if (now?.membership_ended_at === undefined) return;
  await undoLateAdmission(store, member);
  throw leftSince();
}

function leftSince(): AppError {
  return new AppError('CONFLICT', 'they have left the organization since; they may ask again');
}

function unknown(): AppError {
  return new AppError('NOT_FOUND', 'no such join request');
}

function decidedAlready({ status, organization_id, user_id }: JoinRequest): string {
  const member = `/api/organizations/${organization_id}/members/${user_id}`;
  const hint =
    status === 'approved' ? `; to give them another role, PATCH ${member}, and to remove them, DELETE it` : '';
  return `this request is ${status} already${hint}`;
}
