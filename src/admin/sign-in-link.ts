import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { toTimestamp } from '../platform/clock.ts';
import type { Clock } from '../platform/clock.ts';
import type { SecurityLog } from '../platform/security/security-log.ts';
import type { CollectionSpec, Store } from '../platform/store/collection.ts';

const SignInLink = z.object({
  token_hash: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  used_at: z.string().nullable(),
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

export interface SignInDeps {
  store: Store;
  clock: Clock;
  security: SecurityLog;
}

/** A link that signs one person in, once, within 15 minutes. `baseUrl` is the origin the console is reached at. */
export async function createSignInLink(
  { store, clock }: Pick<SignInDeps, 'store' | 'clock'>,
  baseUrl: string,
): Promise<string> {
  const token = newSignInToken();
  const now = clock.now();
  await store.collection(signInLinks).insert({
    token_hash: hashToken(token),
    created_at: toTimestamp(now),
    expires_at: toTimestamp(now + LINK_LIFE_MS),
    used_at: null,
    revision: 1,
  });
  const link = new URL('/admin/sign-in', baseUrl);
  link.searchParams.set('token', token);
  return link.href;
}

/** Uses a link up. Of any number of attempts at one link, at once or later, one answers true. */
export async function redeemSignInToken({ store, clock, security }: SignInDeps, token: string): Promise<boolean> {
  const now = toTimestamp(clock.now());
  const result = await store
    .collection(signInLinks)
    .update(hashToken(token), (link) =>
      link.used_at === null && now < link.expires_at ? { ...link, used_at: now } : undefined,
    );
  const isGood = result?.changed === true;
  security.record(isGood ? 'console.signed_in' : 'console.link_refused');
  return isGood;
}

/** 256 random bits in base64url. */
export function newSignInToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a token: SHA-256 in hex. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
