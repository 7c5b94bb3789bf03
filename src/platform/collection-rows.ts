import type { CollectionSpec, Row } from './collection.ts';

/** What both drivers do with rows on their way in and out. */
export interface RowCodec<R extends Row> {
  keyOf(row: R): string;
  /** The row as its schema gives it, with this revision. @throws {Error} when the schema, key or expiry refuses it. */
  toStore(row: R, revision: number): R;
  /** @throws {Error} when what was stored does not fit the schema. */
  fromStore(stored: unknown): R;
  /** When the row ends (ISO 8601), or null for never. */
  expiryOf(row: R): string | null;
  isLive(row: R, now: string): boolean;
}

export function rowCodec<R extends Row>(spec: CollectionSpec<R>): RowCodec<R> {
  const parse = (value: unknown, direction: string): R => {
    const parsed = spec.schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new Error(`a row ${direction} ${spec.name} does not fit its schema`, { cause: parsed.error });
  };
  const keyOf = (row: R): string => {
    const key: unknown = row[spec.key];
    if (typeof key === 'string' && key.length >= 1 && key.length <= 512) return key;
    throw new Error(`the key of a row of ${spec.name} must be a string of 1 to 512 characters`);
  };
  const expiryOf = (row: R): string | null => {
    const expiry: unknown = spec.expires === undefined ? null : row[spec.expires];
    if (expiry === null || expiry === undefined) return null;
    if (typeof expiry === 'string' && isTimestamp(expiry)) return expiry;
    throw new Error(`the expiry of a row of ${spec.name} is not a UTC timestamp with milliseconds`);
  };
  return {
    keyOf,
    toStore: (row, revision) => {
      const parsed = parse({ ...row, revision }, 'for');
      keyOf(parsed);
      expiryOf(parsed);
      return parsed;
    },
    fromStore: (stored) => parse(stored, 'of'),
    expiryOf,
    isLive: (row, now) => {
      const expiry = expiryOf(row);
      return expiry === null || expiry > now;
    },
  };
}

function isTimestamp(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}
