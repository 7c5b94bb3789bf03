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
  /** Whether the agent is reached over TLS. */
  isSecure: boolean;
}

/** What is signed in to: none takes the other's sign-in. */
export type SignInTo = 'console' | 'portal';

/** A sign-in begun, by people who prove anew who they are where `max_age` says so: `cookie` binds it to its browser, and nothing of it is stored. */
export function beginSignIn(
  to: SignInTo,
  { clock, sealer, isSecure }: Pick<PendingDeps, 'clock' | 'sealer' | 'isSecure'>,
  { redirect_uri, max_age }: Pick<SignInAsked, 'redirect_uri' | 'max_age'>,
) {
  const random = () => randomBytes(32).toString('base64url');
  const asked: SignInAsked = { state: random(), nonce: random(), code_verifier: random(), redirect_uri, max_age };
  const sealed = sealer.seal(JSON.stringify({ ...asked, started_at: clock.now() }), boundTo(to, asked.state));
  return { asked, cookie: pendingCookie({ name: cookieName(to, asked.state, isSecure), isSecure }, sealed) };
}

/**
 * What a sign-in was asked with, by its state and the browser's cookies; once, however often and wherever it is brought back.
 * Undefined for one of another browser, older than ten minutes, or that came back before.
 */
export async function takeSignIn(
  to: SignInTo,
  { store, clock, sealer, isSecure }: PendingDeps,
  state: string,
  cookies: string | undefined,
): Promise<SignInAsked | undefined> {
  const pending = opened(cookieValue(cookies, cookieName(to, state, isSecure)), sealer, boundTo(to, state));
  const now = clock.now();
  if (pending?.state !== state || now >= pending.started_at + LIFE_MS) return undefined;
  const expires_at = toTimestamp(now + 2 * LIFE_MS);
  const { inserted } = await store
    .collection(usedStates)
    .insert({ state_hash: hashToken(state), expires_at, revision: 1 });
  return inserted ? pending : undefined;
}

/** So many sign-ins of one browser can be under way: more would make requests too large to be read. */
const SLOTS = 8;

/** By its state, so that two tabs seldom end each other's. `__Host-` has it of this very host, and no other beside it. */
function cookieName(to: SignInTo, state: string, isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}${to}_oidc_${state.charCodeAt(0) % SLOTS}`;
}

/** The `Set-Cookie` value by which a sign-in that came back, however it came out, is under way no more. */
export function noPendingCookie(to: SignInTo, state: string, isSecure: boolean): string {
  return pendingCookie({ name: cookieName(to, state, isSecure), isSecure }, undefined);
}

function pendingCookie({ name, isSecure }: { name: string; isSecure: boolean }, sealed: string | undefined): string {
  return setCookieText({ name, path: '/', isSecure, lifeMs: LIFE_MS }, sealed);
}

/** What a state of ours looks like; no other is put into a cookie's name. */
export const STATE_FORM = /^[\w-]{43}$/;

function opened(sealed: string | undefined, sealer: Sealer, bound: string) {
  if (sealed === undefined) return undefined;
  try {
    return Pending.parse(JSON.parse(sealer.open(sealed, bound)));
  } catch {
    return undefined;
  }
}

function boundTo(to: SignInTo, state: string): string {
  return `${to} sign-in ${state}`;
}
