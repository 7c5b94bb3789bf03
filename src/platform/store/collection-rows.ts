import type { z } from 'zod';
import { mapLongInSlices } from '../in-slices.ts';
import type { CollectionSpec, Row } from './collection.ts';
import { newRowSchema, tolerantSchema } from './tolerant-schema.ts';

/** A row as a driver found it. */
export interface StoredRow {
  /** What the store knows it by, whatever stands in it. */
  key: string;
  row: unknown;
}

/** What both drivers do with rows on their way in and out. */
export interface RowCodec<R extends Row> {
  keyOf(row: R): string;
  /** How often it was written; see {@link CollectionSpec.counter}. */
  countOf(row: R): number;
  /** A new row as its schema gives it, counted 1. @throws {Error} when the schema, key or expiry refuses it. */
  toInsert: (row: R) => R;
  /**
   * What `before` becomes when it is changed to `after`, counted one higher; keys that a newer release gave it stay.
   * @throws likewise.
   */
  toReplace(before: R, after: R): R;
  /** @throws {UnreadableRowError} when what was stored does not fit the schema, which is noted. */
  fromStore: (stored: StoredRow) => R;
  /** The same, of one that shall fail nobody else. */
  tryFromStore: (stored: StoredRow) => R | UnreadableRowError;
  /** The rows, in slices of time. With `skipUnreadable` those that can be read: the others are noted, and left out. @throws like `fromStore`. */
  manyFromStore(stored: readonly StoredRow[], skipUnreadable: boolean): Promise<R[]>;
  /** When the row ends (ISO 8601), or null for never. */
  expiryOf(row: R): string | null;
  isLive(row: R, now: string): boolean;
}

/**
 * A stored row that this program cannot read: damaged, or written by a release too new for it. It stays as it is, and is
 * set aside: see `set-aside.ts`.
 */
export class UnreadableRowError extends Error {
  readonly collection: string;
  readonly key: string;
  /** Each place that does not fit and why, without what stands there. */
  readonly problems: readonly string[];
  constructor(collection: string, key: string, problems: readonly string[]) {
    super(`the row ${key} of ${collection} cannot be read: ${problems.join('; ')}`);
    this.name = 'UnreadableRowError';
    this.collection = collection;
    this.key = key;
    this.problems = problems;
  }
}

/** Problems told of one row. */
const MAX_PROBLEMS = 10;

/** The name of the field that counts writes. */
export function counterOf({ counter = 'revision' }: { counter?: string | undefined }): string {
  return counter;
}

/** How often a row as stored was written. One from before its collection had a counter was counted by `revision`. */
export function rawCountOf(spec: { counter?: string | undefined }, row: Readonly<Record<string, unknown>>): number {
  return Number(row[counterOf(spec)] ?? row['revision']);
}

/** The schemas that rows are read and inserted by, made once: each store that is opened asks again. */
const made = new WeakMap<z.ZodType, { tolerant: z.ZodType; ofNewRow: z.ZodType }>();

function schemasOf<R>(schema: z.ZodType<R>): { tolerant: z.ZodType<R>; ofNewRow: z.ZodType<R> } {
  const present = made.get(schema) as { tolerant: z.ZodType<R>; ofNewRow: z.ZodType<R> } | undefined;
  if (present !== undefined) return present;
  const now = { tolerant: tolerantSchema(schema), ofNewRow: newRowSchema(schema) };
  made.set(schema, now);
  return now;
}

/** `note` hears of every row that cannot be read, each time it is met. */
export function rowCodec<R extends Row>(
  spec: CollectionSpec<R>,
  note: (error: UnreadableRowError) => void = () => undefined,
): RowCodec<R> {
  const { tolerant, ofNewRow } = schemasOf(spec.schema);
  const parse = (schema: z.ZodType<R>, value: unknown): R => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new Error(`a row for ${spec.name} does not fit its schema`, { cause: parsed.error });
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
  const counter = counterOf(spec);
  const countOf = (row: R): number => (row as unknown as Record<string, number>)[counter] ?? NaN;
  const checked = (row: R): R => {
    keyOf(row);
    expiryOf(row);
    return row;
  };
  const read = ({ key, row }: StoredRow): R | UnreadableRowError => {
    const parsed = tolerant.safeParse(row);
    if (parsed.success) return parsed.data;
    const problems = parsed.error.issues
      .slice(0, MAX_PROBLEMS)
      .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`));
    const error = new UnreadableRowError(spec.name, key, problems);
    note(error);
    return error;
  };
  const fromStore = (stored: StoredRow): R => {
    const row = read(stored);
    if (row instanceof UnreadableRowError) throw row;
    return row;
  };
  return {
    keyOf,
    countOf,
    toInsert: (row) => checked(parse(ofNewRow, { ...row, [counter]: 1 })),
    toReplace: (before, after) => {
      const changed = spec.onChange?.(before, after) ?? after;
      return checked(parse(tolerant, { ...changed, [counter]: countOf(before) + 1 }));
    },
    fromStore,
    tryFromStore: read,
    manyFromStore: async (stored, skipUnreadable) => {
      if (!skipUnreadable) return mapLongInSlices(stored, fromStore);
      const rows = await mapLongInSlices(stored, read);
      return rows.filter((row): row is R => !(row instanceof UnreadableRowError));
    },
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
