import type { Operator } from '../../directory/operator/operator.ts';
import { fromTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { OperatorDeps } from './operation.ts';

/** A session that may do something, but only after another sign-in (rule O1.fresh). */
export class SignInTooOld extends AppError {
  constructor(minutes: number) {
    super('FORBIDDEN', `this takes a sign-in of the last ${minutes} minutes`, {
      suggestion: 'sign in to the console again',
    });
    this.name = 'SignInTooOld';
  }
}

/** Whether whoever acts has proved who they are of late. What is no session does so with each call. */
export function isSignInFresh(
  { clock, freshSignInMs }: Pick<OperatorDeps, 'clock' | 'freshSignInMs'>,
  { credential }: Pick<Operator, 'credential'>,
): boolean {
  if (credential.kind !== 'session' || freshSignInMs === 0) return true;
  const { authenticated_at } = credential;
  return authenticated_at !== null && clock.now() - fromTimestamp(authenticated_at) < freshSignInMs;
}

/** @throws {SignInTooOld} */
export function requireFreshSignIn(
  deps: Pick<OperatorDeps, 'clock' | 'freshSignInMs'>,
  operator: Pick<Operator, 'credential'>,
): void {
  if (!isSignInFresh(deps, operator)) throw new SignInTooOld(deps.freshSignInMs / 60_000);
}
