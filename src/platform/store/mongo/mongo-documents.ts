import { randomBytes } from 'node:crypto';
import type { CollectionSpec, Row } from '../collection.ts';
import type { RowCodec } from '../collection-rows.ts';
import type { RowShape } from '../collection-spec.ts';
import { REMEMBERED_WRITES } from './mongo-model.ts';
import type { Document } from './mongo-model.ts';

/** A mark by which a write is recognised when its answer was lost. */
export function newToken(): string {
  return randomBytes(9).toString('base64url');
}

/** The document of a row to insert. */
export function toDocument<R extends Row>(codec: RowCodec<R>, row: R, token: string): Document {
  const expiry = codec.expiryOf(row);
  const hidden = expiry === null ? {} : { _expires_at: new Date(expiry) };
  return { _id: codec.keyOf(row), ...(row as Row), ...hidden, _writes: [token] };
}

/** The update that makes a stored document into this row's and keeps its earlier tokens. */
export function toUpdate<R extends Row>(
  spec: CollectionSpec<R>,
  shape: RowShape,
  codec: RowCodec<R>,
  row: R,
  token: string,
) {
  const set: Record<string, unknown> = {};
  const unset: Record<string, ''> = {};
  const values: Record<string, unknown> = { ...(row as Row) };
  for (const field of shape.keys()) {
    if (values[field] === undefined) unset[field] = '';
    else if (field !== spec.key) set[field] = values[field];
  }
  if (spec.expires !== undefined) {
    const expiry = codec.expiryOf(row);
    if (expiry === null) unset['_expires_at'] = '';
    else set['_expires_at'] = new Date(expiry);
  }
  return {
    $set: set,
    ...(Object.keys(unset).length === 0 ? {} : { $unset: unset }),
    $push: { _writes: { $each: [token], $slice: -REMEMBERED_WRITES } },
  };
}

/** What of a document is the row, whatever its schema says. */
export function rowIn(key: string, document: Document): Record<string, unknown> {
  const { _id, _expires_at, _writes, ...row } = document;
  return key in row ? row : { ...row, [key]: _id };
}

/** The update that puts a raw row over another, keeping the earlier tokens; and the expiry, when that is undefined. */
export function toRawUpdate(
  row: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, unknown>>,
  expiry: string | null | undefined,
) {
  const gone = Object.keys(row).filter((field) => next[field] === undefined);
  const unset = [...gone, ...(expiry === null ? ['_expires_at'] : [])].map((field) => [field, ''] as const);
  const set = Object.entries(next).filter(([, value]) => value !== undefined);
  return {
    $set: { ...Object.fromEntries(set), ...(typeof expiry === 'string' && { _expires_at: new Date(expiry) }) },
    ...(unset.length > 0 && { $unset: Object.fromEntries(unset) }),
    $push: { _writes: { $each: [newToken()], $slice: -REMEMBERED_WRITES } },
  };
}

/**
 * Whether the document, written `count` times by now, has seen the write with this token, which made it the `nth`;
 * undefined when it has been written too often since to tell.
 */
export function hasWrite({ _writes }: Document, count: number, token: string, nth: number): boolean | undefined {
  if (_writes?.includes(token)) return true;
  return count >= nth + REMEMBERED_WRITES ? undefined : false;
}
