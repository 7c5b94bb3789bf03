import { z } from 'zod';
import { toTimestamp } from '../platform/clock.ts';
import type { CollectionSpec } from '../platform/store/collection.ts';
import { hashToken, newSignInToken } from './sign-in-link.ts';
import type { SignInDeps } from './sign-in-link.ts';

const ConsoleSession = z.object({
  session_hash: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  revision: z.number().int(),
});
type ConsoleSession = z.infer<typeof ConsoleSession>;

/** Who is signed in to the console; only the cookie's hash is stored. */
export const consoleSessions: CollectionSpec<ConsoleSession> = {
  name: 'console_sessions',
  key: 'session_hash',
  schema: ConsoleSession,
  indexes: [],
  expires: 'expires_at',
};

const SESSION_LIFE_MS = 12 * 3_600_000;
const COOKIE = 'console_session';

/** Starts a session of 12 hours and answers the cookie's value. */
export async function startSession({ store, clock }: SignInDeps): Promise<string> {
  const token = newSignInToken();
  const now = clock.now();
  await store.collection(consoleSessions).insert({
    session_hash: hashToken(token),
    created_at: toTimestamp(now),
    expires_at: toTimestamp(now + SESSION_LIFE_MS),
    revision: 1,
  });
  return token;
}

/** Whether this cookie's value stands for a session that has not ended. */
export async function isSignedIn({ store, clock }: SignInDeps, session: string | undefined): Promise<boolean> {
  if (session === undefined) return false;
  const row = await store.collection(consoleSessions).get(hashToken(session));
  return row !== undefined && toTimestamp(clock.now()) < row.expires_at;
}

/** Ends a session, if there is one, everywhere at once. */
export async function endSession({ store }: SignInDeps, session: string | undefined): Promise<void> {
  if (session !== undefined) await store.collection(consoleSessions).delete(hashToken(session));
}

/** The `Set-Cookie` value that keeps a session, or with undefined drops it. Scripts cannot read it. */
export function sessionCookie(session: string | undefined, isSecure: boolean): string {
  const life = session === undefined ? 0 : SESSION_LIFE_MS / 1000;
  const secure = isSecure ? '; Secure' : '';
  return `${COOKIE}=${session ?? ''}; Path=/admin; Max-Age=${life}; HttpOnly; SameSite=Lax${secure}`;
}

/** The session in a request's `Cookie` header (RFC 6265). */
export function sessionFrom(cookieHeader: string | undefined): string | undefined {
  return cookieHeader
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1);
}
