import type { Connection } from 'mongoose';

/** Drops a database one collection after the other: servers that keep it in SQL lock all of it at once otherwise. */
export async function dropDatabase(connection: Connection): Promise<void> {
  for (const { name } of await connection.listCollections()) await connection.dropCollection(name);
  await connection.dropDatabase();
}
