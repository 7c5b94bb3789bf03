import type { z } from 'zod';
import type { ToldChanges } from './told-changes.ts';

/**
 * The one storage interface. Two drivers stand behind it, `collection-embedded.ts` (SQLite) and `collection-mongo.ts`;
 * one suite of tests, `test/platform/store/collection-contract.ts`, runs over both. No upserts, no transactions, no change
 * streams: what both drivers and MongoDB-compatible servers do alike.
 */

/** A value that can be compared in a filter. Timestamps are ISO strings, which sort as time does. */
export type Scalar = string | number | boolean | null;

/**
 * Every stored row carries a counter, its `revision` unless {@link CollectionSpec.counter} names another field: 1 when
 * inserted, one more with each write. It guards compare-and-swap.
 */
export interface Row {
  revision: number;
}

/**
 * A declared index. Every query must begin with an indexed field. A row with null (or nothing) in a field of a unique
 * index is not held by that index, so it is never a duplicate there; such a field must be a string.
 */
export interface IndexSpec<R> {
  /** snake_case; an answer to a duplicate insert names it. */
  name: string;
  /** Top-level scalar fields, most significant first. */
  fields: readonly (keyof R & string)[];
  unique?: boolean;
  /**
   * Fields that the index holds besides, and with them whether the row has expired: rows are counted, and passed over for
   * a condition on these, without being read. May be empty. Not for unique ones.
   */
  holds?: readonly (keyof R & string)[];
  /** The index holds only rows whose fields equal these: with `unique`, "unique among these". */
  where?: Partial<Record<keyof R & string, Scalar>>;
}

/**
 * One step forward: makes a stored row of the version before into one of `to`, or answers undefined for a row that needs
 * nothing. Pure, and safe to repeat on its own answer, since it is run again after a crash.
 */
export interface Migration {
  /** The version that all rows have after it. */
  to: number;
  /** In words, for the log. */
  what: string;
  migrate: (row: Readonly<Record<string, unknown>>) => Record<string, unknown> | undefined;
}

/** What a noun declares about its rows. */
export interface CollectionSpec<R extends Row> {
  /** snake_case, plural; the collection's or table's name. */
  name: string;
  /** The field that identifies a row: a string of 1–512 characters. */
  key: keyof R & string;
  /**
   * Rows are parsed with it on every write and every read. Keys it does not name, at any depth, may come from a newer
   * release: they are read, and written back. A field that is new is optional or has a default.
   */
  schema: z.ZodType<R>;
  /**
   * The form in which this program writes rows; default 1. Growth (more keys, defaults) leaves it as it is. See
   * docs/decisions/0017-stored-rows-may-grow.md.
   */
  version?: number;
  /** The newest form that it can read; default `version`. One more in the release before the one that writes it. */
  reads?: number;
  /** One to each version from 2 on, in order. */
  migrations?: readonly Migration[];
  indexes: readonly IndexSpec<R>[];
  /** A field holding a timestamp of `toTimestamp` (or null: never) from which on the row is gone. */
  expires?: keyof R & string;
  /**
   * Writes of its rows are told ({@link Store.changesSince}): by their keys, and by these fields of the top level, which are texts or null.
   * Costs each write some microseconds.
   */
  tells?: readonly (keyof R & string)[];
  /**
   * The field that counts writes, default `revision`; then `revision` is the collection's own. A collection that gets one
   * later fills it by a migration, from `revision`.
   */
  counter?: keyof R & string;
  /**
   * What to store for a row that was read as `before` and changed to `after`. Asked at every update and replace, so that
   * what is to follow from a change follows whoever makes it. Pure; leaves key and counter alone.
   */
  onChange?(before: R, after: R): R;
}

/**
 * A condition on one field: equality, membership, or a range. `null` equals a missing field and sorts first. A range
 * has bounds other than null and never holds for null.
 */
export type Condition = Scalar | { in: readonly Scalar[] } | { gt?: Scalar; gte?: Scalar; lt?: Scalar; lte?: Scalar };

export type Where<R> = Partial<Record<keyof R & string, Condition>>;

export interface Query<R> {
  where: Where<R>;
  /**
   * Default: by the field of a range, for an index has these rows in that order; without one by key. Ascending. Ties are broken
   * by key in the same direction.
   */
  sort?: { field: keyof R & string; direction: 'asc' | 'desc' };
  /** At most this many rows, 1–1000. Default 100. */
  limit?: number;
  /** Where an earlier page of the same query ended: its `cursor`. */
  after?: string;
}

export interface Page<R> {
  rows: R[];
  /** Present exactly when there is more. Opaque. */
  cursor?: string;
  /**
   * Keys of the rows that were passed over on the way, since they cannot be read; present exactly when there are any. Who
   * notes that all is done would lose what those owe, or need.
   */
  skipped?: string[];
}

/** `inserted`, or which unique index (or `key`) the row would have broken. Nothing is written then. */
export type InsertResult = { inserted: true } | { inserted: false; duplicate: string };

/**
 * Every method waits for up to 30 s while the store does not answer, then throws {@link StoreUnavailableError}. Every
 * write that is answered is on disk (and on a majority of a MongoDB replica set).
 */
