import { z } from 'zod';
import { SCOPES } from '../directory/caller.ts';
import type { Scope } from '../directory/caller.ts';
import { apiKeys } from '../directory/api-key/api-key.ts';
import { roleIn } from '../directory/membership/organizations-of-user.ts';
import type { AccountSignIn } from '../directory/oauth/account-sign-in.ts';
import { organizations } from '../directory/organization/organization.ts';
import type { Organization } from '../directory/organization/organization.ts';
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
  /** The key that opened it, and with which it ends; {@link NO_KEY} for a link of an operator, {@link ACCOUNT} for a person's account. */
  api_key_id: z.string(),
  /** Of a person who signed in with their account: it ends with their membership. */
  user_id: z.string().optional(),
  /** What they allowed the portal, with which it ends, too; absent where an issuer elsewhere signed them in. */
  grant_id: z.string().optional(),
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
/** Nor that. */
const ACCOUNT = 'account';

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
  /** Whoever signed in with an account of theirs, for which organization they did not say there: they may go on to another of theirs. */
  user_id?: string;
}

/** What opens a session. */
export type PortalOpener = { organization_id: OrganizationId } & (
  | {
      /** The key that it ends with; null for a link of an operator, which may all that there is. */
      api_key_id: string | null;
    }
  | { user_id: string; grant_id: string | undefined }
);

export interface PortalSessionDeps {
  store: Store;
  clock: Clock;
  /** How people sign in with their account; undefined: they do not, and no session of theirs goes on. */
  accounts: AccountSignIn | undefined;
}
type Deps = Pick<PortalSessionDeps, 'store' | 'clock'>;

/** Starts a session of 12 hours, which ends after 2 without use, and answers the cookie's value. */
export async function startPortalSession({ store, clock }: Deps, opener: PortalOpener): Promise<string> {
  const cookie = newOneTimeToken();
  const now = clock.now();
  await store.collection(portalSessions).insert({
    session_hash: hashToken(cookie),
    organization_id: opener.organization_id,
    ...openedBy(opener),
    ...{ created_at: toTimestamp(now), last_seen_at: toTimestamp(now) },
    expires_at: toTimestamp(now + SESSION_LIFE_MS),
    clicks: [],
    revision: 1,
  });
  return cookie;
}

function openedBy(opener: PortalOpener): Pick<PortalSession, 'api_key_id' | 'user_id' | 'grant_id'> {
  if ('api_key_id' in opener) return { api_key_id: opener.api_key_id ?? NO_KEY };
  const { user_id, grant_id } = opener;
  return { api_key_id: ACCOUNT, user_id, ...(grant_id !== undefined && { grant_id }) };
}

/**
 * Whom this cookie's value stands for; undefined once its session has ended: by time, by idleness, with its key or that key's scope, with
 * its person's membership, account or leave, or while the organization is suspended. Nothing is remembered: an end counts in every process at once.
 */
export async function callerOfPortal(deps: PortalSessionDeps, cookie: string): Promise<PortalCaller | undefined> {
  const { store, clock } = deps;
  const rows = store.collection(portalSessions);
  const row = await rows.get(hashToken(cookie));
  const now = clock.now();
  if (row === undefined || toTimestamp(now) >= row.expires_at) return undefined;
  const idleMs = now - fromTimestamp(row.last_seen_at);
  if (idleMs >= IDLE_LIFE_MS) return undefined;
  const organization = await store.collection(organizations).get(row.organization_id);
  if (organization === undefined || isSuspended(organization)) return undefined;
  const scopes = await scopesOf(deps, row, organization);
  if (scopes === undefined) return undefined;
  if (idleMs >= LAST_SEEN_GRAIN_MS) {
    await rows.update(row.session_hash, (stored) => ({ ...stored, last_seen_at: toTimestamp(now) }));
  }
  const { organization_id, user_id, grant_id } = row;
  return {
    ...{ organization_id, name: organization.name, scopes },
    ...(user_id !== undefined && grant_id === undefined && { user_id }),
  };
}

/** What a session may do; undefined once what opened it has ended. */
async function scopesOf(
  { store, clock, accounts }: PortalSessionDeps,
  { api_key_id, user_id, grant_id }: PortalSession,
  organization: Organization,
): Promise<readonly Scope[] | undefined> {
  if (user_id !== undefined) {
    const scopes = await accounts?.scopesOf(grant_id);
    const mayRead = scopes?.includes('webhooks:read') === true;
    return mayRead && (await roleIn(store, organization, user_id)) !== undefined ? scopes : undefined;
  }
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

/** Has the session of a person go on as one of another organization of theirs; where it is no such session any more, nothing. */
export async function goOnAs(
  { store }: Pick<Deps, 'store'>,
  cookie: string,
  { user_id, organization_id }: { user_id: string; organization_id: OrganizationId },
): Promise<void> {
  await store
    .collection(portalSessions)
    .update(hashToken(cookie), (row) =>
      row.user_id === user_id && row.grant_id === undefined ? { ...row, organization_id } : undefined,
    );
}

/** Ends the session of a cookie's value, if there is one, everywhere at once, and what a person had allowed for it. */
export async function endPortalSession(
  { store, accounts }: Pick<PortalSessionDeps, 'store' | 'accounts'>,
  cookie: string | undefined,
): Promise<void> {
  if (cookie === undefined) return;
  const rows = store.collection(portalSessions);
  const row = await rows.get(hashToken(cookie));
  if (row === undefined) return;
  // The grant first, as long as the session still names it: killed between, it is done by doing it again.
  if (row.grant_id !== undefined) await accounts?.end(row.grant_id);
  await rows.delete(row.session_hash);
}

const OLDEST_FIRST = { field: 'created_at', direction: 'asc' } as const;

/**
 * Ends all sessions of an organization, its links that nobody has used, and by `endGrant` what people had allowed for their sessions.
 * Answers how many sessions.
 */
export async function endPortalSessionsOf(
  deps: Deps,
  organization_id: OrganizationId,
  endGrant: (grant_id: string) => Promise<unknown>,
): Promise<number> {
  await endPortalLinks(deps, organization_id);
  const rows = deps.store.collection(portalSessions);
  let ended = 0;
  for await (const { session_hash, grant_id } of allRows(rows, { where: { organization_id }, sort: OLDEST_FIRST })) {
    if (grant_id !== undefined) await endGrant(grant_id);
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
