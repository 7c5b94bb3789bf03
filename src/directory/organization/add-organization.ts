import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { Store } from '../../platform/store/collection.ts';
import { newOrganization, organizations } from './organization.ts';
import type { Organization } from './organization.ts';

/**
 * Makes an active organization that nobody owns, for a buyer whom an operator lets in.
 * @param click of letters, digits and `-`: a repeat answers what was made before.
 */
export async function addOrganization(
  { store, clock }: { store: Store; clock: Clock },
  click: string,
  name: string,
): Promise<Organization> {
  const collection = store.collection(organizations);
  const organization_id = OrganizationId.parse(`org_${click}`);
  const row = newOrganization({ organization_id, name, state: 'active', created_at: toTimestamp(clock.now()) });
  const { inserted } = await collection.insert(row);
  return inserted ? row : ((await collection.get(organization_id)) ?? row);
}
