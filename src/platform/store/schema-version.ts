import { z } from 'zod';
import type { Collection, CollectionSpec, Migration, Row } from './collection.ts';
import { UnreadableRowError } from './collection-rows.ts';
import type { Leases } from './lease.ts';
import type { Logger } from '../log.ts';
import type { RawRows } from './store-driver.ts';

/** Which form the rows of a collection have. */
export const SchemaVersion = z.object({
  collection_name: z.string(),
  /** 1 for what has never changed but by growth. */
  schema_version: z.int().positive(),
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

/** @throws {Error} with a sentence for operators when newer data are stored than this program can read. */
export function assertNotNewer({ name, version = 1, reads = version }: CollectionSpec<Row>, stored: number): void {
  if (stored <= reads) return;
  throw new Error(
    `the store was used by a newer release: ${name} has schema version ${stored}, and this program reads up to ${reads}; ` +
      'start the newer release again (no data was changed)',
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
}

/** Rows read in one go. */
const BATCH = 200;

/**
 * Brings the rows of a collection to the version that this program writes. Of many processes that start at once the
 * first does it, and the others wait. Killed in between, it is done again from the beginning.
 * @throws {Error} like {@link assertNotNewer}, should a newer program have come first.
 */
export async function migrateCollection(deps: MigrateDependencies, { spec, raw }: MigrateTarget): Promise<void> {
  const { versions, leases, log, note } = deps;
  await leases.hold(`migrate ${spec.name}`, async (signal) => {
    const present = await versions.get(spec.name);
    const from = present?.schema_version ?? 1;
    assertNotNewer(spec, from);
    if (from >= versionOf(spec)) return;
    for (const migration of (spec.migrations ?? []).filter(({ to }) => to > from)) {
      const changed = await migrateRows({ raw, spec, note }, migration, signal);
      log.info({ collection: spec.name, to: migration.to, changed }, `stored rows migrated: ${migration.what}`);
    }
    await setVersion(versions, spec, present);
  });
}

async function setVersion(
  versions: Collection<SchemaVersion>,
  spec: CollectionSpec<Row>,
  present: SchemaVersion | undefined,
): Promise<void> {
  const schema_version = versionOf(spec);
  if (present === undefined) await versions.insert({ collection_name: spec.name, schema_version, revision: 1 });
  await versions.update(spec.name, (row) =>
    row.schema_version >= schema_version ? undefined : { ...row, schema_version },
  );
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
    if (await raw.replace(key, row, next)) return true;
    const now = await raw.get(key);
    if (now === undefined) return false;
    if (now['revision'] === row['revision']) return setAside('its revision is not the stored one');
    row = now;
  }
}
