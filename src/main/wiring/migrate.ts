import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/log.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { SchemaVersions } from '../../platform/store/schema-version.ts';
import { openStore } from '../../platform/store/store.ts';
import type { Config } from '../config/config-shape.ts';
import { closedDataDir } from '../process/data-dir.ts';
import { prepareCollections } from './collections.ts';

/** A collection whose rows had another form, by its versions. */
export interface Migrated {
  collection: string;
  from: number;
  to: number;
}

/**
 * Brings the store to this release as its first start would, rows and indexes, under the same locks. Killed in between, it is done again by
 * whoever comes next. Answers what had another form; each migration is logged with its rows.
 * @throws like `Store.prepare`.
 */
export async function migrateStore({
  mongodbUrl,
  dataDir,
  logLevel,
}: Pick<Config, 'mongodbUrl' | 'dataDir' | 'logLevel'>): Promise<{ store: Store['kind']; migrated: Migrated[] }> {
  if (mongodbUrl === undefined) await closedDataDir(dataDir);
  const store = await openStore({ mongodbUrl, dataDir, clock: systemClock, logger: createLogger(logLevel) });
  try {
    // What the store keeps of itself alone.
    store.collection(SchemaVersions);
    await store.prepare();
    const before = await versionsIn(store);
    await prepareCollections(store);
    const migrated = [...(await versionsIn(store))]
      .map(([collection, to]) => ({ collection, from: before.get(collection) ?? 1, to }))
      .filter(({ from, to }) => to > from);
    return { store: store.kind, migrated };
  } finally {
    await store.close();
  }
}

async function versionsIn(store: Store): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  for await (const row of allRows(store.collection(SchemaVersions), { where: {} }))
    versions.set(row.collection_name, row.schema_version);
  return versions;
}
