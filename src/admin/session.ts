import { z } from 'zod';
import { OPERATOR_ROLES, SHARED_KEY_NAME, SHARED_KEY_OPERATOR } from '../directory/operator/operator.ts';
import type { Operator } from '../directory/operator/operator.ts';
import { activePerson } from '../directory/operator/person.ts';
import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import { hashToken, newOneTimeToken } from '../platform/crypto/one-time-token.ts';
import { AppError } from '../platform/errors.ts';
import { cookieValue, setCookieText } from '../platform/session-cookie.ts';
import type { CollectionSpec } from '../platform/store/collection.ts';
import { HeldForm } from './again/held-form.ts';
import { IDLE_LIFE_MS, LAST_SEEN_GRAIN_MS, SESSION_LIFE_MS } from './session-life.ts';
import type { LinkHolder, SignInDeps } from './sign-in-link.ts';

const ConsoleSession = z.object({
  session_hash: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  /** What it is called where it is listed and ended; of 0.1.0, whose sessions were the shared key's, there is none. */
  session_id: z.string().nullable().optional(),
  /** Whose it is; null and absent: the shared key's. */
  person_id: z.string().nullable().optional(),
  /** The role that a session of the shared key has; a person's is their own. */
  role: z.enum(OPERATOR_ROLES).optional(),
  /** Accurate to a minute. */
  last_seen_at: z.string().optional(),
  /** Where it was started from. */
  address: z.string().optional(),
  /** When whoever started it proved who they are; null and absent: nobody says. */
  authenticated_at: z.string().nullable().optional(),
  /** The form that waits for a sign-in of late; absent: none does. */
  held: HeldForm.optional(),
  revision: z.number().int(),
});
type ConsoleSession = z.infer<typeof ConsoleSession>;

/** Who is signed in to the console; only the cookie's hash is stored. */
export const consoleSessions: CollectionSpec<ConsoleSession> = {
  name: 'console_sessions',
  key: 'session_hash',
  schema: ConsoleSession,
  indexes: [
    { name: 'session_id', fields: ['session_id'], unique: true },
    { name: 'created', fields: ['created_at'] },
    { name: 'person', fields: ['person_id', 'created_at'] },
  ],
  expires: 'expires_at',
};

/** A session as it is shown. */
export const SessionView = z.object({
  session_id: z.string(),
  /** The person's name, or the shared key's. */
  name: z.string(),
  person_id: z.string().nullable(),
  created_at: z.string(),
  last_seen_at: z.string(),
  expires_at: z.string(),
  address: z.string().nullable(),
});
export type SessionView = z.infer<typeof SessionView>;

interface SessionStart {
  /** When they proved who they are; null: nobody says; default: now. */
  authenticated_at?: string | null;
  /** The form that goes on with it. */
  held?: HeldForm | undefined;
}

/** Starts a session of 12 hours, which ends after 2 without use, and answers the cookie's value. */
export async function startSession(
  { store, clock, ids }: SignInDeps,
  { person_id, role }: LinkHolder,
  address: string | undefined,
  { authenticated_at = toTimestamp(clock.now()), held }: SessionStart = {},
): Promise<string> {
  const token = newOneTimeToken();
  const now = clock.now();
  await store.collection(consoleSessions).insert({
    session_hash: hashToken(token),
    session_id: `session_${ids.newId()}`,
    ...{ person_id, role, created_at: toTimestamp(now), last_seen_at: toTimestamp(now) },
    ...{ authenticated_at, ...(address !== undefined && { address }), ...(held !== undefined && { held }) },
    expires_at: toTimestamp(now + SESSION_LIFE_MS),
    revision: 1,
  });
  return token;
}

/**
 * Whose session this cookie's value stands for, with the role that they have now; undefined for one that has ended, by time, by
 * idleness, or with its person. Nothing is remembered: an end counts in every process at once. What nobody did, such as a page that keeps
 * itself fresh, is no use (`isUse`) and puts no end off.
 */
export async function operatorOfSession(
  deps: Pick<SignInDeps, 'store' | 'clock'>,
  cookie: string | undefined,
  { isUse = true }: { isUse?: boolean } = {},
): Promise<Operator | undefined> {
  return cookie === undefined ? undefined : operatorOfSessionHash(deps, hashToken(cookie), { isUse });
}

/** The same by what is stored of the cookie, for what is bound to a session and does not bring it. */
export async function operatorOfSessionHash(
  deps: Pick<SignInDeps, 'store' | 'clock'>,
  session_hash: string,
  { isUse }: { isUse: boolean },
): Promise<Operator | undefined> {
  const { store, clock } = deps;
  const rows = store.collection(consoleSessions);
  const row = await rows.get(session_hash);
  const now = clock.now();
  if (row === undefined || !isLive(row, now)) return undefined;
  if (isUse && now - lastSeen(row) >= LAST_SEEN_GRAIN_MS) {
    await rows.update(row.session_hash, (stored) => ({ ...stored, last_seen_at: toTimestamp(now) }));
  }
  const { person_id = null, authenticated_at = null } = row;
  const credential = { kind: 'session', id: row.session_id ?? row.session_hash, authenticated_at } as const;
  if (person_id === null) return { ...SHARED_KEY_OPERATOR, role: row.role ?? 'admin', credential };
  const person = await activePerson(deps, person_id);
  return person && { name: person.name, role: person.role, person_id, credential };
}

