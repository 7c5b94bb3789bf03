import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { SignInAsked } from '../directory/oauth/oidc-client.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { Clock } from '../platform/clock.ts';
import type { Sealer } from '../platform/crypto/sealer.ts';
import { cookieValue, setCookieText } from '../platform/session-cookie.ts';
import type { CollectionSpec, Store } from '../platform/store/collection.ts';
import { hashToken } from '../platform/crypto/one-time-token.ts';

const UsedState = z.object({ state_hash: z.string(), expires_at: z.string(), revision: z.number().int() });
type UsedState = z.infer<typeof UsedState>;

/** Sign-ins that a browser has come back from, so that none is brought back twice. */
export const usedStates: CollectionSpec<UsedState> = {
  name: 'console_oidc_states',
  key: 'state_hash',
  schema: UsedState,
  indexes: [],
  expires: 'expires_at',
};

const Pending = z.object({
  state: z.string(),
  nonce: z.string(),
  code_verifier: z.string(),
  redirect_uri: z.string(),
  max_age: z.number().optional(),
  started_at: z.number(),
});

/** From leaving for the provider to coming back. */
const LIFE_MS = 600_000;

export interface PendingDeps {
  store: Store;
  clock: Clock;
  sealer: Sealer;
}

/** What is signed in to: none takes the other's sign-in. */
export type SignInTo = 'console' | 'portal';

/** A sign-in begun, by people who prove anew who they are where `max_age` says so: `cookie` binds it to its browser, and nothing of it is stored. */
export function beginSignIn(
  to: SignInTo,
  { clock, sealer }: Pick<PendingDeps, 'clock' | 'sealer'>,
  { redirect_uri, max_age }: Pick<SignInAsked, 'redirect_uri' | 'max_age'>,
) {
  const random = () => randomBytes(32).toString('base64url');
  const asked: SignInAsked = { state: random(), nonce: random(), code_verifier: random(), redirect_uri, max_age };
  const sealed = sealer.seal(JSON.stringify({ ...asked, started_at: clock.now() }), boundTo(to, asked.state));
  return { asked, cookie: { name: cookieName(to, asked.state), value: sealed, maxAgeSeconds: LIFE_MS / 1000 } };
}

/**
 * What a sign-in was asked with, by its state and the browser's cookies; once, however often and wherever it is brought back.
 * Undefined for one of another browser, older than ten minutes, or that came back before.
 */
export async function takeSignIn(
  to: SignInTo,
  { store, clock, sealer }: PendingDeps,
  state: string,
  cookies: string | undefined,
): Promise<SignInAsked | undefined> {
  const pending = opened(to, sealer, state, cookies);
  const now = clock.now();
  if (pending?.state !== state || now >= pending.started_at + LIFE_MS) return undefined;
  const expires_at = toTimestamp(now + 2 * LIFE_MS);
  const { inserted } = await store
    .collection(usedStates)
    .insert({ state_hash: hashToken(state), expires_at, revision: 1 });
  return inserted ? pending : undefined;
}

/** Of its own for each sign-in, so that two tabs do not end each other's. */
export function cookieName(to: SignInTo, state: string): string {
  return `${to}_oidc_${state.slice(0, 8)}`;
}

/** The `Set-Cookie` value; `value` empty: it goes. Only the way back, at `path`, needs it. */
export function pendingCookie(
  { name, value, maxAgeSeconds }: { name: string; value: string; maxAgeSeconds: number },
  { path, isSecure }: { path: string; isSecure: boolean },
): string {
  return setCookieText({ name, path, isSecure, lifeMs: maxAgeSeconds * 1000 }, value === '' ? undefined : value);
}

/** What a state of ours looks like; no other is put into a cookie's name. */
export const STATE_FORM = /^[\w-]{43}$/;

function opened(to: SignInTo, sealer: Sealer, state: string, cookies: string | undefined) {
  const sealed = cookieValue(cookies, cookieName(to, state));
  if (sealed === undefined) return undefined;
  try {
    return Pending.parse(JSON.parse(sealer.open(sealed, boundTo(to, state))));
  } catch {
    return undefined;
  }
}

function boundTo(to: SignInTo, state: string): string {
  return `${to} sign-in ${state}`;
}
