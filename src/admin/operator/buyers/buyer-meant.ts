import { organizations } from '../../../directory/organization/organization.ts';
import { organizationsNamed, spellingsOf } from '../../../directory/organization/organizations-named.ts';
import { AppError } from '../../../platform/errors.ts';
import { isObject } from '../../../platform/json-object.ts';
import { OrganizationId } from '../../../platform/organization-id.ts';
import type { Store } from '../../../platform/store/collection.ts';

/** Of several that are meant, so many are named. */
const MOST_NAMED = 5;
/** Of a name, what tells it from another. */
const MOST_OF_NAME = 60;

/**
 * A query as it is meant: where its `organization_id` is no id, the one organization that is called so, or else whose name begins so.
 * @throws {AppError} `VALIDATION_ERROR` where several are meant, or none.
 */
export async function withBuyerMeant<Q>(store: Store, query: Q): Promise<Q> {
  if (!isObject(query) || typeof query['organization_id'] !== 'string') return query;
  return { ...query, organization_id: await buyerMeant(store, query['organization_id'].trim()) };
}

async function buyerMeant(store: Store, given: string): Promise<OrganizationId> {
  const asId = OrganizationId.parse(given);
  if ((await store.collection(organizations).get(given)) !== undefined) return asId;
  const beginSo = await organizationsNamed(store, given, MOST_NAMED + 1);
  // Those that are called just so come first, in the order of names.
  const called = spellingsOf(given)
    .map((name) => beginSo.filter((one) => one.name === name))
    .find((some) => some.length > 0);
  const [first, ...others] = called ?? beginSo;
  if (first === undefined && given.startsWith('org_')) return asId;
  if (first !== undefined && others.length === 0) return first.organization_id;
  throw new AppError('VALIDATION_ERROR', `organization_id: ${whyNotOne(called ?? beginSo)}`, {
    field: 'organization_id',
  });
}

function whyNotOne(some: readonly { organization_id: string; name: string }[]): string {
  if (some.length === 0) return 'no buyer is called so, and none’s name begins so; send its id, org_…, or its name';
  const named = some
    .slice(0, MOST_NAMED)
    .map(({ organization_id, name }) => `${organization_id} (${JSON.stringify(name.slice(0, MOST_OF_NAME))})`);
  const all = `${named.join(', ')}${some.length > MOST_NAMED ? ' and others' : ''}`;
  return `several buyers are meant: ${all}; send the id of one, or more of its name`;
}
