import PgBoss from 'pg-boss';
import { openRows } from './postgres-rows.mjs';
import { queuedStory } from './postgres-story.mjs';
import { serve } from './story.mjs';

/** pg-boss on PostgreSQL: the same rows and transactions as with graphile-worker; it polls, every half second at the quickest. `pg-boss.mjs URL`. */
const connectionString = process.argv[2];
const pool = await openRows(connectionString);
const boss = new PgBoss({ connectionString, max: 20 });
await boss.start();
const { accept, story, hook } = queuedStory(pool, (client, name, payload) =>
  boss.send(name, payload, { db: { executeSql: (text, values) => client.query(text, values) } }),
);
for (const [name, step] of Object.entries({ story, hook })) {
  await boss.createQueue(name);
  await boss.work(name, { batchSize: 32, pollingIntervalSeconds: 0.5 }, (jobs) =>
    Promise.all(jobs.map(({ data }) => step(data))),
  );
}
await serve(accept);
