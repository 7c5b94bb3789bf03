import type { Store } from '../../platform/store/collection.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { organizations } from '../organization/organization.ts';
import type { Organization } from '../organization/organization.ts';
import { memberships } from './membership.ts';
import type { Membership } from './membership.ts';

/**
 * An organization's row names one owner; others are memberships of that role. The name is never taken away, only passed on, by
 * one compare-and-swap: so there is an owner at every instant, whatever happens at once (decision 0059). Whoever looks for somebody
 * to pass it to reads the row first, and whoever ends or lowers a membership writes the row afterwards
 * ({@link settleAfter}): a look that is out of date loses the swap.
 */
export async function passOwnership(
  store: Store,
  organization_id: OrganizationId,
  from: string,
  findHeir: () => Promise<string | undefined>,
): Promise<'passed' | 'no_heir' | 'not_theirs'> {
  const rows = store.collection(organizations);
  for (;;) {
    const row = await rows.get(organization_id);
    if (row?.owner_id !== from) return 'not_theirs';
    const heir = await findHeir();
    if (heir === undefined) return 'no_heir';
    if ((await rows.replace({ ...row, owner_id: heir })) !== undefined) return 'passed';
  }
}

/** Passes it to whoever has been an owner longest. @throws {AppError} `CONFLICT` when nobody else is one. */
export async function passToAnotherOwner(
  store: Store,
  organization_id: OrganizationId,
  from: string,
): Promise<'passed' | 'not_theirs'> {
  const heir = async () => (await otherOwner(store, organization_id, from))?.user_id;
  const outcome = await passOwnership(store, organization_id, from, heir);
  if (outcome === 'no_heir') throw lastOwner(organization_id);
  return outcome;
}

/**
 * To be called when a membership has ended or was lowered. Where the organization's row names that person, be it since ever or since
 * this instant, the ownership goes on to another owner. @throws {AppError} `CONFLICT` when there is none: they are the owner.
 */
export async function settleAfter(store: Store, organization_id: OrganizationId, user_id: string): Promise<void> {
  const rows = store.collection(organizations);
  // Nothing changes but the revision, so that whoever looked before this loses the swap.
  const written = await rows.update(organization_id, (row) => (row.owner_id === user_id ? undefined : { ...row }));
  if (written?.row.owner_id === user_id) await passToAnotherOwner(store, organization_id, user_id);
}

/**
 * The organization, with an owner on its row if anybody has that role: those that a setting or an operator made have
 * owners by membership alone.
 */
export async function withOwnerNamed(store: Store, organization_id: OrganizationId): Promise<Organization> {
  const rows = store.collection(organizations);
  for (;;) {
    const row = await rows.get(organization_id);
    if (row === undefined) throw new AppError('NOT_FOUND', 'no such organization');
    if (row.owner_id !== null) return row;
    const owner = await otherOwner(store, organization_id, undefined);
    if (owner === undefined) return row;
    const named = await rows.replace({ ...row, owner_id: owner.user_id });
    if (named !== undefined) return named;
  }
}

/** @throws {AppError} `CONFLICT` for the owner whom nobody could follow: so that nothing is written for what will be refused. */
export async function assertNotLastOwner(store: Store, organization: Organization, user_id: string): Promise<void> {
  const { organization_id, owner_id } = organization;
  if (owner_id === user_id && (await otherOwner(store, organization_id, user_id)) === undefined)
    throw lastOwner(organization_id);
}

/** Who has been an owner by membership longest, besides one person. */
async function otherOwner(
  store: Store,
  organization_id: OrganizationId,
  besides: string | undefined,
): Promise<Membership | undefined> {
  const { rows } = await store
    .collection(memberships)
    .find({ where: { organization_id, role: 'owner' }, sort: { field: 'created_at', direction: 'asc' }, limit: 2 });
  return rows.find((row) => row.user_id !== besides);
}

function lastOwner(organization_id: OrganizationId): AppError {
  return new AppError(
    'CONFLICT',
    'this is the only owner; make somebody else the owner first: POST /api/organizations/' +
      `${organization_id}/transfer, or give another member the role owner`,
  );
}
