import { Queue, Worker } from 'bullmq';
import express from 'express';
import { Redis } from 'ioredis';
import { once } from 'node:events';
import { Agent, request } from 'undici';

/** An Express handler that queues a BullMQ job, and a worker that POSTs two webhooks for it. Nothing is stored, signed or checked. `bare.mjs REDIS_SOCKET`. */
const path = process.argv[2];
const queue = new Queue('bare', { connection: new Redis(path), prefix: 'bare' });
const dispatcher = new Agent({ connections: 64 });

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  const answer = await request(url, { method: 'POST', headers, body: JSON.stringify(body), dispatcher });
  await answer.body.dump();
}

new Worker(
  'bare',
  async ({ data }) => {
    await post(data.url, { status: 'working', task_id: data.id });
    await post(data.url, { status: 'completed', task_id: data.id });
  },
  { connection: new Redis(path, { maxRetriesPerRequest: null }), prefix: 'bare', concurrency: 32 },
);

const app = express();
app.use(express.json());
app.post('/', async (incoming, response) => {
  const { url, id } = incoming.body;
  await queue.add('bare', { url, id }, { removeOnComplete: true });
  response.json({ id });
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(JSON.stringify({ base_url: `http://127.0.0.1:${server.address().port}` }));
process.on('SIGTERM', () => process.exit(0));
