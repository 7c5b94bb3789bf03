import type { Caller } from '../../directory/caller.ts';
import { AppError } from '../../platform/errors.ts';

/** A person, by an access token. */
export interface UserIdentity {
  user_id: string;
  /** Lower case, and verified by the issuer; null when the token says no such address. */
  email: string | null;
}

/** Who calls the registry: an organization by its API key, or a person by an access token. */
export type RegistryCaller = { kind: 'organization'; key: Caller } | { kind: 'user'; user: UserIdentity };

/** Names a caller in limits and logs; never a credential. */
export function callerId(caller: RegistryCaller): string {
  return caller.kind === 'user' ? caller.user.user_id : caller.key.principal_id;
}

/** The person calling. @throws {AppError} `FORBIDDEN` for an API key, which stands for no person. */
export function requireUser(caller: RegistryCaller | undefined): UserIdentity {
  if (caller?.kind === 'user') return caller.user;
  throw new AppError(
    'FORBIDDEN',
    "this needs a user's access token; an API key belongs to an organization, not a person",
  );
}
