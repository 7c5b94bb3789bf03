import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, toTimestamp } from '../../platform/clock.ts';
import { changeSecretFile, newSecret, readSecretFile, secretFileOf } from '../../platform/crypto/secret-file.ts';
import { withFileLock } from '../../platform/file-lock.ts';
import { createLogger } from '../../platform/log.ts';
import { backUpStore } from '../../platform/store/backup/back-up.ts';
import type { BackUpResult } from '../../platform/store/backup/back-up.ts';
import { BackupMarks, noteBackup } from '../../platform/store/backup/backup-mark.ts';
import { readBackup } from '../../platform/store/backup/backup-content.ts';
import type { BackupSummary } from '../../platform/store/backup/backup-content.ts';
import { restoreStore } from '../../platform/store/backup/restore.ts';
import type { CollectionSpec, Row } from '../../platform/store/collection.ts';
import type { WholeRow } from '../../platform/store/store-driver.ts';
import { openStore, storeDriver } from '../../platform/store/store.ts';
import { secrets } from '../../platform/crypto/secret.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/config-shape.ts';
import { closedDataDir } from '../process/data-dir.ts';
import { COLLECTIONS } from './collections.ts';
import { productVersion } from './product-version.ts';

const SPECS = COLLECTIONS as readonly unknown[] as readonly CollectionSpec<Row>[];

/** Where an installation keeps what is backed up. */
export type BackedUp = Pick<Config, 'mongodbUrl' | 'dataDir' | 'secretKey' | 'logLevel'>;

/**
 * Backs the store up while agents run on it, and puts that on record there.
 * @throws {ConfigError} where there is no store, or a secret is asked for that is a setting; like {@link backUpStore}.
 */
export async function backUp(config: BackedUp, file: string, withSecret: boolean): Promise<BackUpResult> {
  const from = storeOf(config);
  if (config.mongodbUrl === undefined) await demandStore(config.dataDir);
  if (withSecret && isSecretSet(config))
    throw new ConfigError([
      '--with-secret: SECRET_KEY is a setting here; keep it with your settings, apart from the backup',
    ]);
  const lines = withSecret ? await readSecretFile(config.dataDir) : [];
  if (withSecret && lines.length === 0) throw new ConfigError([`${secretFileOf(config.dataDir)} is missing`]);
  const head = {
    made_at: toTimestamp(systemClock.now()),
    release: await productVersion(),
    ...(withSecret && { secret: [...lines] }),
  };
  const made = await backUpStore({ file, driver: await storeDriver(from), specs: SPECS, head });
  const store = await openStore(from);
  try {
    // This collection alone: no other is migrated by a newer program than the one that runs.
    store.collection(BackupMarks);
    await store.prepare();
    await noteBackup(store, { made_at: made.made_at, rows: made.rows, bytes: made.bytes });
  } finally {
    await store.close();
  }
  return made;
}

/**
 * Puts a backup into an empty store, and its secret, when it has one, into `DATA_DIR/secret`.
 * @throws like {@link restoreStore}.
 */
export async function restoreBackup(config: BackedUp, file: string): Promise<BackupSummary> {
  const from = storeOf(config);
  const restore = async () => restoreStore({ file, driver: await storeDriver(from), specs: SPECS, change: asAnother });
  if (config.mongodbUrl !== undefined) return restore();
  await closedDataDir(config.dataDir);
  return withFileLock(join(config.dataDir, 'secret.restore.lock'), async () => {
    const summary = await restore();
    const { secret = [] } = summary;
    await changeSecretFile(config.dataDir, (lines) =>
      Promise.resolve([...lines, ...secret.filter((line) => !lines.includes(line))]),
    );
    return summary;
  });
}

/** What a backup holds, once all of it has been checked. @throws {BackupFileError} */
export function verifyBackup(file: string): Promise<BackupSummary> {
  return readBackup(file);
}

/** Whether the secret is not in the data folder but a setting, which no backup holds. */
export function isSecretSet({ mongodbUrl, secretKey }: BackedUp): boolean {
  return mongodbUrl !== undefined || secretKey !== undefined;
}

/**
 * A restored store has another place in Redis: finished jobs that lie there under the ids of turns that are owed again would
 * keep these from being queued.
 */
function asAnother(collection: string, { key, row }: WholeRow): WholeRow {
  return collection === secrets.name && key === 'installation'
    ? { key, row: { ...row, value: newSecret() } }
    : { key, row };
}

function storeOf({ mongodbUrl, dataDir, logLevel }: BackedUp) {
  const clock = systemClock;
  return { mongodbUrl, dataDir, clock, logger: createLogger(logLevel === 'info' ? 'warn' : logLevel) };
}

async function demandStore(dataDir: string): Promise<void> {
  const file = join(dataDir, 'store.db');
  await access(file).catch((cause: unknown) => {
    throw new ConfigError([`there is no store at ${file}; set DATA_DIR, or MONGODB_URL, as the agent has it`], {
      cause,
    });
  });
}
