import { randomUUID } from 'node:crypto';
import { bodyOf, resultOf, send } from './story.mjs';
import * as rows from './postgres-rows.mjs';

/** The steps of a story for queues in PostgreSQL: each step's rows and the next job in one transaction. `addJob(client, name, payload)` adds it. */
export function queuedStory(pool, addJob) {
  const tell = async (client, buy, status, result) => {
    const body = bodyOf({ id: buy.id, status, idempotency_key: randomUUID(), result });
    await addJob(client, 'hook', { id: await rows.insertDelivery(client, { id: buy.id, url: buy.url, body }) });
  };
  return {
    accept: (buy) =>
      rows.inTransaction(pool, async (client) => {
        await rows.insertRun(client, buy);
        await addJob(client, 'story', { id: buy.id });
      }),
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
    hook: ({ id }) => deliver(pool, id),
  };
}

/** One attempt at a delivery, and the record of it. */
export async function deliver(pool, id) {
  const { url, body } = await rows.readDelivery(pool, id);
  await rows.recordAttempt(pool, id, await send(url, body));
}
