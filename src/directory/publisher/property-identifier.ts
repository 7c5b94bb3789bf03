import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';
import { isAbandoned, otherLists } from './property-list.ts';
import { publishers } from './publisher.ts';
import type { IdentifierList, RegistryProperty } from './publisher.ts';

/**
 * A hint that a publisher's file names a property by this identifier: whoever finds it asks the file. Written once and never changed,
 * before the publisher's row names its list.
 */
const PropertyIdentifier = z.object({
  hint_id: z.string(),
  /** Of its type and value (`identifierDigest`). */
  identifier: z.string(),
  /** Whose file it is in. */
  publisher_domain: z.string(),
  list_id: z.string(),
  created_at: z.string(),
  revision: z.number().int(),
});
type PropertyIdentifier = z.infer<typeof PropertyIdentifier>;

export const propertyIdentifiers: CollectionSpec<PropertyIdentifier> = {
  name: 'property_identifiers',
  key: 'hint_id',
  schema: PropertyIdentifier,
  indexes: [
    { name: 'identifier', fields: ['identifier', 'publisher_domain'] },
    { name: 'list', fields: ['publisher_domain', 'list_id'] },
  ],
};

/** What an identifier is found by. Values are compared as they are written. */
export function identifierDigest(type: string, value: string): string {
  return createHash('sha256')
    .update(JSON.stringify([type, value]))
    .digest('base64url');
}

/** Domains need no hint: their publisher is found by its own domain. */
export function isDomainType(type: string): boolean {
  return type === 'domain' || type === 'subdomain';
}

/** Hints written in one go. */
const AT_ONCE = 500;

/** What properties are found by: digests of their identifiers, in the order of their names. */
interface Hints {
  all: readonly string[];
  /** Of all of them together; null: there are none. */
  digest: string | null;
  /** There are more, by which nothing is found. */
  isCut: boolean;
}

/** Of the first `INPUT_LIMITS.publisherIdentifiers` identifiers that are no domains, in the order of the file, each once. */
async function hintsOf(properties: readonly RegistryProperty[]): Promise<Hints> {
  const found = new Set<string>();
  let isCut = false;
  await mapInSlices(properties, ({ identifiers }) => {
    for (const { type, value } of isCut ? [] : identifiers) {
      if (isDomainType(type)) continue;
      const digest = identifierDigest(type, value);
      isCut = found.size === INPUT_LIMITS.publisherIdentifiers && !found.has(digest);
      if (isCut) return;
      found.add(digest);
    }
  });
  const all = [...found].sort();
  const digest = all.length === 0 ? null : createHash('sha256').update(all.join()).digest('base64url');
  return { all, digest, isCut };
}

/** Whether properties have more identifiers than they are found by. */
export async function hasUnfoundIdentifiers(properties: readonly RegistryProperty[]): Promise<boolean> {
  return (await hintsOf(properties)).isCut;
}

/** How many rows {@link keepIdentifiers} would write. */
export async function identifiersToWrite(
  properties: readonly RegistryProperty[],
  present: IdentifierList | null | undefined,
): Promise<number> {
  const { all, digest } = await hintsOf(properties);
  return digest === present?.digest ? 0 : all.length;
}

/**
 * Writes hints of a list that a row is about to name, at most `INPUT_LIMITS.publisherIdentifiers`. The list that the row names already is
 * not written again; null: there are none.
 */
export async function keepIdentifiers(
  { store, nowMs }: { store: Store; nowMs: number },
  publisher_domain: string,
  properties: readonly RegistryProperty[],
  present: IdentifierList | null | undefined,
): Promise<IdentifierList | null> {
  const { all, digest } = await hintsOf(properties);
  if (digest === null) return null;
  if (present?.digest === digest) return present;
  const [list_id, created_at] = [randomUUID(), toTimestamp(nowMs)];
  for (let i = 0; i < all.length; i += AT_ONCE) {
    const some = all.slice(i, i + AT_ONCE);
    await store.collection(propertyIdentifiers).insertMany(
      some.map((identifier) => ({
        ...{ hint_id: `${list_id}.${identifier}`, identifier, publisher_domain, list_id, created_at, revision: 1 },
      })),
    );
  }
  return { list_id, digest };
}

/**
 * Removes the hints of the list that a row named before, and those of lists that nobody named, since who wrote them has died: by whoever
 * has written the row. Costs nothing where there are none: those of the list that is named are not looked at.
 */
export async function dropOtherIdentifiers(
  { store, nowMs }: { store: Store; nowMs: number },
  publisher_domain: string,
  replaced: IdentifierList | null | undefined,
): Promise<void> {
  const named = (await store.collection(publishers).get(publisher_domain))?.identifier_list?.list_id;
  const rows = store.collection(propertyIdentifiers);
  const gone: string[] = [];
  for (const list of otherLists(named))
    for await (const hint of allRows(rows, { where: { publisher_domain, ...list } }))
      if (hint.list_id === replaced?.list_id || isAbandoned(hint, nowMs)) gone.push(hint.hint_id);
  for (const hint of gone) await rows.delete(hint);
}
