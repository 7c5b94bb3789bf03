import { organizationsOfUser } from '../../directory/membership/organizations-of-user.ts';
import { isSuspended, suspendedError } from '../../directory/organization/suspension.ts';
import type { Store } from '../../platform/store/collection.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { RegistryCaller } from './caller.ts';

/**
 * The organization that acts: a key's own; of a person's, the one that the token and `asked` name, or else their only one, by
 * membership at this moment.
 * @param asked the query's `organization_id`, as it came.
 * @throws {AppError} `NOT_FOUND` for one that is not theirs, as for one that is not there (rule T5); `FORBIDDEN` for a person
 * who belongs to none that may be meant, and for one that is suspended; `INVALID_REQUEST` for one who belongs to several and names none.
 */
export async function actingOrganization(
  store: Store,
  caller: RegistryCaller,
  asked: unknown,
): Promise<OrganizationId> {
  const isMeant = (organization_id: string) => asked === undefined || asked === organization_id;
  if (caller.kind === 'organization') {
    if (isMeant(caller.key.organization_id)) return caller.key.organization_id;
    throw notFound();
  }
  const { user_id, organization_id: claimed } = caller.user;
  const own = await organizationsOfUser(store, user_id);
  const allowed = own.filter((row) => claimed === undefined || claimed === row.organization_id);
  if (allowed.length === 0)
    throw new AppError('FORBIDDEN', 'you belong to no organization that this token may act for; join or create one');
  const [first, second] = allowed.filter((row) => isMeant(row.organization_id));
  if (first === undefined) throw notFound();
  if (second === undefined) {
    if (isSuspended(first)) throw suspendedError();
    return first.organization_id;
  }
  throw new AppError('INVALID_REQUEST', 'you belong to several organizations: name one by organization_id', {
    field: 'organization_id',
  });
}

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'no such organization', { field: 'organization_id' });
}
