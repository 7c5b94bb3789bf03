import { AppError } from '../../platform/errors.ts';

/**
 * Who may, each with all that those before it may: a viewer sees everything but secrets; an operator also decides, sends again
 * and holds back; an admin also does what is final, hands out access or takes it back, or concerns keys and the catalog (rule S5).
 */
export const OPERATOR_ROLES = ['viewer', 'operator', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Who calls the operator API or the console, by a credential that was checked: the name is never a header's word (rule S5). */
export interface Operator {
  /** For people and for the record: a person's, a key's, or {@link SHARED_KEY_NAME}. */
  name: string;
  role: OperatorRole;
  /** Null for what stands for no one person: the shared key, or a program's own. */
  person_id: string | null;
  /** What they came with: the shared key has no id. */
  credential:
    | { kind: 'shared_key' }
    | { kind: 'operator_key'; id: string }
    /** `authenticated_at`: when they last proved who they are; null where nobody says. */
    | { kind: 'session'; id: string; authenticated_at: string | null };
}

/** What the record calls whoever holds the one key that is for all. */
export const SHARED_KEY_NAME = 'OPERATOR_API_KEY';

/** Whoever holds the shared key: `OPERATOR_API_KEY`, or the one that the installation made. */
export const SHARED_KEY_OPERATOR: Operator = {
  name: SHARED_KEY_NAME,
  role: 'admin',
  person_id: null,
  credential: { kind: 'shared_key' },
};

/** Whether who has this role may do what asks for `needed`. */
export function mayAct(role: OperatorRole, needed: OperatorRole): boolean {
  return OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(needed);
}

/** The lesser of two roles. */
export function lesserRole(one: OperatorRole, other: OperatorRole): OperatorRole {
  return mayAct(one, other) ? other : one;
}

/** @throws {AppError} `FORBIDDEN`, naming the role that it takes. */
export function requireRole({ name, role }: Pick<Operator, 'name' | 'role'>, needed: OperatorRole): void {
  if (mayAct(role, needed)) return;
  throw new AppError('FORBIDDEN', `this takes the role ${needed}, and ${name} has the role ${role}`, {
    suggestion: 'ask an admin to do it, or for the role: npm run agent -- people role',
  });
}
