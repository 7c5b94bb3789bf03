import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import type { Connection } from 'mongoose';

/** A database of its own on the MongoDB at `MONGODB_TEST_URL`. */
export interface MongoPlace {
  /** The server's URL, naming the database. */
  target: string;
  /** A connection that no store knows of. */
  connection: Connection;
  /** Drops the database. */
  remove(): Promise<void>;
}

/** Undefined when there is no MongoDB to test with. */
export const mongoTestUrl = process.env['MONGODB_TEST_URL'];

export async function createMongoPlace(): Promise<MongoPlace> {
  const url = new URL(mongoTestUrl ?? '');
  url.pathname = `/t_${randomUUID()}`;
  const connection = await mongoose.createConnection(url.href).asPromise();
  const remove = async () => {
    await connection.dropDatabase();
    await connection.close();
  };
  return { target: url.href, connection, remove };
}
