import { randomUUID } from 'node:crypto';
import PgBoss from 'pg-boss';
import { bodyOf, resultOf, send, serve } from './story.mjs';
import * as rows from './postgres-rows.mjs';

/** pg-boss on PostgreSQL: the same rows and transactions as with graphile-worker; it polls, every half second at the quickest. `pg-boss.mjs URL`. */
const connectionString = process.argv[2];
const pool = await rows.openRows(connectionString);
const boss = new PgBoss({ connectionString, max: 20 });
await boss.start();
for (const name of ['story', 'hook']) await boss.createQueue(name);
const within = (client) => ({ db: { executeSql: (text, values) => client.query(text, values) } });
const tell = async (client, buy, status, result) => {
  const body = bodyOf({ id: buy.id, status, idempotency_key: randomUUID(), result });
  const id = await rows.insertDelivery(client, { id: buy.id, url: buy.url, body });
  await boss.send('hook', { id }, within(client));
};
const options = { batchSize: 32, pollingIntervalSeconds: 0.5 };
await boss.work('story', options, (jobs) =>
  Promise.all(
    jobs.map(async ({ data: { id } }) => {
      const buy = await rows.readRun(pool, id);
      await rows.inTransaction(pool, async (client) => {
        await rows.moveRun(client, id, 'working');
        await tell(client, buy, 'working');
      });
      const result = resultOf(buy);
      await rows.inTransaction(pool, async (client) => {
        await rows.insertBuy(client, id, result);
        await rows.moveRun(client, id, 'completed');
        await tell(client, buy, 'completed', result);
      });
    }),
  ),
);
await boss.work('hook', options, (jobs) =>
  Promise.all(
    jobs.map(async ({ data: { id } }) => {
      const { url, body } = await rows.readDelivery(pool, id);
      await rows.recordAttempt(pool, id, await send(url, body));
    }),
  ),
);
await serve((buy) =>
  rows.inTransaction(pool, async (client) => {
    await rows.insertRun(client, buy);
    await boss.send('story', { id: buy.id }, within(client));
  }),
);