/** Ends the session of a cookie's value, if there is one, everywhere at once. */
export async function endSession({ store }: Pick<SignInDeps, 'store'>, cookie: string | undefined): Promise<void> {
  if (cookie !== undefined) await store.collection(consoleSessions).delete(hashToken(cookie));
}

/** Ends a session by its id. @throws {AppError} `NOT_FOUND`. */
export async function endSessionById({ store }: Pick<SignInDeps, 'store'>, session_id: string): Promise<void> {
  const rows = store.collection(consoleSessions);
  const row = (await rows.find({ where: { session_id }, limit: 1 })).rows[0];
  // A session of 0.1.0 goes by its hash.
  if (!(await rows.delete(row?.session_hash ?? session_id))) {
    throw new AppError('NOT_FOUND', 'no session has this id; it may have ended', { field: 'session_id' });
  }
}

/** Ends all sessions of a person, or all there are, but for the one that is `kept`, by its id. Answers how many. */
export async function endSessions(
  { store }: Pick<SignInDeps, 'store'>,
  person_id?: string,
  { kept }: { kept?: string | undefined } = {},
): Promise<number> {
  const rows = store.collection(consoleSessions);
  const where = person_id === undefined ? { created_at: { gte: '0' } } : { person_id };
  let ended = 0;
  for (;;) {
    const page = await rows.find({ where, limit: 500 });
    const over = page.rows.filter(
      ({ session_id, session_hash }) => kept === undefined || kept !== (session_id ?? session_hash),
    );
    const gone = await Promise.all(over.map(({ session_hash }) => rows.delete(session_hash)));
    ended += gone.filter(Boolean).length;
    if (page.cursor === undefined || over.length === 0) return ended;
  }
}

/** The sessions that have not ended, newest first; at most `limit`. */
export async function listSessions(
  deps: Pick<SignInDeps, 'store' | 'clock'>,
  { person_id, limit, after }: { person_id?: string | undefined; limit: number; after?: string | undefined },
): Promise<{ rows: SessionView[]; cursor?: string }> {
  const page = await deps.store.collection(consoleSessions).find({
    where: person_id === undefined ? { created_at: { gte: '0' } } : { person_id },
    sort: { field: 'created_at', direction: 'desc' },
    limit,
    ...(after !== undefined && { after }),
  });
  const now = deps.clock.now();
  const live = page.rows.filter((row) => isLive(row, now));
  const rows = await Promise.all(live.map((row) => viewOf(deps, row)));
  return { rows, ...(page.cursor !== undefined && { cursor: page.cursor }) };
}

async function viewOf(deps: Pick<SignInDeps, 'store'>, row: ConsoleSession): Promise<SessionView> {
  const { session_id, session_hash, person_id = null, created_at, expires_at } = row;
  const person = person_id === null ? undefined : await activePerson(deps, person_id);
  return {
    session_id: session_id ?? session_hash,
    name: person_id === null ? SHARED_KEY_NAME : (person?.name ?? 'removed'),
    ...{ person_id, created_at, expires_at },
    last_seen_at: toTimestamp(lastSeen(row)),
    address: row.address ?? null,
  };
}

function isLive(row: ConsoleSession, now: number): boolean {
  return toTimestamp(now) < row.expires_at && now - lastSeen(row) < IDLE_LIFE_MS;
}

/** Of a session of 0.1.0, which did not note it, as late as can be: it ends when it was to end. */
function lastSeen({ last_seen_at, expires_at }: ConsoleSession): number {
  return last_seen_at === undefined ? fromTimestamp(expires_at) - IDLE_LIFE_MS : fromTimestamp(last_seen_at);
}

/** `__Host-` binds the cookie to this very host, and needs TLS (RFC 6265bis); a loopback address has none. */
function cookieName(isSecure: boolean): string {
  return isSecure ? '__Host-console' : 'console_session';
}

/** The `Set-Cookie` value that keeps a session, or with undefined drops it. */
export function sessionCookie(session: string | undefined, isSecure: boolean): string {
  const [name, path] = [cookieName(isSecure), isSecure ? '/' : '/admin'];
  return setCookieText({ name, path, isSecure, lifeMs: SESSION_LIFE_MS }, session);
}

/** The session in a request's `Cookie` header. `isSecure`: whether the console is reached by https. */
export function sessionFrom(cookieHeader: string | undefined, isSecure: boolean): string | undefined {
  return cookieValue(cookieHeader, cookieName(isSecure));
}
