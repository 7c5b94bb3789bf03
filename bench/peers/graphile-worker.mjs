import { makeWorkerUtils, run } from 'graphile-worker';
import { openRows } from './postgres-rows.mjs';
import { queuedStory } from './postgres-story.mjs';
import { serve } from './story.mjs';

/** graphile-worker on PostgreSQL: run and job in one transaction; each step's rows and the next job in one. `graphile-worker.mjs URL`. */
const connectionString = process.argv[2];
const pool = await openRows(connectionString);
const utils = await makeWorkerUtils({ pgPool: pool });
await utils.migrate();
const { accept, story, hook } = queuedStory(pool, (client, task, payload) =>
  client.query('SELECT graphile_worker.add_job($1, $2)', [task, JSON.stringify(payload)]),
);
await run({ pgPool: pool, concurrency: 32, noHandleSignals: true, logger: undefined, taskList: { story, hook } });
await serve(accept);
