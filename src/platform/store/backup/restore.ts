import type { CollectionSpec, Row } from '../collection.ts';
import { assertNotNewer, RESTORING, SchemaVersion, SchemaVersions, versionOf } from '../schema-version.ts';
import type { DriverCollection, StoreDriver, WholeRow } from '../store-driver.ts';
import { OWN_COLLECTIONS } from './back-up.ts';
import { readBackup } from './backup-content.ts';
import type { BackupSummary } from './backup-content.ts';
import { BackupFileError } from './backup-file.ts';

/** Rows written in one go. */
const PAGE = 200;

export interface RestoreOptions {
  file: string;
  /** Opened and closed by this. */
  driver: StoreDriver;
  specs: readonly CollectionSpec<Row>[];
  /** Makes of a row what is to be stored instead. */
  change?: (collection: string, row: WholeRow) => WholeRow;
}

/**
 * Puts a backup into an empty store. The whole file is checked before anything is written; from the first row to the last the
 * store is marked, so that no program starts on it, and the same restore may be run again after it was killed. Indexes are made,
 * and rows of an older release migrated, by the next start.
 * @throws {BackupFileError} for a file that is not whole or of a newer release, and a store that is not empty.
 */
export async function restoreStore(options: RestoreOptions): Promise<BackupSummary> {
  const { file, driver, specs, change = (_name: string, row: WholeRow) => row } = options;
  const given = [...OWN_COLLECTIONS, ...specs] as readonly unknown[] as readonly CollectionSpec<Row>[];
  const { summary, versions } = await readVersions(file, given);
  await driver.open();
  try {
    const all = given.map((spec) => driver.create(spec, () => undefined));
    await driver.createTables(all);
    const byName = new Map(all.map((one) => [one.spec.name, one]));
    const ofVersions = byName.get(SchemaVersions.name);
    if (ofVersions === undefined) throw new Error('a driver without its own collections');
    await demandEmptyOrMarked(all, ofVersions);
    const marks = specs.map(({ name }) => ({
      key: name,
      row: { collection_name: name, schema_version: 1, migrating_to: RESTORING, revision: 1 },
    }));
    await remark(ofVersions, marks);
    for (const { spec, raw } of all) if (spec.name !== SchemaVersions.name) await raw.clear();

    let page: WholeRow[] = [];
    let into = '';
    const flush = async () => {
      if (page.length > 0) await byName.get(into)?.raw.insertMany(page);
      page = [];
    };
    await readBackup(file, async (name, row) => {
      if (name === SchemaVersions.name) return;
      if (name !== into || page.length === PAGE) await flush();
      into = name;
      page.push(change(name, row));
    });
    await flush();
    for (const spec of specs) {
      const { migrating_to: _restoring, ...marked } = (await ofVersions.raw.get(spec.name)) ?? {};
      const stored = versions.get(spec.name);
      const isNew = stored === undefined && (summary.counts[spec.name] ?? 0) === 0;
      const version = { schema_version: isNew ? versionOf(spec) : 1, ...stored, collection_name: spec.name };
      await ofVersions.raw.replace(spec.name, { ...marked, migrating_to: RESTORING }, { ...marked, ...version });
    }
  } finally {
    await driver.close();
  }
  return summary;
}

/** Checks the file from end to end, and what releases can read it. */
async function readVersions(file: string, specs: readonly CollectionSpec<Row>[]) {
  const versions = new Map<string, SchemaVersion>();
  const summary = await readBackup(file, (collection, { key, row }) => {
    const version = SchemaVersion.safeParse(row);
    if (collection === SchemaVersions.name && version.success) versions.set(key, version.data);
  });
  const names = new Map(specs.map((spec) => [spec.name, spec]));
  for (const [name, count] of Object.entries(summary.counts)) {
    const spec = names.get(name);
    if (spec === undefined && count > 0)
      throw new BackupFileError(
        `${file} was made by a newer release (${summary.release}): it has ${name}; restore it with that`,
      );
    if (spec === undefined) continue;
    try {
      assertNotNewer(spec, versions.get(name) ?? { schema_version: 1 });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : '';
      throw new BackupFileError(`${file} cannot be restored by this release: ${why}`, { cause });
    }
  }
  return { summary, versions };
}

/** @throws {BackupFileError} for a store that somebody uses. */
async function demandEmptyOrMarked(all: readonly DriverCollection[], ofVersions: DriverCollection): Promise<void> {
  for (let after: string | undefined; ;) {
    const page = await ofVersions.raw.page(after, PAGE);
    if (page.some(({ row }) => row?.['migrating_to'] === RESTORING)) return;
    after = page.at(-1)?.key;
    if (after === undefined || page.length < PAGE) break;
  }
  for (const { spec, raw } of all)
    if ((await raw.page(undefined, 1)).length > 0)
      throw new BackupFileError(
        `the store is not empty (${spec.name} has rows): restore into a new DATA_DIR or database, before the first start; nothing was changed`,
      );
}

/** Marks every collection, one of them first and without a gap. */
async function remark({ raw }: DriverCollection, marks: readonly WholeRow[]): Promise<void> {
  for (const mark of marks) {
    const present = await raw.get(mark.key);
    if (present === undefined) await raw.insertMany([mark]);
    else if (present['migrating_to'] !== RESTORING) await raw.replace(mark.key, present, { ...present, ...mark.row });
  }
}
