import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Collection, CollectionSpec } from '../../platform/store/collection.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import { SCOPES } from '../caller.ts';
import type { Scope } from '../caller.ts';

/** What makes keys besides people: `BOOTSTRAP_API_KEY`, and `npm start` for its demo. */
const API_KEY_SLOTS = ['bootstrap', 'demo'] as const;
export type ApiKeySlot = (typeof API_KEY_SLOTS)[number];

/** An organization's API key (rule R13). The key itself is shown once, when it is made; only its SHA-256 is stored. */
export const ApiKey = z.object({
  api_key_id: z.string(),
  key_hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** The key's last four characters, so that a person can tell keys apart. */
  key_hint: z.string(),
  organization_id: OrganizationId,
  name: z.string().max(200),
  scopes: z.array(z.enum(SCOPES)),
  created_at: z.string(),
  /** Accurate to a minute. */
  last_used_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  /** Of a key that a setting or a start of the demo makes: a new value in its slot revokes the former one. */
  slot: z.enum(API_KEY_SLOTS).optional(),
  /** The person who made it. It is the organization's, and stays when they leave. Absent: not a person, or from before this was kept. */
  made_by: z.string().optional(),
  /** From when on it is as good as revoked; null: never. */
  expires_at: z.string().nullable().default(null),
  /** The key that was made in its place by a reroll; absent: none was. */
  replaced_by: z.string().optional(),
  /** The first key of the line that a reroll has put this one in; absent: itself. What it sends is that one's (`clientOf`). */
  client_id: z.string().optional(),
  /** When it was to end by itself before it was first rerolled, null: never; absent: as `expires_at` says. */
  planned_expires_at: z.string().nullable().optional(),
  revision: z.number().int(),
});
export type ApiKey = z.infer<typeof ApiKey>;

export const apiKeys: CollectionSpec<ApiKey> = {
  name: 'api_keys',
  key: 'api_key_id',
  schema: ApiKey,
  indexes: [
    { name: 'key_hash', fields: ['key_hash'], unique: true },
    { name: 'organization', fields: ['organization_id', 'created_at'] },
    { name: 'hint', fields: ['key_hint', 'created_at'] },
    { name: 'unrevoked', fields: ['organization_id', 'revoked_at'] },
    { name: 'used', fields: ['organization_id', 'last_used_at'] },
    { name: 'maker', fields: ['organization_id', 'made_by', 'revoked_at'] },
  ],
};

export interface ApiKeyDeps {
  keys: Collection<ApiKey>;
  clock: Clock;
  ids: Ids;
  security: SecurityLog;
}

export interface NewApiKey {
  organization_id: OrganizationId;
  name: string;
  /** Default: every scope. */
  scopes?: readonly Scope[];
  slot?: ApiKeySlot;
  made_by?: string;
  client_id?: string;
  /** Default: it never ends by itself. */
  expires_at?: string | undefined;
}

/** Makes a key of 256 random bits. `raw` is the only copy there will ever be. */
export async function createApiKey(deps: ApiKeyDeps, given: NewApiKey): Promise<{ raw: string; key: ApiKey }> {
  const raw = `mk_live_${randomBytes(32).toString('base64url')}`;
  return { raw, key: await registerApiKey(deps, raw, given) };
}

/**
 * Makes a key by a click that may come twice: a repeat replaces the key that nobody was shown, under the same id.
 * @param click of letters, digits and `-`.
 * @throws {AppError} `INVALID_STATE` for a repeat once the key is in use or revoked.
 */
export async function createApiKeyOnce(
  deps: ApiKeyDeps,
  click: string,
  given: NewApiKey,
): Promise<{ raw: string; key: ApiKey }> {
  const raw = `mk_live_${randomBytes(32).toString('base64url')}`;
  const [key_hash, key_hint] = [hashApiKey(raw), raw.slice(-4)];
  const again = await deps.keys.update(`key_${click}`, (row) =>
    row.organization_id === given.organization_id ? { ...replaceable(row), key_hash, key_hint } : undefined,
  );
  if (again?.changed === true) return { raw, key: again.row };
  return { raw, key: await registerApiKey({ ...deps, ids: { newId: () => click } }, raw, given) };
}

/** @throws {AppError} `INVALID_STATE` for a key that somebody works with, or that was ended. */
function replaceable(row: ApiKey): ApiKey {
  if (row.last_used_at === null && row.revoked_at === null) return row;
  throw new AppError('INVALID_STATE', 'this key was made and shown, and is not made anew; make another');
}

