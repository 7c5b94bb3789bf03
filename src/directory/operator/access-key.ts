import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';
import { lesserRole, OPERATOR_ROLES } from './operator.ts';
import type { Operator, OperatorRole } from './operator.ts';
import { activePerson, assertNotReserved, knownPerson } from './person.ts';
import type { PeopleDeps } from './person.ts';

/** A key of the operator API with a name, a role and an end (rule S5). Shown once; only its SHA-256 is stored. */
export const OperatorAccessKey = z.strictObject({
  operator_key_id: z.string(),
  key_hash: z.string(),
  /** The key's last four characters. */
  key_hint: z.string(),
  /** What people call it; on record, where no person stands behind it. */
  name: z.string(),
  /** At most; a person's key never has more than the person. */
  role: z.enum(OPERATOR_ROLES),
  /** Whose it is; null for a program's. */
  person_id: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string(),
  /** Null: never. */
  expires_at: z.string().nullable(),
  /** Accurate to a minute. */
  last_used_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  revision: z.int(),
});
export type OperatorAccessKey = z.infer<typeof OperatorAccessKey>;

export const OperatorAccessKeys: CollectionSpec<OperatorAccessKey> = {
  name: 'operator_access_keys',
  key: 'operator_key_id',
  schema: OperatorAccessKey,
  indexes: [
    { name: 'key_hash', fields: ['key_hash'], unique: true },
    { name: 'created', fields: ['created_at'] },
    { name: 'person', fields: ['person_id', 'created_at'] },
  ],
};

/** What is said of a new key. */
export interface NewAccessKey {
  name: string;
  role: OperatorRole;
  person_id?: string | undefined;
  /** Days from now; absent: it does not end by itself. */
  days?: number | undefined;
  by: string;
  /** The same for the same click: a repeat replaces the key that nobody was shown. */
  click: string;
}

const DAY_MS = 86_400_000;
const LAST_USE_GRAIN_MS = 60_000;

/** Makes a key of 256 random bits; `raw` is the only copy there will ever be. @throws {AppError} `NOT_FOUND` for the person; `INVALID_STATE` for a repeat once the key is in use or revoked. */
export async function addAccessKey(
  deps: PeopleDeps,
  { name, role, person_id, days, by, click }: NewAccessKey,
): Promise<{ raw: string; key: OperatorAccessKey }> {
  assertNotReserved(name);
  const person = person_id === undefined ? undefined : await knownPerson(deps, person_id);
  const raw = `op_live_${randomBytes(32).toString('base64url')}`;
  const now = deps.clock.now();
  const key: OperatorAccessKey = {
    operator_key_id: `opkey_${click}`,
    ...{ key_hash: hashOf(raw), key_hint: raw.slice(-4), name, person_id: person_id ?? null },
    role: person === undefined ? role : lesserRole(role, person.role),
    ...{ created_at: toTimestamp(now), created_by: by, last_used_at: null, revoked_at: null },
    expires_at: days === undefined ? null : toTimestamp(now + days * DAY_MS),
    revision: 1,
  };
  const keys = deps.store.collection(OperatorAccessKeys);
  const { inserted } = await keys.insert(key);
  const { key_hash, key_hint } = key;
  if (!inserted) await keys.update(key.operator_key_id, (row) => ({ ...replaceable(row), key_hash, key_hint }));
  return { raw, key };
}

/** @throws {AppError} `INVALID_STATE` for a key that somebody works with, or that was ended. */
function replaceable(row: OperatorAccessKey): OperatorAccessKey {
  if (row.last_used_at === null && row.revoked_at === null) return row;
  throw new AppError('INVALID_STATE', 'this key was made and shown, and is not made anew; make another');
}

/**
 * Who holds this key, as it and its person stand now; undefined for one that is unknown, revoked or over, or whose person has gone.
 * Nothing is remembered, so that an end counts in every process at once.
 */
export async function operatorOfAccessKey(
  deps: Pick<PeopleDeps, 'store' | 'clock'>,
  raw: string,
): Promise<Operator | undefined> {
  if (raw.length > 256) return undefined;
  const rows = deps.store.collection(OperatorAccessKeys);
  const key = (await rows.find({ where: { key_hash: hashOf(raw) }, limit: 1 })).rows[0];
  const now = deps.clock.now();
  if (key?.revoked_at !== null || (key.expires_at !== null && key.expires_at <= toTimestamp(now))) return undefined;
  const credential = { kind: 'operator_key', id: key.operator_key_id } as const;
  const { person_id, name, role } = key;
  const person = person_id === null ? undefined : await activePerson(deps, person_id);
  if (person_id !== null && person === undefined) return undefined;
  if (key.last_used_at === null || now - fromTimestamp(key.last_used_at) >= LAST_USE_GRAIN_MS) {
    await rows.update(key.operator_key_id, (row) => ({ ...row, last_used_at: toTimestamp(now) }));
  }
  if (person === undefined) return { name, role, person_id, credential };
  return { name: person.name, role: lesserRole(role, person.role), person_id, credential };
}

/** Revokes a key for good, in every process at once; again changes nothing. @throws {AppError} `NOT_FOUND`. */
export async function revokeAccessKey(
  { store, clock }: Pick<PeopleDeps, 'store' | 'clock'>,
  operator_key_id: string,
): Promise<OperatorAccessKey> {
  const revoked_at = toTimestamp(clock.now());
  const result = await store
    .collection(OperatorAccessKeys)
    .update(operator_key_id, (row) => (row.revoked_at === null ? { ...row, revoked_at } : undefined));
  if (result !== undefined) return result.row;
  throw new AppError('NOT_FOUND', 'no operator key has this id', { field: 'operator_key_id' });
}

/** Revokes all keys of a person. Answers how many it has revoked. */
export async function revokeKeysOfPerson(
  deps: Pick<PeopleDeps, 'clock'> & { store: Store },
  person_id: string,
): Promise<number> {
  const { rows } = await deps.store.collection(OperatorAccessKeys).find({ where: { person_id }, limit: 1000 });
  const living = rows.filter(({ revoked_at }) => revoked_at === null);
  for (const { operator_key_id } of living) await revokeAccessKey(deps, operator_key_id);
  return living.length;
}

function hashOf(raw: string): string {
  return createHash('sha256').update(raw).digest('hex');
}
