import { z } from 'zod';
import type { Clock } from '../../../src/platform/clock.ts';
import { createEmbeddedStore } from '../../../src/platform/store/sqlite/collection-embedded.ts';
import { createMongoStore } from '../../../src/platform/store/mongo/collection-mongo.ts';
import type { Collection, CollectionSpec, Migration, Store } from '../../../src/platform/store/collection.ts';
import { createLogger } from '../../../src/platform/log.ts';

/** A noun with one field of each sort that the store treats in a way of its own. */
export const Thing = z.object({
  thing_id: z.string(),
  revision: z.number(),
  group: z.string(),
  rank: z.number().nullable(),
  label: z.string(),
  email: z.string().nullable().optional(),
  open: z.boolean(),
  body: z.unknown(),
  expires_at: z.string().nullable(),
});
export type Thing = z.infer<typeof Thing>;

export const Things: CollectionSpec<Thing> = {
  name: 'things',
  key: 'thing_id',
  schema: Thing,
  indexes: [
    { name: 'by_rank', fields: ['group', 'rank'], holds: ['label'] },
    { name: 'by_label', fields: ['group', 'label'] },
    { name: 'open_label', fields: ['group', 'label'], unique: true, where: { open: true } },
    { name: 'email', fields: ['email'], unique: true },
    { name: 'open_rank', fields: ['rank'], where: { open: true } },
  ],
  tells: ['group', 'email'],
  expires: 'expires_at',
};

/** A migration of things. */
export const toNewLabel: Migration = {
  to: 2,
  what: 'every label is new',
  migrate: (row) => ({ ...row, label: 'new' }),
};

export function thing(id: string, fields: Partial<Thing> = {}): Thing {
  return {
    thing_id: id,
    revision: 1,
    group: 'none',
    rank: null,
    label: id,
    open: false,
    body: {},
    expires_at: null,
    ...fields,
  };
}

export interface OpenOptions {
  clock?: Clock;
  timeoutMs?: number;
  sweepEveryMs?: number;
}

/** The store of this target: a MongoDB URL that names a database, or a file. */
export function openTarget(target: string, options: OpenOptions = {}): Store {
  const logger = createLogger('silent');
  if (target.startsWith('mongodb')) return createMongoStore({ url: target, logger, ...options });
  return createEmbeddedStore({ file: target, logger, ...options });
}

/** A body large enough to span pages, of which a part would show. */
export function wholeBody(rank: number): { copy: number; pad: string } {
  return { copy: rank, pad: `${rank};`.repeat(2500) };
}

/** Adds one to the rank of this thing, by the collection's own `update`. */
export async function addByUpdate(things: Collection<Thing>, id: string): Promise<void> {
  const outcome = await things.update(id, (row) => ({ ...row, rank: (row.rank ?? 0) + 1 }));
  if (!outcome?.changed) throw new Error(`${id} was not changed`);
}

/** Adds one to the rank of this thing, by get and replace until no other writer comes first. */
export async function addByReplace(things: Collection<Thing>, id: string): Promise<void> {
  for (;;) {
    const row = await things.get(id);
    if (!row) throw new Error(`${id} is gone`);
    if (await things.replace({ ...row, rank: (row.rank ?? 0) + 1 })) return;
  }
}
