import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { hashToken } from '../../platform/crypto/one-time-token.ts';
import { AppError } from '../../platform/errors.ts';
import { consoleSessions } from '../session.ts';
import type { SignInDeps } from '../sign-in-link.ts';
import { HELD_FOR_MS } from './held-form.ts';
import type { HeldForm } from './held-form.ts';

type Deps = Pick<SignInDeps, 'store' | 'clock'>;

/** Keeps a form with the session of a cookie's value, in place of the one before. */
export async function holdForm(
  { store, clock }: Deps,
  session: string,
  form: Omit<HeldForm, 'held_at' | 'is_done'>,
): Promise<void> {
  const held = { ...form, held_at: toTimestamp(clock.now()), is_done: false };
  await store.collection(consoleSessions).update(hashToken(session), (row) => ({ ...row, held }));
}

/** What waits in the session of a cookie's value; undefined where nothing does. `person_id`: of nobody else. */
export async function heldFormOf(
  deps: Deps,
  session: string | undefined,
  person_id?: string | null,
): Promise<HeldForm | undefined> {
  const held = await keptFormOf(deps, session, person_id);
  return held?.is_done === true ? undefined : held;
}

/** The same, done or not. */
async function keptFormOf({ store, clock }: Deps, session: string | undefined, person_id?: string | null) {
  if (session === undefined) return undefined;
  const row = await store.collection(consoleSessions).get(hashToken(session));
  if (row?.held === undefined || clock.now() - fromTimestamp(row.held.held_at) >= HELD_FOR_MS) return undefined;
  return person_id === undefined || (row.person_id ?? null) === person_id ? row.held : undefined;
}

/** The form of this click, which was kept there. @throws {AppError} `NOT_FOUND` where it is no more. */
export async function knownHeldForm(
  deps: Deps,
  { session, path, click }: { session: string; path: string; click: string },
): Promise<HeldForm> {
  const held = await keptFormOf(deps, session);
  if (held?.path === path && held.click === click) return held;
  throw new AppError('NOT_FOUND', 'what you typed is kept no more', {
    suggestion: 'see whether it has been done, and else fill the form in anew',
  });
}

/** Notes that the form of this click has been done. */
export async function noteHeldFormDone({ store }: Pick<Deps, 'store'>, session: string, click: string): Promise<void> {
  await store.collection(consoleSessions).update(hashToken(session), ({ held, ...row }) => {
    return held?.click === click && !held.is_done ? { ...row, held: { ...held, is_done: true } } : undefined;
  });
}
