import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import mongoose from 'mongoose';
import { freshDatabase } from '../../support/mongo-databases.ts';
import { FIXTURES } from './promises.ts';
import type { Promises } from './promises.ts';

type EjsonLibrary = { EJSON: { parse(text: string): Record<string, unknown> } };
const { EJSON } = (mongoose.mongo as unknown as { BSON: EjsonLibrary }).BSON;

/** A copy of what a release left, for one test to go on with. */
export interface Restored {
  /** What a process is started with to go on. */
  env: Record<string, string>;
  /** To be called once the store is prepared: see {@link dropExpiry}. */
  dropExpiry(): Promise<void>;
  remove(): Promise<void>;
}

/** Copies a release's data into a fresh folder, and on MongoDB a fresh database; with the Redis of the time, or none. */
export async function restore(release: string, promises: Promises, withRedis: boolean): Promise<Restored> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mba-release-'));
  const archive = fileURLToPath(new URL(`release-${release}/${promises.store}.tar.gz`, FIXTURES));
  execFileSync('tar', ['-xzf', archive, '-C', dataDir]);
  if (!withRedis) await rm(join(dataDir, 'redis'), { recursive: true });
  const url = promises.store === 'mongodb' ? freshDatabase() : undefined;
  if (url !== undefined) await loadDocuments(url, join(dataDir, 'mongodb'), Date.parse(promises.killed_at));
  return {
    env: {
      ...promises.env,
      DATA_DIR: dataDir,
      LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
      ...(url !== undefined && { MONGODB_URL: url }),
    },
    async dropExpiry() {
      if (url !== undefined) await dropExpiry(url);
    },
    async remove() {
      if (url !== undefined) await withDatabase(url, (connection) => connection.dropDatabase());
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Inserts the documents as they were, but for `_expires_at`, by which the server deletes: it is moved by as much as time
 * has passed since, so that a row has as long to live as when it was kept. The row's own field is left alone.
 */
async function loadDocuments(url: string, folder: string, keptMs: number): Promise<void> {
  const agoMs = Date.now() - keptMs;
  await withDatabase(url, async (connection) => {
    for (const file of await readdir(folder)) {
      const lines = (await readFile(join(folder, file), 'utf8')).split('\n').filter((line) => line !== '');
      const documents = lines.map((line) => EJSON.parse(line));
      for (const document of documents) {
        const expiry = document['_expires_at'];
        if (expiry instanceof Date) document['_expires_at'] = new Date(expiry.getTime() + agoMs);
      }
      if (documents.length > 0) await connection.collection(file.replace('.jsonl', '')).insertMany(documents);
    }
  });
}

/**
 * The test's clock stands where the fixture was kept, so what is written by it has expired long ago for a server that
 * deletes by its own clock: the index that makes it do so is dropped.
 */
async function dropExpiry(url: string): Promise<void> {
  await withDatabase(url, async (connection) => {
    for (const { name } of await connection.listCollections()) {
      const indexes = await connection.collection(name).indexes();
      if (indexes.some((index) => index.name === '_expires')) await connection.collection(name).dropIndex('_expires');
    }
  });
}

async function withDatabase<T>(url: string, use: (connection: mongoose.Connection) => Promise<T>): Promise<T> {
  const connection = await mongoose.createConnection(url).asPromise();
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
