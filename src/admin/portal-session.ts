import { z } from 'zod';
import { SCOPES } from '../directory/caller.ts';
import type { Scope } from '../directory/caller.ts';
import { apiKeys } from '../directory/api-key/api-key.ts';
import { organizations } from '../directory/organization/organization.ts';
import { isSuspended } from '../directory/organization/suspension.ts';
import { endPortalLinks, opensPortal } from '../directory/portal-link/portal-link.ts';
import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import type { Clock } from '../platform/clock.ts';
import { hashToken, newOneTimeToken } from '../platform/crypto/one-time-token.ts';
import { OrganizationId } from '../platform/organization-id.ts';
import { cookieValue, setCookieText } from '../platform/session-cookie.ts';
import { allRows } from '../platform/store/all-rows.ts';
import type { CollectionSpec, Store } from '../platform/store/collection.ts';
import { IDLE_LIFE_MS, LAST_SEEN_GRAIN_MS, SESSION_LIFE_MS } from './session-life.ts';

const Click = z.object({ click: z.string(), at: z.string(), is_done: z.boolean() });

const PortalSession = z.object({
  session_hash: z.string(),
  organization_id: OrganizationId,
  /** The key that opened it, and with which it ends; {@link NO_KEY} for a link of an operator. */
  api_key_id: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  /** Accurate to a minute. */
  last_seen_at: z.string(),
  /** Forms that have been sent, the newest last: a double click is one. One that was begun and is not done may have been cut off. */
  clicks: z.array(Click),
  revision: z.number().int(),
});
type PortalSession = z.infer<typeof PortalSession>;

/** No key is called so, and a release that knows of no links takes such a session for one whose key has gone. */
const NO_KEY = '';

/** Who is signed in to the buyers' portal; only the cookie's hash is stored. */
export const portalSessions: CollectionSpec<PortalSession> = {
  name: 'portal_sessions',
  key: 'session_hash',
  schema: PortalSession,
  indexes: [{ name: 'organization', fields: ['organization_id', 'created_at'] }],
  expires: 'expires_at',
};

/** After so long a click whose process ended in the middle of it is done anew. */
const DONE_WITHIN_MS = 10_000;
/** How many clicks a session remembers. */
const CLICKS = 100;

/** Whom a session acts for, as the store has it now. */
export interface PortalCaller {
  organization_id: OrganizationId;
  /** The organization's name. */
  name: string;
  scopes: readonly Scope[];
}

interface Deps {
  store: Store;
  clock: Clock;
}

/**
 * Starts a session of 12 hours, which ends after 2 without use, and answers the cookie's value.
 * `api_key_id`: the key that it ends with; null for a link of an operator, which may all that there is.
 */
export async function startPortalSession(
  { store, clock }: Deps,
  { organization_id, api_key_id }: { organization_id: OrganizationId; api_key_id: string | null },
): Promise<string> {
  const cookie = newOneTimeToken();
  const now = clock.now();
  await store.collection(portalSessions).insert({
    session_hash: hashToken(cookie),
    ...{ organization_id, api_key_id: api_key_id ?? NO_KEY },
    ...{ created_at: toTimestamp(now), last_seen_at: toTimestamp(now) },
    expires_at: toTimestamp(now + SESSION_LIFE_MS),
    clicks: [],
    revision: 1,
  });
  return cookie;
}

/**
 * Whom this cookie's value stands for; undefined once its session has ended: by time, by idleness, with its key or that key's scope, or
 * while the organization is suspended. Nothing is remembered: an end counts in every process at once.
 */
