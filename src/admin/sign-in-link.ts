import { z } from 'zod';
import { OPERATOR_ROLES, SHARED_KEY_NAME } from '../directory/operator/operator.ts';
import type { OperatorRole } from '../directory/operator/operator.ts';
import { activePerson, addPerson, hasAdmin } from '../directory/operator/person.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import { hashToken, newOneTimeToken } from '../platform/crypto/one-time-token.ts';
import type { SecurityLog } from '../platform/security/security-log.ts';
import type { CollectionSpec, Store } from '../platform/store/collection.ts';

const SignInLink = z.object({
  token_hash: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  used_at: z.string().nullable(),
  /** Whom it signs in; null and absent: whoever holds the shared key. */
  person_id: z.string().nullable().optional(),
  /** The role that the shared key's session gets; absent: admin. */
  role: z.enum(OPERATOR_ROLES).optional(),
  /** Of a link of the shared key: whoever opens it while there is no admin by name becomes the first. */
  makes_first_admin: z.boolean().optional(),
  revision: z.number().int(),
});
type SignInLink = z.infer<typeof SignInLink>;

/** Links into the console; only the token's hash is stored. */
export const signInLinks: CollectionSpec<SignInLink> = {
  name: 'console_sign_in_links',
  key: 'token_hash',
  schema: SignInLink,
  indexes: [],
  expires: 'expires_at',
};

const LINK_LIFE_MS = 15 * 60_000;
/** An invitation goes by mail. */
const INVITATION_LIFE_MS = 24 * 3_600_000;

export interface SignInDeps {
  store: Store;
  clock: Clock;
  ids: Ids;
  security: SecurityLog;
}

/** Whom a link signs in. */
export interface LinkHolder {
  /** Null: whoever holds the shared key. */
  person_id: string | null;
  /** Of the shared key's session; a person has their own. */
  role: OperatorRole;
}

const SHARED: LinkHolder = { person_id: null, role: 'admin' };

interface LinkOptions {
  /** Goes by mail, and is good for longer. */
  isInvitation?: boolean;
  /** Of the shared key's: opened while there is no admin by name, it makes one of who says theirs. */
  makesFirstAdmin?: boolean;
}

/** A link that signs one person in, once, within 15 minutes, or 24 hours. `baseUrl` is the origin the console is reached at. */
export async function createSignInLink(
  { store, clock }: Pick<SignInDeps, 'store' | 'clock'>,
  baseUrl: string,
  { person_id, role }: LinkHolder = SHARED,
  { isInvitation = false, makesFirstAdmin = false }: LinkOptions = {},
): Promise<string> {
  const token = newOneTimeToken();
  const now = clock.now();
  await store.collection(signInLinks).insert({
    token_hash: hashToken(token),
    created_at: toTimestamp(now),
    expires_at: toTimestamp(now + (isInvitation ? INVITATION_LIFE_MS : LINK_LIFE_MS)),
    used_at: null,
    ...{ person_id, role },
    ...(makesFirstAdmin && { makes_first_admin: true }),
    revision: 1,
  });
  const link = new URL('/admin/sign-in', baseUrl);
  link.searchParams.set('token', token);
  return link.href;
}

/** What a link would do now. */
export interface LinkSight {
  /** Of whom it signs in. */
  name: string;
  /** Whether it asks for a name instead, since nobody is an admin by name yet, or whoever it has made one is not signed in yet. */
  asksName: boolean;
}

/** Undefined for a link that is unknown, used, old, or of somebody who has gone. */
export async function lookAtLink(deps: SignInDeps, token: string): Promise<LinkSight | undefined> {
  const link = await deps.store.collection(signInLinks).get(hashToken(token));
  const name = link && isGood(link, deps) ? await nameOf(deps, link) : undefined;
  if (link === undefined || name === undefined) return undefined;
  const isFirst = async () => !(await hasAdmin(deps)) || (await activePerson(deps, `person_${clickOf(token)}`));
  return { name, asksName: link.makes_first_admin === true && Boolean(await isFirst()) };
}

/** Of each link its own, so that whoever follows it twice is one person. */
function clickOf(token: string): string {
  return `first-${hashToken(token)
    .replaceAll(/[^a-zA-Z0-9]/g, '')
    .slice(0, 32)}`;
}

/**
 * Makes whoever holds a link that {@link lookAtLink} says asks for a name the first admin, and uses it up; of any number of attempts at
 * once one does, and one person is made. Undefined where the link has been used. @throws {AppError} for a name that is somebody's.
 */
export async function signInFirstAdmin(deps: SignInDeps, token: string, name: string): Promise<LinkHolder | undefined> {
  const made = { name, role: 'admin', by: SHARED_KEY_NAME, click: clickOf(token) } as const;
  const { person_id, role } = await addPerson(deps, made);
  const holder = await redeemSignInToken(deps, token);
  if (holder === undefined) return undefined;
  deps.security.record('person.invited', { subject: SHARED_KEY_NAME, target: person_id, reason: 'the first admin' });
  return { person_id, role };
}

/** Uses a link up. Of any number of attempts at one link, at once or later, one answers whom it signs in. */
export async function redeemSignInToken(deps: SignInDeps, token: string): Promise<LinkHolder | undefined> {
  const used_at = toTimestamp(deps.clock.now());
  const result = await deps.store
    .collection(signInLinks)
    .update(hashToken(token), (link) => (isGood(link, deps) ? { ...link, used_at } : undefined));
  const name = result?.changed === true ? await nameOf(deps, result.row) : undefined;
  deps.security.record(name === undefined ? 'console.link_refused' : 'console.signed_in', { subject: name });
  if (result === undefined || name === undefined) return undefined;
  const { person_id = null, role = 'admin' } = result.row;
  return { person_id, role };
}

function isGood({ used_at, expires_at }: SignInLink, { clock }: SignInDeps): boolean {
  return used_at === null && toTimestamp(clock.now()) < expires_at;
}

async function nameOf(deps: SignInDeps, { person_id = null }: SignInLink): Promise<string | undefined> {
  return person_id === null ? SHARED_KEY_NAME : (await activePerson(deps, person_id))?.name;
}
