import { z } from 'zod';
import { DuplicateError } from './collection.ts';
import type { Collection, CollectionSpec, Migration, Row } from './collection.ts';
import { rawCountOf, UnreadableRowError } from './collection-rows.ts';
import type { Leases } from './lease.ts';
import type { Logger } from '../log.ts';
import type { RawRows } from './store-driver.ts';

/** Which form the rows of a collection have. */
export const SchemaVersion = z.object({
  collection_name: z.string(),
  /** 1 for what has never changed but by growth. */
  schema_version: z.int().positive(),
  /**
   * Set while a migration to this version is under way, and still when it was killed: rows of both forms stand there. Absent
   * once all are of `schema_version`.
   */
  migrating_to: z.int().positive().optional(),
  revision: z.int(),
});
export type SchemaVersion = z.infer<typeof SchemaVersion>;

export const SchemaVersions: CollectionSpec<SchemaVersion> = {
  name: 'schema_versions',
  key: 'collection_name',
  schema: SchemaVersion,
  indexes: [],
};

/** The form in which this program writes rows. */
export function versionOf({ version = 1 }: Pick<CollectionSpec<Row>, 'version'>): number {
  return version;
}

/**
 * @throws {Error} naming the collection, when a migration is missing, stands twice, or leads nowhere.
 */
export function assertMigrations({ name, version = 1, reads = version, migrations = [] }: CollectionSpec<Row>): void {
  const wanted = Array.from({ length: version - 1 }, (_, at) => at + 2);
  if (JSON.stringify(migrations.map(({ to }) => to)) !== JSON.stringify(wanted))
    throw new Error(`collection ${name} of version ${version} needs one migration to each of ${wanted.join(', ')}`);
  if (reads < version) throw new Error(`collection ${name} writes version ${version} and cannot read it`);
}

/** What `migrating_to` says while a backup is being restored: no program starts on it, not even one that knows no restore. */
export const RESTORING = 1_000_000_000;

/** What is on record of a collection. */
export type StoredVersion = Pick<SchemaVersion, 'schema_version' | 'migrating_to'>;

/**
 * @throws {Error} with a sentence for operators when newer data are stored than this program can read, be it that a
 * migration to them has only begun; or when it would migrate what a newer one has begun to.
 */
export function assertNotNewer(
  { name, version = 1, reads = version }: CollectionSpec<Row>,
  { schema_version, migrating_to = schema_version }: StoredVersion,
): void {
  const newest = Math.max(schema_version, migrating_to);
  if (newest === RESTORING)
    throw new Error('a backup was being restored into this store and that did not end; run the same restore again');
  if (newest <= reads && (newest <= version || schema_version >= version)) return;
  const found =
    newest === schema_version
      ? `${name} has schema version ${newest}, and this program reads up to ${reads}`
      : `${name} was left in the midst of a migration to schema version ${newest}, and this program writes version ${version}`;
  throw new Error(
    `the store was used by a newer release: ${found}; start the newer release again (no data was changed)`,
  );
}

export interface MigrateTarget {
  spec: CollectionSpec<Row>;
  raw: RawRows;
}

export interface MigrateDependencies {
  versions: Collection<SchemaVersion>;
  leases: Leases;
  log: Logger;
  /** Hears of rows that cannot be brought forward. */
  note: (error: UnreadableRowError) => void;
  /** Gives up: what is half done is done again by the next start. */
  stop: AbortSignal;
}

/** Rows read in one go. */
const BATCH = 200;

/**
 * Brings the rows of a collection to the version that this program writes. Of many processes that start at once the
 * first does it, and the others wait. Killed in between, it is done again from the beginning.
 * @throws {Error} like {@link assertNotNewer}, should a newer program have come first.
 */
export async function migrateCollection(deps: MigrateDependencies, { spec, raw }: MigrateTarget): Promise<void> {
  const { versions, leases, log, note, stop } = deps;
  const work = async (signal: AbortSignal) => {
    const present = (await versions.get(spec.name)) ?? FIRST;
    assertNotNewer(spec, present);
    const from = present.schema_version;
    if (from >= versionOf(spec)) return;
    // Before the first row has the new form: an older program must not start on what is left if this is killed.
    await record(versions, spec, (row) => ({
      ...row,
      migrating_to: Math.max(row.migrating_to ?? 0, versionOf(spec)),
    }));
    for (const migration of (spec.migrations ?? []).filter(({ to }) => to > from)) {
      const changed = await migrateRows({ raw, spec, note }, migration, signal);
      log.info({ collection: spec.name, to: migration.to, changed }, `stored rows migrated: ${migration.what}`);
    }
    signal.throwIfAborted();
    await record(versions, spec, ({ migrating_to: _over, ...row }) => ({ ...row, schema_version: versionOf(spec) }));
  };
  await leases.hold(`migrate ${spec.name}`, work, stop);
}

/** Of a collection that nothing is on record of. */
const FIRST: StoredVersion = { schema_version: 1 };

/** Puts the change on record, unless a newer program has come further. */
async function record(
  versions: Collection<SchemaVersion>,
  { name, version = 1 }: CollectionSpec<Row>,
  change: (row: SchemaVersion) => SchemaVersion,
): Promise<void> {
  await versions.insert({ ...FIRST, collection_name: name, revision: 1 });
  await versions.update(name, (row) => (row.schema_version >= version ? undefined : change(row)));
}

async function migrateRows(
  target: MigrateTarget & Pick<MigrateDependencies, 'note'>,
  migration: Migration,
  signal: AbortSignal,
): Promise<number> {
  let changed = 0;
  let after: string | undefined;
  for (;;) {
    const page = await target.raw.page(after, BATCH);
    for (const { key, row } of page) {
      signal.throwIfAborted();
      if (row !== undefined && (await migrateRow(target, migration, key, row))) changed += 1;
    }
    after = page.at(-1)?.key;
    if (after === undefined || page.length < BATCH) return changed;
  }
}

/**
 * Answers whether this call changed the row; it looks again when another writer was quicker. A row that cannot be brought
 * forward is left as it is, and set aside.
 */
async function migrateRow(
  { raw, spec, note }: MigrateTarget & Pick<MigrateDependencies, 'note'>,
  { migrate, to }: Migration,
  key: string,
  found: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const setAside = (problem: string): false => {
    note(new UnreadableRowError(spec.name, key, [`not migrated to version ${to}: ${problem}`]));
    return false;
  };
  for (let row = found; ;) {
    let next: Record<string, unknown> | undefined;
    try {
      next = migrate(row);
    } catch (error) {
      return setAside(error instanceof Error ? error.name : 'it failed');
    }
    if (next === undefined) return false;
    try {
      if (await raw.replace(key, row, next)) return true;
    } catch (error) {
      if (!(error instanceof DuplicateError)) throw error;
      return setAside(error.message);
    }
    const now = await raw.get(key);
    if (now === undefined) return false;
    if (Object.is(rawCountOf(spec, now), rawCountOf(spec, row))) return setAside('its counter is not the stored one');
    row = now;
  }
}