/**
 * Stores a key chosen elsewhere, such as `BOOTSTRAP_API_KEY`. Doing it again changes nothing, also when several
 * processes do it at once; the answer is the key as stored first.
 * @throws {AppError} `VALIDATION_ERROR` for a weak key, `CONFLICT` when another organization holds it.
 */
export async function registerApiKey(deps: ApiKeyDeps, raw: string, given: NewApiKey): Promise<ApiKey> {
  assertStrong(raw);
  const row: ApiKey = {
    api_key_id: `key_${deps.ids.newId()}`,
    key_hash: hashApiKey(raw),
    key_hint: raw.slice(-4),
    organization_id: given.organization_id,
    name: given.name,
    scopes: [...(given.scopes ?? SCOPES)],
    created_at: toTimestamp(deps.clock.now()),
    last_used_at: null,
    revoked_at: null,
    ...(given.slot !== undefined && { slot: given.slot }),
    ...(given.made_by !== undefined && { made_by: given.made_by }),
    ...(given.client_id !== undefined && { client_id: given.client_id }),
    expires_at: given.expires_at ?? null,
    revision: 1,
  };
  const result = await deps.keys.insert(row);
  if (result.inserted) {
    deps.security.record('api_key.made', { target: row.api_key_id, organization_id: row.organization_id });
    return row;
  }
  const existing = (await deps.keys.find({ where: { key_hash: row.key_hash }, limit: 1 })).rows[0];
  if (existing?.organization_id !== given.organization_id)
    throw new AppError('CONFLICT', 'this API key belongs to another organization; choose a new one');
  return existing;
}

/** An organization's keys, newest first, revoked ones included. */
export async function listApiKeys(keys: Collection<ApiKey>, organizationId: OrganizationId): Promise<ApiKey[]> {
  const page = await keys.find({
    where: { organization_id: organizationId },
    sort: { field: 'created_at', direction: 'desc' },
    limit: 1000,
  });
  return page.rows;
}

/** The keys of an organization that somebody made and nobody has revoked; expired ones are among them. */
export function unrevokedKeysOf(
  keys: Collection<ApiKey>,
  { organization_id, made_by }: { organization_id: OrganizationId; made_by: string },
): AsyncGenerator<ApiKey> {
  return allRows(keys, { where: { organization_id, made_by, revoked_at: null } });
}

/**
 * Revokes a key for good; other processes notice within the authenticator's few seconds. Revoking again changes nothing.
 * @throws {AppError} `NOT_FOUND` for an unknown id and for another organization's key alike (rule T5).
 */
export async function revokeApiKey(
  deps: Pick<ApiKeyDeps, 'keys' | 'clock' | 'security'>,
  organizationId: OrganizationId,
  apiKeyId: string,
): Promise<ApiKey> {
  const revoked_at = toTimestamp(deps.clock.now());
  const result = await deps.keys.update(apiKeyId, (key) =>
    key.organization_id === organizationId && key.revoked_at === null ? { ...key, revoked_at } : undefined,
  );
  if (result?.row.organization_id !== organizationId) throw new AppError('NOT_FOUND', 'no such API key');
  if (result.changed) deps.security.record('api_key.revoked', { target: apiKeyId, organization_id: organizationId });
  return result.row;
}

/** Whether a key was ever stored, revoked or not. */
export async function isStoredApiKey(keys: Collection<ApiKey>, raw: string): Promise<boolean> {
  return (await keys.count({ key_hash: hashApiKey(raw) })) > 0;
}

/** What is stored of a key: SHA-256 in hex. Keys carry 256 random bits, so no slow hash is needed. */
export function hashApiKey(raw: string): string {
  return createHash('sha256').update(raw).digest('hex');
}

/** Bounds of a key's length; whatever is outside them cannot be one. */
export const API_KEY_LENGTH = { min: 32, max: 256 } as const;

function assertStrong(raw: string): void {
  const weakness = weaknessOf(raw);
  if (weakness !== undefined) throw new AppError('VALIDATION_ERROR', `an API key ${weakness}`);
}

/** What makes a chosen key too weak, as "must …"; undefined when nothing does. */
export function weaknessOf(raw: string): string | undefined {
  const { min, max } = API_KEY_LENGTH;
  if (!/^[A-Za-z0-9_.~+/=-]*$/.test(raw)) return 'must hold only letters, digits and the characters _ . ~ + / = -';
  if (raw.length < min || raw.length > max) return `must have ${min} to ${max} characters`;
  if (new Set(raw).size < 8) return 'must have at least 8 different characters; use a random one';
  return undefined;
}