export interface Collection<R extends Row> {
  readonly spec: CollectionSpec<R>;
  /** @throws {UnreadableRowError} for a row that is there and cannot be read: never taken for one that is not there. */
  get(key: string): Promise<R | undefined>;
  /** Whether the stored row is still the one that was read as `row`, by its counter. Costs no look at the row itself. */
  isCurrent(row: R): Promise<boolean>;
  /**
   * The rows that exist, in no promised order. Any number of keys.
   * @throws {UnreadableRowError} like `get`, unless `skipUnreadable`: for who only adds to what is shown.
   */
  getMany(keys: readonly string[], options?: { skipUnreadable?: boolean }): Promise<R[]>;
  /**
   * One field of the rows that exist, by key: without reading the rest of them, and, where an index on the key `holds` the field, without
   * reading them at all. Any number of keys. The field must be a string in all rows; nothing is parsed, so a damaged row may have a value.
   */
  getField(keys: readonly string[], field: keyof R & string): Promise<Map<string, string>>;
  /**
   * One page. Rows that cannot be read are left out, and the page filled with the next and says so; but one that is asked
   * for by all fields of a unique index is an error, as with `get`. @throws {Error} for a query that no declared index begins (a mistake in the program).
   * @throws {AppError} `INVALID_REQUEST`, field `cursor`, for a cursor that this query did not give.
   */
  find(query: Query<R>): Promise<Page<R>>;
  /** How many rows fit. With `most`, counts no further than that: who tells others a number bounds what it may cost. */
  count(where: Where<R>, options?: { most?: number }): Promise<number>;
  /** Adds a row whose counter is 1. A duplicate key is an answer, not a fault. */
  insert(row: R): Promise<InsertResult>;
  /**
   * Adds many rows in few round trips; those whose key or unique value exists are left out. Answers how many went in.
   * `inOrder`: no row goes in before the one in front of it, nor behind the first that is left out, whatever becomes of the process
   * or the store.
   */
  insertMany(rows: readonly R[], options?: { inOrder?: boolean }): Promise<number>;
  /**
   * Compare and swap: stores `row` with its counter raised by one if the stored row still has the counter that `row`
   * has. Answers the stored row, or undefined when another writer came first or the row is gone.
   * A unique index it would break is an error with `duplicate` set ({@link DuplicateError}).
   * `before`: the row as it is stored under that counter; handed in, it is not read again for `onChange`.
   */
  replace(row: R, before?: R): Promise<R | undefined>;
  /**
   * Load, change, compare and swap, again from the load when another writer came first. `change` must be pure; it
   * answers the new row (its counter is ignored), or undefined to leave the row alone.
   * Answers the row as it now stands and whether this call changed it; undefined when there is no such row.
   * @throws {UnreadableRowError} like `get`.
   */
  update(key: string, change: (row: R) => R | undefined): Promise<{ row: R; changed: boolean } | undefined>;
  /**
   * Removes the row, if it exists (and its counter is this, when one is given). Answers whether it did; after a lost
   * connection that may have hidden the answer, whether the row is gone.
   */
  delete(key: string, count?: number): Promise<boolean>;
}

/** A replace or update would break a unique index. */
export class DuplicateError extends Error {
  readonly duplicate: string;
  constructor(collection: string, duplicate: string) {
    super(`a row of ${collection} with the same ${duplicate} exists`);
    this.name = 'DuplicateError';
    this.duplicate = duplicate;
  }
}

/**
 * The store did not answer for 30 s, or so much was written since that this write can no longer be told apart. A write
 * that ends so may or may not have happened. A fault, not an answer: retry the whole step.
 */
export class StoreUnavailableError extends Error {
  constructor(what: string, cause: unknown) {
    super(`the store did not answer: ${what}`, { cause });
    this.name = 'StoreUnavailableError';
  }
}

/** A collection that was first asked for after the store was prepared: it has no table and no indexes. */
export class UnpreparedCollectionError extends Error {
  constructor(collection: string) {
    super(`the collection ${collection} was not prepared: add it to the list in src/main/wiring/collections.ts`);
    this.name = 'UnpreparedCollectionError';
  }
}

export interface Store {
  readonly kind: 'sqlite' | 'mongodb';
  /**
   * The collection of this spec; asking again for the same name gives the same one. One that was not asked for before
   * `prepare` answers every call with {@link UnpreparedCollectionError}.
   */
  collection<R extends Row>(spec: CollectionSpec<R>): Collection<R>;
  /**
   * Creates what the collections asked for so far need (tables, indexes) and migrates their rows. Call before use;
   * repeats do nothing. @throws {Error} when a newer release has left rows that this program cannot read.
   */
  prepare(): Promise<void>;
  /**
   * What has been written since a mark to the collections that tell of it (`CollectionSpec.tells`), whichever process, of whichever
   * release, wrote it. Each write and what is told of it are one: once somebody can read a row, or has been told that it is written, whoever
   * asks afterwards is told, too. Without a mark: only where to begin. Undefined: this store cannot tell, now or ever.
   */
  changesSince(mark: number | undefined): Promise<ToldChanges | undefined>;
  /** @throws when the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
