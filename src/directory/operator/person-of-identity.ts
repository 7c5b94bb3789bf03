import { toTimestamp } from '../../platform/clock.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Identity } from '../oauth/id-token.ts';
import { OperatorPeople } from './person.ts';
import type { OperatorPerson, PeopleDeps } from './person.ts';

/** Whom an identity stands for here, or why nobody. */
export type PersonFound = { person: OperatorPerson; isFirst: boolean } | { refused: RefusedIdentity };

/**
 * `nobody`: no person here has this address. `unverified`: the provider says of no address that it is theirs. `several`: people here
 * share it. `another`: the person of this address signs in by another account.
 */
export type RefusedIdentity = 'nobody' | 'unverified' | 'several' | 'another';

/**
 * The invited person whose account this is: the one it was bound to at their first sign-in, else the only one of its verified
 * address, whom it is bound to now, for good. Nobody becomes a person by signing in (rule S5.oidc).
 */
export async function personOfIdentity(deps: PeopleDeps, identity: Identity): Promise<PersonFound> {
  const rows = deps.store.collection(OperatorPeople);
  const people: OperatorPerson[] = [];
  // People are few.
  for await (const row of allRows(rows, { where: { state: 'active' } })) people.push(row);
  const bound = people.find(({ oidc }) => oidc?.issuer === identity.issuer && oidc.subject === identity.subject);
  if (bound !== undefined) return { person: bound, isFirst: false };
  const { email } = identity;
  if (email === null) return { refused: 'unverified' };
  const [found, ...others] = people.filter((person) => person.email?.trim().toLowerCase() === email);
  if (found === undefined) return { refused: 'nobody' };
  if (others.length > 0) return { refused: 'several' };
  return bind(deps, found, identity);
}

async function bind(
  { store, clock }: PeopleDeps,
  { person_id }: OperatorPerson,
  { issuer, subject }: Identity,
): Promise<PersonFound> {
  const oidc = { issuer, subject, bound_at: toTimestamp(clock.now()) };
  const result = await store.collection(OperatorPeople).update(person_id, (row) =>
    // Who was bound at a provider of before is bound anew.
    row.state === 'active' && row.oidc?.issuer !== issuer ? { ...row, oidc } : undefined,
  );
  const row = result?.row;
  if (row?.state !== 'active') return { refused: 'nobody' };
  if (row.oidc?.issuer !== issuer || row.oidc.subject !== subject) return { refused: 'another' };
  return { person: row, isFirst: result?.changed === true };
}
