import { endSession, startSession } from '../session.ts';
import type { LinkHolder, SignInDeps } from '../sign-in-link.ts';
import { AGAIN_PATH } from './held-form.ts';
import type { HeldForm } from './held-form.ts';
import { heldFormOf } from './hold-form.ts';

interface Renewal {
  /** When they proved who they are; null: nobody says; default: now. */
  authenticated_at?: string | null;
  /** The form that goes on; default: the one that waits in the former session, if it is of the same person. */
  held?: HeldForm | undefined;
}

/**
 * Starts a session in place of whatever this browser had: what was signed in with it before is over. Answers the cookie's value, and
 * where to go on: at the form that waited for a sign-in by this very person, else at the overview.
 */
export async function renewSession(
  deps: SignInDeps,
  former: string | undefined,
  holder: LinkHolder,
  address: string | undefined,
  { held: given, ...renewal }: Renewal = {},
): Promise<{ session: string; to: string }> {
  const held = given ?? (await heldFormOf(deps, former, holder.person_id));
  await endSession(deps, former);
  const session = await startSession(deps, holder, address, { ...renewal, held });
  return { session, to: held === undefined ? '/admin' : `/admin${AGAIN_PATH}` };
}
