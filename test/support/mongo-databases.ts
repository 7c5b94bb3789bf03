import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { dropDatabase } from './drop-database.ts';

/**
 * Databases of one run of tests. A compatible server takes longer to make and to drop all collections and indexes of an agent than a
 * short test takes: what one test file has done with, emptied, another of its process uses again. All go when the run ends.
 */
const emptied: string[] = [];

/** By which those of this run are known, whichever process made them. */
const prefix = () => `journey_${process.env['TEST_RUN'] ?? process.pid}_`;

/** The address of a database that nobody has used. */
export function freshDatabase(): string {
  const url = new URL(process.env['MONGODB_TEST_URL'] ?? '');
  url.pathname = `/${prefix()}${randomUUID().slice(0, 8)}`;
  return url.href;
}

/** The address of a database with nothing in it; it may have the collections and indexes of the product. */
export function emptyDatabase(): string {
  return emptied.pop() ?? freshDatabase();
}

/** Empties a database that no process has open any more, for whoever asks for an empty one next. */
export async function giveBackDatabase(url: string): Promise<void> {
  await onDatabase(url, async (connection) => {
    for (const { name } of await connection.listCollections()) await connection.collection(name).deleteMany({});
  });
  emptied.push(url);
}

export async function dropStoreAt(url: string): Promise<void> {
  await onDatabase(url, dropDatabase);
}

/** Drops what is left of a run's databases, if their server still answers. */
export async function dropDatabasesOfRun(): Promise<void> {
  const url = process.env['MONGODB_TEST_URL'];
  if (url === undefined) return;
  const isOfRun = ({ name }: { name: string }) => name.startsWith(prefix());
  await onDatabase(url, async (connection) => {
    const { databases } = await connection.listDatabases();
    for (const { name } of databases.filter(isOfRun)) await dropDatabase(connection.useDb(name));
  }).catch(() => undefined);
}

async function onDatabase(url: string, work: (connection: mongoose.Connection) => Promise<void>): Promise<void> {
  const connection = await mongoose.createConnection(url, { serverSelectionTimeoutMS: 10_000 }).asPromise();
  try {
    await work(connection);
  } finally {
    await connection.close();
  }
}
