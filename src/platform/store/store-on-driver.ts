import type { Clock } from '../clock.ts';
import type { Collection, CollectionSpec, Row, Store } from './collection.ts';
import { createLeases, LeaseRows } from './lease.ts';
import type { Logger } from '../log.ts';
import { assertMigrations, assertNotNewer, migrateCollection, SchemaVersions, versionOf } from './schema-version.ts';
import type { SchemaVersion } from './schema-version.ts';
import { createSetAside, SetAsideRows } from './set-aside.ts';
import type { IsReadable } from './set-aside.ts';
import type { DriverCollection, StoreDriver } from './store-driver.ts';

/** What the store keeps of itself, prepared before all else. */
const OWN = [SchemaVersions, LeaseRows, SetAsideRows] as const;

export interface StoreOnDriverOptions {
  clock: Clock;
  logger: Logger;
}

/**
 * The store over either driver. Preparing a collection refuses data of a newer release before anything is changed,
 * creates its table, migrates its rows, and brings its indexes to what is declared, in this order.
 */
export function storeOnDriver(driver: StoreDriver, { clock, logger }: StoreOnDriverOptions): Store {
  const collections = new Map<string, DriverCollection>();
  const prepared = new Set<string>();
  const own = <R extends Row>(spec: CollectionSpec<R>) => collection(spec);
  const setAside = createSetAside(() => own(SetAsideRows), clock, logger);
  const leases = createLeases(() => own(LeaseRows), clock);
  const closing = new AbortController();
  let isOpen = false;

  function collection<R extends Row>(given: CollectionSpec<R>): Collection<R> {
    // Rows of every sort pass through here; each collection takes and gives those of its own spec only.
    const spec = given as unknown as CollectionSpec<Row>;
    let present = collections.get(spec.name);
    if (present === undefined) {
      assertMigrations(spec);
      present = driver.create(spec, setAside.note);
      collections.set(spec.name, present);
    }
    return present.collection as unknown as Collection<R>;
  }

  async function prepare(): Promise<void> {
    if (!isOpen) await driver.open();
    isOpen = true;
    for (const spec of OWN) own(spec as unknown as CollectionSpec<Row>);
    const ofStore = OWN.flatMap(({ name }) => collections.get(name) ?? []);
    const unprepared = [...collections.values()].filter(({ spec }) => !prepared.has(spec.name));
    if (unprepared.length === 0) return;
    if (!ofStore.every(({ spec }) => prepared.has(spec.name))) await make(ofStore, new Set());
    const others = unprepared.filter((one) => !ofStore.includes(one));
    const behind = await olderOnes(others);
    await driver.createTables(others);
    const migrating = { versions: own(SchemaVersions), leases, log: logger, note: setAside.note, stop: closing.signal };
    for (const one of behind) await migrateCollection(migrating, one);
    await driver.createIndexes(others, new Set(behind.map(({ spec }) => spec.name)));
    for (const { spec } of others) prepared.add(spec.name);
    await setAside.retry(isReadable);
  }

  async function make(some: readonly DriverCollection[], dropOthers: ReadonlySet<string>): Promise<void> {
    await driver.createTables(some);
    await driver.createIndexes(some, dropOthers);
    for (const { spec } of some) prepared.add(spec.name);
  }

  /** Those whose rows are of an older version. What is first met is put on record. @throws like {@link assertNotNewer}. */
  async function olderOnes(some: readonly DriverCollection[]): Promise<DriverCollection[]> {
    const versions = own(SchemaVersions);
    const rows = await versions.getMany(some.map(({ spec }) => spec.name));
    const stored = new Map(rows.map((row) => [row.collection_name, row]));
    for (const { spec } of some) assertNotNewer(spec, stored.get(spec.name) ?? { schema_version: 1 });
    const first: SchemaVersion[] = some
      .filter(({ spec }) => !stored.has(spec.name) && versionOf(spec) === 1)
      .map(({ spec }) => ({ collection_name: spec.name, schema_version: 1, revision: 1 }));
    if (first.length > 0) await versions.insertMany(first);
    return some.filter(({ spec }) => (stored.get(spec.name)?.schema_version ?? 1) < versionOf(spec));
  }

  /** A row that is gone is no trouble any more. */
  const isReadable: IsReadable = async (name, key) => {
    const found = collections.get(name);
    if (found === undefined || !prepared.has(name)) return undefined;
    return found.collection.get(key).then(
      () => true,
      () => false,
    );
  };

  let preparing: Promise<void> = Promise.resolve();
  return {
    kind: driver.kind,
    collection,
    prepare: () => (preparing = preparing.catch(() => undefined).then(prepare)),
    changesSince: (mark) => driver.changesSince(mark),
    ping: () => driver.ping(),
    close: async () => {
      closing.abort(new Error('the store is closed'));
      await preparing.catch(() => undefined);
      await setAside.idle();
      await driver.close();
    },
  };
}
