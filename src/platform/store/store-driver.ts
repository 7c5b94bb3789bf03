import type { Collection, CollectionSpec, Row, Store } from './collection.ts';
import type { UnreadableRowError } from './collection-rows.ts';

/** A row as it is stored, whatever its schema says. */
export interface RawRow {
  key: string;
  /** Undefined when it is not even JSON. */
  row: Readonly<Record<string, unknown>> | undefined;
}

/** Rows as they are stored, expired ones included: for migrations, and to look at what cannot be read. */
export interface RawRows {
  /** In the order of keys, from after this one. */
  page(after: string | undefined, limit: number): Promise<RawRow[]>;
  get(key: string): Promise<RawRow['row']>;
  /**
   * Stores `next` over `row`, counted one higher, if that still stands by its counter; answers whether it did.
   * @throws {DuplicateError} when another row, that has not expired, is in its way.
   */
  replace(key: string, row: Readonly<Record<string, unknown>>, next: Record<string, unknown>): Promise<boolean>;
  /** Stores rows as they are, counters included, where none of these keys is. */
  insertMany(rows: readonly WholeRow[]): Promise<void>;
  /** Deletes all. */
  clear(): Promise<void>;
}

/** A row as it is stored, that is JSON. */
export type WholeRow = Required<RawRow> & { row: Readonly<Record<string, unknown>> };

/** A collection of a driver, and what the store does with it. */
export interface DriverCollection {
  spec: CollectionSpec<Row>;
  collection: Collection<Row>;
  raw: RawRows;
}

/** What stands behind a store: SQLite or MongoDB. */
export interface StoreDriver {
  readonly kind: Store['kind'];
  /** Opens the file or connection; called once, before anything else but `create`. */
  open(): Promise<void>;
  create(spec: CollectionSpec<Row>, note: (error: UnreadableRowError) => void): DriverCollection;
  /** Creates what is missing, empty. */
  createTables(collections: readonly DriverCollection[]): Promise<void>;
  /**
   * Brings indexes to what is declared: creates what is missing, makes anew what is declared otherwise or under another
   * name. Indexes that nobody declares may be a newer release's and stay, unless `dropOthers` (collection names) says so.
   */
  createIndexes(collections: readonly DriverCollection[], dropOthers: ReadonlySet<string>): Promise<void>;
  /**
   * Reads while others write. SQLite shows one moment, after it has checked its file; MongoDB each page as it is when it is read.
   * Nothing may be written by this driver meanwhile, or after.
   * @throws {Error} for a file that is damaged.
   */
  reading<T>(work: () => Promise<T>): Promise<T>;
  /** See {@link Store.changesSince}. */
  changesSince: Store['changesSince'];
  ping(): Promise<void>;
  close(): Promise<void>;
}
