import { clientOf } from '../../directory/caller.ts';
import type { Caller, Scope } from '../../directory/caller.ts';
import type { AccessToken } from '../../directory/oauth/access-token.ts';
import { AppError } from '../../platform/errors.ts';

/** A person, by an access token. */
export type UserIdentity = Pick<AccessToken, 'user_id' | 'email' | 'scopes' | 'organization_id'>;

/** Who calls the registry: an organization by its API key, or a person by an access token. */
export type RegistryCaller = { kind: 'organization'; key: Caller } | { kind: 'user'; user: UserIdentity };

/** Names a caller on record; never a credential. */
export function callerId(caller: RegistryCaller): string {
  return caller.kind === 'user' ? caller.user.user_id : caller.key.principal_id;
}

/** Whose limits a call counts in: a key that was made anew has no others than its former one. */
export function countedAs(caller: RegistryCaller): string {
  return caller.kind === 'user' ? caller.user.user_id : clientOf(caller.key);
}

/** The person calling. @throws {AppError} `FORBIDDEN` for an API key, which stands for no person. */
export function requireUser(caller: RegistryCaller | undefined): UserIdentity {
  if (caller?.kind === 'user') return caller.user;
  throw new AppError(
    'FORBIDDEN',
    "this needs a user's access token; an API key belongs to an organization, not a person",
  );
}

/**
 * Holds a credential to its scopes (rule R13). A person's token that says nothing of scopes has its user's rights; an API key
 * always says.
 * @throws {AppError} `FORBIDDEN`.
 */
export function requireScope(caller: RegistryCaller | undefined, scope: Scope): void {
  if (caller === undefined) return;
  const [what, scopes] = caller.kind === 'user' ? ['token', caller.user.scopes] : ['API key', caller.key.scopes];
  if (scopes?.includes(scope) ?? true) return;
  throw new AppError('FORBIDDEN', `this ${what} lacks the scope ${scope}`);
}
