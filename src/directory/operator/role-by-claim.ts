import { OPERATOR_ROLES } from './operator.ts';
import type { OperatorRole } from './operator.ts';

/** How the words of an identity provider become roles (rule S5.oidc-roles). */
export interface RolesByClaim {
  /** The claim of ID tokens: a text, or a list of texts. */
  claim: string;
  /** A role for each word that counts; all others say nothing. */
  roles: ReadonlyMap<string, OperatorRole>;
}

/** The greatest role that a token's claim gives; undefined where it gives none. Pure. */
export function roleByClaim(
  { claim, roles }: RolesByClaim,
  claims: Readonly<Record<string, unknown>>,
): OperatorRole | undefined {
  const said = Object.hasOwn(claims, claim) ? [claims[claim]].flat() : [];
  const given = said.map((word) => (typeof word === 'string' ? roles.get(word) : undefined));
  return OPERATOR_ROLES.findLast((role) => given.includes(role));
}
