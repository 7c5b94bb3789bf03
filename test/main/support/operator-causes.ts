import type { SECURITY_KINDS } from '../../../src/platform/security/security-kinds.ts';

type Line = Record<string, unknown>;
type Post = (path: string, body?: Line) => Promise<Line>;

/** The kinds that only an operator's act brings about. */
type KindOfOperators = Extract<
  keyof typeof SECURITY_KINDS,
  | `${'operator_key' | 'person' | 'signing_key' | 'secret'}.${string}`
  | 'organization.suspended'
  | 'organization.restored'
  | 'domain.assigned'
  | 'account.ended'
  | 'console.link_made'
  | 'portal.link_made'
  | 'portal.sessions_ended'
  | 'console.sessions_ended'
>;

interface Cause {
  given?: () => Promise<unknown>;
  cause: (given: never) => Promise<unknown>;
}

const reason = { reason: 'a drill' };

/**
 * How each decision of an operator comes about, once.
 * @param post asks the operator API, and answers what it says; fails where it refuses
 * @param aSession starts a session of the console, and answers its id
 */
export function operatorCauses(post: Post, aSession: () => Promise<string>): Record<KindOfOperators, Cause> {
  const aKey = () => post('/operator-keys/add', { name: 'ci', role: 'viewer' });
  let people = 0;
  const aPerson = () => post('/people/invite', { name: `Bo the ${++people}th`, role: 'viewer' });
  const aBuyer = () => post('/buyers/add', { name: 'Bo and Sons' });
  const pathOf = (buyer: Line) => `/buyers/${String(buyer['organization_id'])}`;
  const suspended = (buyer: Line) => post(`/buyers/${String(buyer['organization_id'])}/suspend`, reason);
  const aSigningKey = () => post('/keys/rotate');
  return {
    'operator_key.made': { cause: aKey },
    'operator_key.revoked': {
      given: aKey,
      cause: (key: Line) => post(`/operator-keys/${String(key['operator_key_id'])}/revoke`, reason),
    },
    'person.invited': { cause: aPerson },
    'person.role_changed': {
      given: aPerson,
      cause: (person: Line) => post(`/people/${String(person['person_id'])}/role`, { role: 'operator' }),
    },
    'person.removed': {
      given: aPerson,
      cause: (person: Line) => post(`/people/${String(person['person_id'])}/remove`, reason),
    },
    'organization.suspended': { given: aBuyer, cause: suspended },
    'organization.restored': {
      given: async () => suspended(await aBuyer()),
      cause: (buyer: Line) => post(`/buyers/${String(buyer['organization_id'])}/restore`),
    },
    'domain.assigned': {
      given: aBuyer,
      cause: ({ organization_id }: Line) =>
        post('/registry/domains/assign', { organization_id, domain: 'bo-and-sons.example', ...reason }),
    },
    'portal.link_made': { given: aBuyer, cause: (buyer: Line) => post(`${pathOf(buyer)}/portal-links/create`) },
    'portal.sessions_ended': {
      given: aBuyer,
      cause: (buyer: Line) => post(`${pathOf(buyer)}/portal-sessions/end`, reason),
    },
    'console.link_made': { cause: () => post('/sign-in-links/create') },
    'console.sessions_ended': { given: aSession, cause: (id: string) => post(`/sessions/${id}/end`) },
    'account.ended': { cause: () => post('/accounts/user_of-nobody/end', reason) },
    'signing_key.made': { cause: aSigningKey },
    'signing_key.revoked': {
      given: aSigningKey,
      cause: ({ kid }: Line) => post(`/keys/${String(kid)}/revoke`, reason),
    },
    'secret.resealed': { cause: () => post('/secret/reseal') },
  };
}