export async function callerOfPortal({ store, clock }: Deps, cookie: string): Promise<PortalCaller | undefined> {
  const rows = store.collection(portalSessions);
  const row = await rows.get(hashToken(cookie));
  const now = clock.now();
  if (row === undefined || toTimestamp(now) >= row.expires_at) return undefined;
  const idleMs = now - fromTimestamp(row.last_seen_at);
  if (idleMs >= IDLE_LIFE_MS) return undefined;
  const [scopes, organization] = await Promise.all([
    scopesOf({ store, clock }, row),
    store.collection(organizations).get(row.organization_id),
  ]);
  if (scopes === undefined || organization === undefined || isSuspended(organization)) return undefined;
  if (idleMs >= LAST_SEEN_GRAIN_MS) {
    await rows.update(row.session_hash, (stored) => ({ ...stored, last_seen_at: toTimestamp(now) }));
  }
  return { organization_id: row.organization_id, name: organization.name, scopes };
}

/** What a session may do; undefined once its key has ended. */
async function scopesOf({ store, clock }: Deps, { api_key_id }: PortalSession): Promise<readonly Scope[] | undefined> {
  if (api_key_id === NO_KEY) return SCOPES;
  const key = await store.collection(apiKeys).get(api_key_id);
  return key !== undefined && opensPortal(key, clock.now()) ? key.scopes : undefined;
}

/**
 * Does something once for a click, however often its form is sent; what failed may be sent again, and so may what was begun and cut off,
 * after a while: `act` must bear to be done twice.
 */
export async function oncePerClick(
  { store, clock }: Deps,
  { cookie, click }: { cookie: string; click: string },
  act: () => Promise<void>,
): Promise<void> {
  const rows = store.collection(portalSessions);
  const now = clock.now();
  const begun = { click, at: toTimestamp(now), is_done: false };
  const besides = (row: PortalSession) => row.clicks.filter((one) => one.click !== click);
  const noted = await rows.update(hashToken(cookie), (row) => {
    const earlier = row.clicks.find((one) => one.click === click);
    const stands = earlier !== undefined && (earlier.is_done || now - fromTimestamp(earlier.at) < DONE_WITHIN_MS);
    return stands ? undefined : { ...row, clicks: [...besides(row), begun].slice(-CLICKS) };
  });
  if (noted?.changed !== true) return;
  try {
    await act();
  } catch (error) {
    await rows.update(hashToken(cookie), (row) => ({ ...row, clicks: besides(row) }));
    throw error;
  }
  await rows.update(hashToken(cookie), (row) => ({
    ...row,
    clicks: row.clicks.map((one) => (one.click === click ? { ...one, is_done: true } : one)),
  }));
}

/** Ends the session of a cookie's value, if there is one, everywhere at once. */
export async function endPortalSession({ store }: Pick<Deps, 'store'>, cookie: string | undefined): Promise<void> {
  if (cookie !== undefined) await store.collection(portalSessions).delete(hashToken(cookie));
}

const OLDEST_FIRST = { field: 'created_at', direction: 'asc' } as const;

/** Ends all sessions of an organization, and its links that nobody has used. Answers how many sessions. */
export async function endPortalSessionsOf(deps: Deps, organization_id: OrganizationId): Promise<number> {
  await endPortalLinks(deps, organization_id);
  const rows = deps.store.collection(portalSessions);
  let ended = 0;
  for await (const { session_hash } of allRows(rows, { where: { organization_id }, sort: OLDEST_FIRST })) {
    if (await rows.delete(session_hash)) ended += 1;
  }
  return ended;
}

/** `__Host-` binds the cookie to this very host, and needs TLS (RFC 6265bis); a loopback address has none. */
function cookieName(isSecure: boolean): string {
  return isSecure ? '__Host-portal' : 'portal_session';
}

/** The `Set-Cookie` value that keeps a session, or with undefined drops it. */
export function portalCookie(session: string | undefined, isSecure: boolean): string {
  const [name, path] = [cookieName(isSecure), isSecure ? '/' : '/portal'];
  return setCookieText({ name, path, isSecure, lifeMs: SESSION_LIFE_MS }, session);
}

/** The session in a request's `Cookie` header. */
export function portalSessionFrom(cookieHeader: string | undefined, isSecure: boolean): string | undefined {
  return cookieValue(cookieHeader, cookieName(isSecure));
}
