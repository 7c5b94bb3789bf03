import { Schema } from 'mongoose';
import type { Connection, Model } from 'mongoose';
import type { CollectionSpec, IndexSpec, Row, Scalar } from '../collection.ts';
import type { FieldShape, RowShape } from '../collection-spec.ts';

/**
 * A document as stored: the row's fields, flat and in the wire's spelling (rule N2), and fields that only the driver
 * sees. The key stands in `_id` and in its own field.
 */
export interface Document {
  _id: string;
  /** When the row expires, for the server's own clean-up (TTL) and for filters. */
  _expires_at?: Date;
  /** Who wrote: a random token of each write, the insert first, the newest {@link REMEMBERED_WRITES}. */
  _writes?: string[];
  [field: string]: unknown;
}

/** As many later writes as may come between a write whose answer was lost and the look for its token. */
export const REMEMBERED_WRITES = 16;

/** A native index. */
export interface NativeIndex {
  name: string;
  key: Record<string, 1>;
  unique?: true;
  partialFilterExpression?: Record<string, unknown>;
  expireAfterSeconds?: 0;
}

/** The field's name in documents: queries by key use the index on `_id`. */
export function documentField<R extends Row>(spec: CollectionSpec<R>, field: string): string {
  return field === spec.key ? '_id' : field;
}

/** The mongoose model of a collection, on this connection only. It neither creates nor changes anything by itself. */
export function buildModel<R extends Row>(
  connection: Connection,
  spec: CollectionSpec<R>,
  shape: RowShape,
): Model<Document> {
  const paths: Record<string, unknown> = { _id: String, _expires_at: Date, _writes: [String] };
  for (const [field, of] of shape) paths[field] = pathType(of);
  const schema = new Schema<Document>(paths as never, {
    collection: spec.name,
    versionKey: false,
    minimize: false,
    strict: 'throw',
    strictQuery: 'throw',
    autoIndex: false,
    autoCreate: false,
  });
  for (const { key, name, ...options } of nativeIndexes(spec, shape)) schema.index(key, { ...options, name });
  return connection.model<Document>(spec.name, schema, spec.name);
}

function pathType({ types }: FieldShape): unknown {
  const [type, ...others] = types;
  if (others.length > 0) return Schema.Types.Mixed;
  if (type === 'string') return String;
  if (type === 'number' || type === 'integer') return Number;
  return type === 'boolean' ? Boolean : Schema.Types.Mixed;
}

/** The declared indexes as MongoDB's. All but unique ones end with `_id`, so that they also give the order of pages. */
export function nativeIndexes<R extends Row>(spec: CollectionSpec<R>, shape: RowShape): NativeIndex[] {
  const indexes: NativeIndex[] = spec.indexes.map((index) => nativeIndex(spec, shape, index));
  if (spec.expires !== undefined) indexes.push({ name: '_expires', key: { _expires_at: 1 }, expireAfterSeconds: 0 });
  return indexes;
}

function nativeIndex<R extends Row>(spec: CollectionSpec<R>, shape: RowShape, index: IndexSpec<R>): NativeIndex {
  const key: Record<string, 1> = {};
  for (const field of index.fields) key[documentField(spec, field)] = 1;
  if (!index.unique) key['_id'] = 1;
  for (const field of index.holds ?? []) key[documentField(spec, field)] = 1;
  if (index.holds !== undefined && spec.expires !== undefined) key['_expires_at'] = 1;
  const filter: Record<string, unknown> = {};
  for (const [field, value] of Object.entries<Scalar | undefined>(index.where ?? {}))
    filter[documentField(spec, field)] = value;
  // Only strings are held where null must not collide. A query for a string implies this, so the index serves it.
  for (const field of index.fields)
    if (index.unique && shape.get(field)?.nullable) filter[documentField(spec, field)] ??= { $gte: '' };
  return {
    name: index.name,
    key,
    ...(index.unique ? { unique: true as const } : {}),
    ...(Object.keys(filter).length === 0 ? {} : { partialFilterExpression: filter }),
  };
}
