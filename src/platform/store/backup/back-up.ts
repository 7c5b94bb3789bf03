import { access, stat } from 'node:fs/promises';
import type { CollectionSpec, Row } from '../collection.ts';
import type { StoreDriver } from '../store-driver.ts';
import { LeaseRows } from '../lease.ts';
import { SchemaVersions } from '../schema-version.ts';
import { SetAsideRows } from '../set-aside.ts';
import { readBackup } from './backup-content.ts';
import type { BackupHead, BackupSummary } from './backup-content.ts';
import { BackupFileError, writeBackupFile } from './backup-file.ts';

/** Rows read in one go. */
const PAGE = 200;

/** What of the store itself goes along; who holds a lease does not. */
export const OWN_COLLECTIONS = [SchemaVersions, SetAsideRows] as const;

export interface BackUpOptions {
  file: string;
  /** Opened and closed by this. */
  driver: StoreDriver;
  specs: readonly CollectionSpec<Row>[];
  head: Omit<BackupHead, 'store'>;
}

/** What was written, and what could not be. */
export interface BackUpResult extends BackupSummary {
  bytes: number;
  /** Rows that are no JSON; each is named by nothing but its collection. */
  left_out: number;
  /** Collections on record that this release does not know. */
  unknown: string[];
}

/**
 * Writes all rows of a store that others go on using into a file that must not be there, and reads it back. Nothing is migrated.
 * Rows pass a page at a time: memory does not grow with the store.
 * @throws {BackupFileError} for a file that is there, or a store that is empty.
 */
export async function backUpStore({ file, driver, specs, head }: BackUpOptions): Promise<BackUpResult> {
  if (await isThere(file)) throw new BackupFileError(`${file} is there already; name another file`);
  let left_out = 0;
  const unknown: string[] = [];

  const all = [...OWN_COLLECTIONS, ...specs].map((spec) =>
    driver.create(spec as unknown as CollectionSpec<Row>, () => undefined),
  );

  async function* lines(): AsyncGenerator<string> {
    const known = new Set<string>([...all.map(({ spec }) => spec.name), LeaseRows.name]);
    yield line({ ...head, store: driver.kind });
    let rowsInAll = 0;
    for (const { spec, raw } of all) {
      yield line({ collection: spec.name });
      let rows = 0;
      for (let after: string | undefined; ;) {
        const page = await raw.page(after, PAGE);
        for (const { key, row } of page) {
          if (row === undefined) {
            left_out += 1;
            continue;
          }
          if (spec.name === SchemaVersions.name && !known.has(key)) unknown.push(key);
          rows += 1;
          yield line([key, row]);
        }
        after = page.at(-1)?.key;
        if (after === undefined || page.length < PAGE) break;
      }
      yield line({ rows });
      rowsInAll += rows;
    }
    if (rowsInAll === 0) throw new BackupFileError('the store is empty: there is nothing to back up');
    yield line({ collections: all.length, rows_in_all: rowsInAll });
  }

  try {
    await driver.open();
    await driver.createTables(all);
    await driver.reading(() => writeBackupFile(file, lines()));
  } finally {
    await driver.close();
  }
  const summary = await readBackup(file);
  return { ...summary, bytes: (await stat(file)).size, left_out, unknown };
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
