import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { hashToken, newOneTimeToken } from '../../platform/crypto/one-time-token.ts';
import { AppError } from '../../platform/errors.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';
import { apiKeys } from '../api-key/api-key.ts';
import type { ApiKey } from '../api-key/api-key.ts';
import { endOf } from '../api-key/good-key.ts';
import { organizations } from '../organization/organization.ts';
import { isSuspended } from '../organization/suspension.ts';

/** A one-time link into the buyers' portal; only its token's hash is stored. */
const PortalLink = z.object({
  link_id: z.string(),
  token_hash: z.string(),
  organization_id: OrganizationId,
  /** The key that made it, with which it ends, and what it opens; null: an operator made it. */
  api_key_id: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
  used_at: z.string().nullable(),
  revision: z.number().int(),
});
type PortalLink = z.infer<typeof PortalLink>;

export const portalLinks: CollectionSpec<PortalLink> = {
  name: 'portal_links',
  key: 'link_id',
  schema: PortalLink,
  indexes: [
    { name: 'token_hash', fields: ['token_hash'], unique: true },
    { name: 'organization', fields: ['organization_id', 'created_at'] },
  ],
  expires: 'expires_at',
};

const LINK_LIFE_MS = 15 * 60_000;

interface PortalLinkDeps {
  store: Store;
  clock: Clock;
  security: SecurityLog;
}

/** A link, shown to whoever made it and never again. */
export const MadePortalLink = z.object({
  portal_url: z
    .string()
    .describe('Opens the portal once: it shows a page with a button, and looking at that uses nothing up'),
  expires_at: z.string().describe('15 minutes after it was made'),
});
export type MadePortalLink = z.infer<typeof MadePortalLink>;

/** Whose link it is to be, and by which click: one that comes twice replaces the link that nobody has used. */
interface Asked {
  organization_id: OrganizationId;
  api_key_id: string | null;
  click: string;
}

/**
 * Makes a link that opens the portal once, within 15 minutes.
 * @param baseUrl The origin the portal is reached at.
 * @throws {AppError} `INVALID_STATE` for a click whose link has been used.
 */
export async function createPortalLink(
  { store, clock }: Pick<PortalLinkDeps, 'store' | 'clock'>,
  { organization_id, api_key_id, click }: Asked,
  baseUrl: string,
): Promise<MadePortalLink> {
  const token = newOneTimeToken();
  const now = clock.now();
  const row: PortalLink = {
    ...{ link_id: `plk_${click}`, token_hash: hashToken(token), organization_id, api_key_id },
    ...{ created_at: toTimestamp(now), expires_at: toTimestamp(now + LINK_LIFE_MS), used_at: null, revision: 1 },
  };
  const rows = store.collection(portalLinks);
  const { inserted } = await rows.insert(row);
  if (!inserted) {
    const { token_hash, expires_at } = row;
    const again = await rows.update(row.link_id, (one) =>
      one.used_at === null ? { ...one, token_hash, expires_at } : undefined,
    );
    if (again?.changed !== true)
      throw new AppError('INVALID_STATE', 'this link was made and used, and is not made anew; make another');
  }
  const link = new URL('/portal/sign-in', baseUrl);
  link.searchParams.set('link', token);
  return { portal_url: link.href, expires_at: row.expires_at };
}

/** Whom a link would let in now. */
export interface PortalGuest {
  organization_id: OrganizationId;
  /** The organization's name. */
  name: string;
  api_key_id: string | null;
}

/** Undefined for a link that is unknown, used, old, of a key that has ended, or of an organization that is suspended. Uses nothing up. */
export async function guestOfLink(
  deps: Pick<PortalLinkDeps, 'store' | 'clock'>,
  token: string,
): Promise<PortalGuest | undefined> {
  const link = await linkOf(deps, token);
  return link === undefined ? undefined : guestOf(deps, link);
}

/** Uses a link up. Of any number of attempts at one link, at once or later, one answers whom it lets in. */
export async function redeemPortalLink(deps: PortalLinkDeps, token: string): Promise<PortalGuest | undefined> {
  const link = await linkOf(deps, token);
  const guest = link && (await guestOf(deps, link));
  if (link === undefined || guest === undefined) return undefined;
  const used_at = toTimestamp(deps.clock.now());
  const outcome = await deps.store
    .collection(portalLinks)
    .update(link.link_id, (row) => (isGood(row, deps, link.token_hash) ? { ...row, used_at } : undefined));
  if (outcome?.changed !== true) return undefined;
  deps.security.record('portal.link_used', { organization_id: guest.organization_id, target: link.link_id });
  return guest;
}

/** Ends the links of an organization that nobody has used. */
export async function endPortalLinks(
  { store, clock }: Pick<PortalLinkDeps, 'store' | 'clock'>,
  organization_id: OrganizationId,
): Promise<void> {
  const rows = store.collection(portalLinks);
  const since = toTimestamp(clock.now() - LINK_LIFE_MS);
  const { rows: open } = await rows.find({ where: { organization_id, created_at: { gte: since } }, limit: 1000 });
  for (const { link_id } of open) await rows.delete(link_id);
}

/** Whether a key lets anybody into the portal now. */
export function opensPortal(key: ApiKey, now: number): boolean {
  return key.revoked_at === null && now < endOf(key) && key.scopes.includes('webhooks:read');
}

async function linkOf(deps: Pick<PortalLinkDeps, 'store' | 'clock'>, token: string): Promise<PortalLink | undefined> {
  const token_hash = hashToken(token);
  const [link] = (await deps.store.collection(portalLinks).find({ where: { token_hash }, limit: 1 })).rows;
  return link !== undefined && isGood(link, deps, token_hash) ? link : undefined;
}

function isGood(link: PortalLink, { clock }: Pick<PortalLinkDeps, 'clock'>, token_hash: string): boolean {
  return link.token_hash === token_hash && link.used_at === null && toTimestamp(clock.now()) < link.expires_at;
}

async function guestOf(
  { store, clock }: Pick<PortalLinkDeps, 'store' | 'clock'>,
  { organization_id, api_key_id }: PortalLink,
): Promise<PortalGuest | undefined> {
  const [organization, key] = await Promise.all([
    store.collection(organizations).get(organization_id),
    api_key_id === null ? undefined : store.collection(apiKeys).get(api_key_id),
  ]);
  if (organization === undefined || isSuspended(organization)) return undefined;
  if (api_key_id !== null && (key === undefined || !opensPortal(key, clock.now()))) return undefined;
  return { organization_id, name: organization.name, api_key_id };
}
