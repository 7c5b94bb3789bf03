import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { cookieValue, setCookieText } from '../../platform/session-cookie.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import type { OAuthContext } from '../context.ts';
import type { Account } from '../identity-provider.ts';

const BrowserSession = z.object({
  session_hash: z.string(),
  subject: z.string(),
  /** Seconds since the epoch. */
  auth_time: z.number().int(),
  expires_at: z.string(),
  revision: z.number().int(),
});
type BrowserSession = z.infer<typeof BrowserSession>;

/** Who is signed in with which browser; only the cookie's hash is stored. */
export const browserSessions: CollectionSpec<BrowserSession> = {
  name: 'oauth_sessions',
  key: 'session_hash',
  schema: BrowserSession,
  indexes: [{ name: 'subject', fields: ['subject', 'expires_at'] }],
  expires: 'expires_at',
};

type Deps = Pick<OAuthContext, 'store' | 'clock' | 'identityProvider'>;

export interface SignedIn {
  account: Account;
  auth_time: number;
}

const SESSION_LIFE_MS = 8 * 3_600_000;
const COOKIE = 'oauth_session';

/** Whoever is signed in with this cookie's value, while their account exists. */
export async function signedIn(deps: Deps, cookie: string | undefined): Promise<SignedIn | undefined> {
  if (cookie === undefined) return undefined;
  const row = await deps.store.collection(browserSessions).get(hashOf(cookie));
  if (row === undefined || row.expires_at <= toTimestamp(deps.clock.now())) return undefined;
  const account = await deps.identityProvider?.find(row.subject);
  return account && { account, auth_time: row.auth_time };
}

/** Signs a person in under a new cookie, so that one planted before is worth nothing. Answers its value. */
export async function startBrowserSession({ store, clock }: Deps, { subject }: Account): Promise<string> {
  const cookie = newCookie();
  const now = clock.now();
  await store.collection(browserSessions).insert({
    session_hash: hashOf(cookie),
    subject,
    auth_time: Math.floor(now / 1000),
    expires_at: toTimestamp(now + SESSION_LIFE_MS),
    revision: 1,
  });
  return cookie;
}

export async function endBrowserSession({ store }: Deps, cookie: string | undefined): Promise<void> {
  if (cookie !== undefined) await store.collection(browserSessions).delete(hashOf(cookie));
}

/** Signs a person out of every browser. Answers how many there were. */
export async function endBrowserSessions({ store }: Pick<Deps, 'store'>, subject: string): Promise<number> {
  const rows = store.collection(browserSessions);
  let ended = 0;
  for await (const { session_hash } of allRows(rows, { where: { subject } })) {
    if (await rows.delete(session_hash)) ended++;
  }
  return ended;
}

/** A cookie's value: 256 random bits. */
export function newCookie(): string {
  return randomBytes(32).toString('base64url');
}

/** The `Set-Cookie` value. */
export function setCookie(cookie: string, baseUrl: string): string {
  const { protocol, pathname } = new URL(baseUrl);
  const path = `${pathname.replace(/\/$/, '')}/oauth`;
  return setCookieText({ name: COOKIE, path, isSecure: protocol === 'https:', lifeMs: SESSION_LIFE_MS }, cookie);
}

/** The cookie of a request's `Cookie` header. */
export function cookieFrom(header: string | undefined): string | undefined {
  const found = cookieValue(header, COOKIE);
  return found !== undefined && /^[\w-]{43}$/.test(found) ? found : undefined;
}

function hashOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('hex');
}
