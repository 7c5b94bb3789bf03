import type { Model } from 'mongoose';
import type { CollectionSpec, IndexSpec, Row, Scalar } from '../collection.ts';
import type { Filter } from './mongo-filter.ts';
import { documentField } from './mongo-model.ts';
import type { Document } from './mongo-model.ts';

/**
 * What keeps a row out after the server refused it as a duplicate: `key`, or the name of a unique index; undefined when
 * nothing does any more. Deletes what had expired. Looks instead of reading the error, which compatible servers word as they like.
 */
export async function findDuplicate<R extends Row>(
  model: Model<Document>,
  spec: CollectionSpec<R>,
  row: R,
  options: { inserting: boolean; nowMs: number },
): Promise<string | undefined> {
  const key = row[spec.key] as string;
  const now = new Date(options.nowMs);
  const blocks = async (filter: Filter): Promise<boolean> => {
    const blocker = await model.findOne(filter, { _expires_at: 1 }).lean();
    if (!blocker) return false;
    if (!blocker._expires_at || blocker._expires_at > now) return true;
    await model.collection.deleteOne({ _id: blocker._id as never, _expires_at: { $lte: now } });
    return false;
  };
  if (options.inserting && (await blocks({ _id: key }))) return 'key';
  for (const index of spec.indexes) {
    const filter = sameIn(spec, index, row);
    if (filter && (await blocks({ ...filter, _id: { $ne: key } }))) return index.name;
  }
  return undefined;
}

/** What of a row no other row may have, as one text each: its key, and its values in each unique index that holds it. */
export function placesOf<R extends Row>(spec: CollectionSpec<R>, row: R): string[] {
  const places = spec.indexes.map((index) => [index.name, sameIn(spec, index, row)] as const);
  const taken = places.filter(([, filter]) => filter !== undefined);
  return [['key', row[spec.key]], ...taken].map((place) => JSON.stringify(place));
}

/** The rows with the same values in a unique index; undefined when the index does not hold this row. */
function sameIn<R extends Row>(spec: CollectionSpec<R>, index: IndexSpec<R>, row: R): Filter | undefined {
  if (!index.unique || index.fields.includes(spec.key)) return undefined;
  const filter: Filter = {};
  for (const [field, value] of Object.entries<Scalar | undefined>(index.where ?? {})) {
    if (((row as Record<string, unknown>)[field] ?? null) !== value) return undefined;
    filter[documentField(spec, field)] = value;
  }
  for (const field of index.fields) {
    const value = row[field] ?? null;
    if (value === null) return undefined;
    filter[field] = value;
  }
  return filter;
}
