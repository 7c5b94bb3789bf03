import { randomUUID } from 'node:crypto';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { bodyOf, resultOf, serve } from './story.mjs';
import * as rows from './postgres-rows.mjs';
import { deliver } from './postgres-story.mjs';

/** DBOS on PostgreSQL: one workflow of four steps (working, its webhook, booked and completed, its webhook). `dbos.mjs URL`. */
const connectionString = process.argv[2];
const pool = await rows.openRows(connectionString);
DBOS.setConfig({ name: 'story', systemDatabaseUrl: connectionString, logLevel: 'error', runAdminServer: false });

const story = DBOS.registerWorkflow(
  async (buy) => {
    const tell = (client, status, result) =>
      rows.insertDelivery(client, {
        ...{ id: buy.id, url: buy.url },
        body: bodyOf({ id: buy.id, status, idempotency_key: randomUUID(), result }),
      });
    const working = await DBOS.runStep(
      () =>
        rows.inTransaction(pool, async (client) => {
          await rows.moveRun(client, buy.id, 'working');
          return tell(client, 'working');
        }),
      { name: 'working' },
    );
    await DBOS.runStep(() => deliver(pool, working), { name: 'tell working' });
    const completed = await DBOS.runStep(
      () =>
        rows.inTransaction(pool, async (client) => {
          const result = resultOf(buy);
          await rows.insertBuy(client, buy.id, result);
          await rows.moveRun(client, buy.id, 'completed');
          return tell(client, 'completed', result);
        }),
      { name: 'completed' },
    );
    await DBOS.runStep(() => deliver(pool, completed), { name: 'tell completed' });
  },
  { name: 'story' },
);
await DBOS.launch();
await serve(async (buy) => {
  await rows.insertRun(pool, buy);
  await DBOS.startWorkflow(story, { workflowID: buy.id })(buy);
});
