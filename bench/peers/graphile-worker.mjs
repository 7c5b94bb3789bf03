import { randomUUID } from 'node:crypto';
import { makeWorkerUtils, run } from 'graphile-worker';
import { bodyOf, resultOf, send, serve } from './story.mjs';
import * as rows from './postgres-rows.mjs';

/** graphile-worker on PostgreSQL: run and job in one transaction; each step's rows and the next job in one. `graphile-worker.mjs URL`. */
const connectionString = process.argv[2];
const pool = await rows.openRows(connectionString);
const utils = await makeWorkerUtils({ pgPool: pool });
await utils.migrate();
const addJob = (client, task, payload) =>
  client.query('SELECT graphile_worker.add_job($1, $2)', [task, JSON.stringify(payload)]);
const tell = async (client, buy, status, result) => {
  const body = bodyOf({ id: buy.id, status, idempotency_key: randomUUID(), result });
  await addJob(client, 'hook', { id: await rows.insertDelivery(client, { id: buy.id, url: buy.url, body }) });
};
await run({
  pgPool: pool,
  concurrency: 32,
  noHandleSignals: true,
  logger: undefined,
  taskList: {
    async story({ id }) {
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
    },
    async hook({ id }) {
      const { url, body } = await rows.readDelivery(pool, id);
      await rows.recordAttempt(pool, id, await send(url, body));
    },
  },
});
await serve((buy) =>
  rows.inTransaction(pool, async (client) => {
    await rows.insertRun(client, buy);
    await addJob(client, 'story', { id: buy.id });
  }),
);
