import { createHash } from 'node:crypto';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Identity } from '../oauth/id-token.ts';
import type { OperatorRole } from './operator.ts';
import { personOfIdentity } from './person-of-identity.ts';
import type { RefusedIdentity } from './person-of-identity.ts';
import { addPerson, changeRoleByClaim, OperatorPeople } from './person.ts';
import type { OperatorPerson, PeopleDeps } from './person.ts';
import { roleByClaim } from './role-by-claim.ts';
import type { RolesByClaim } from './role-by-claim.ts';

/** Whom an identity stands for here, with the role that they have from now on, or why nobody. */
export type SignedInPerson =
  | { person: OperatorPerson; isFirst: boolean; change?: ClaimedChange }
  | { refused: RefusedIdentity | 'unclaimed' | 'removed' };

/** `kept`: a claim would have taken the last admin's role, which they keep. */
export type ClaimedChange = 'made' | 'changed' | 'kept';

/**
 * The person whose account this is, with the role of their claim where roles come from one: who was not invited is let in by it, once it
 * has gone they have the role that they were invited with, and who was never invited is refused. A person who was removed here stays so.
 */
export async function personByClaim(
  deps: PeopleDeps,
  identity: Identity,
  mapping: RolesByClaim | undefined,
): Promise<SignedInPerson> {
  const found = await personOfIdentity(deps, identity);
  const role = mapping && roleByClaim(mapping, identity.claims);
  if ('person' in found) return withRole(deps, found, role);
  if (role === undefined || found.refused !== 'nobody' || identity.email === null) return found;
  return (await wasRemoved(deps, identity)) ? { refused: 'removed' } : made(deps, identity, identity.email, role);
}

async function withRole(
  deps: PeopleDeps,
  found: { person: OperatorPerson; isFirst: boolean },
  claimed: OperatorRole | undefined,
): Promise<SignedInPerson> {
  const { person_id, role: present, invited_role } = found.person;
  if (claimed === undefined && invited_role === undefined) return found;
  if (claimed === undefined && invited_role === null) return { refused: 'unclaimed' };
  const role = claimed ?? invited_role ?? present;
  const noted = claimed === undefined ? undefined : invited_role === undefined ? present : invited_role;
  if (role === present && noted === invited_role) return found;
  try {
    const person = await changeRoleByClaim(deps, person_id, { role, invited_role: noted });
    return { ...found, person, ...(role !== present && { change: 'changed' }) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'NOT_FOUND') return { refused: 'removed' };
    // Or else nobody could hand out access any more.
    return { ...found, change: 'kept' };
  }
}

async function wasRemoved({ store }: PeopleDeps, { issuer, subject }: Identity): Promise<boolean> {
  for await (const { oidc } of allRows(store.collection(OperatorPeople), { where: { state: 'removed' } }))
    if (oidc?.issuer === issuer && oidc.subject === subject) return true;
  return false;
}

async function made(
  deps: PeopleDeps,
  { issuer, subject }: Identity,
  email: string,
  role: OperatorRole,
): Promise<SignedInPerson> {
  const oidc = { issuer, subject, bound_at: toTimestamp(deps.clock.now()) };
  // The same however many sign-ins there are at once.
  const click = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 32);
  try {
    const account = { oidc, invited_role: null };
    const person = await addPerson(deps, { name: email, email, role, by: issuer, click, account });
    return person.state === 'active' ? { person, isFirst: true, change: 'made' } : { refused: 'removed' };
  } catch (error) {
    if (error instanceof AppError) return { refused: 'another' };
    throw error;
  }
}
