import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { Organization } from './organization.ts';

/** What a seller sets for one buyer alone, by currency in minor units of it; empty: nothing. */
export type Limits = NonNullable<Organization['limits']>;

const NO_LIMITS: Limits = { approval_over: {}, credit: {} };

/** Of a row as it was just read. Pure. */
export function limitsIn({ limits = NO_LIMITS }: Pick<Organization, 'limits'>): Limits {
  return limits;
}

/** As they stand in the store, so that what was just set holds for whatever is asked for next, by any process. */
export async function readLimits(rows: Collection<Organization>, organization_id: OrganizationId): Promise<Limits> {
  const row = await rows.get(organization_id);
  return row === undefined ? NO_LIMITS : limitsIn(row);
}

/**
 * Sets what is given of a buyer's limits, each whole; what is not given stays. Answers the organization, and what its limits were before.
 * @throws {AppError} `NOT_FOUND`.
 */
export async function setLimits(
  rows: Collection<Organization>,
  organization_id: OrganizationId,
  given: Partial<Limits>,
): Promise<{ row: Organization; former: Limits }> {
  let former = NO_LIMITS;
  const result = await rows.update(organization_id, (row) => {
    former = limitsIn(row);
    return { ...row, limits: { ...former, ...given } };
  });
  if (result === undefined)
    throw new AppError('NOT_FOUND', 'no organization has this id', { field: 'organization_id' });
  return { row: result.row, former };
}
