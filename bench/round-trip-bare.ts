import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Queue, Worker } from 'bullmq';
import express from 'express';
import { Redis } from 'ioredis';
import { Agent, request } from 'undici';

/**
 * The peer of the round-trip benchmark, a process of its own: an Express handler that queues a BullMQ job, and a worker
 * that POSTs two webhooks for it. Nothing is stored, signed or checked. `round-trip-bare.ts REDIS_SOCKET`.
 */
const path = process.argv[2] ?? '';
interface Job {
  url: string;
  id: string;
}
const queue = new Queue<Job>('bare', { connection: new Redis(path), prefix: 'bare' });
const dispatcher = new Agent({ connections: 64 });

async function post(url: string, body: unknown): Promise<void> {
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    dispatcher,
  });
  await answer.body.dump();
}

new Worker<Job>(
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
  const { url, id } = incoming.body as Job;
  await queue.add('bare', { url, id }, { removeOnComplete: true });
  response.json({ id });
});
const server = createServer(app);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.({ port: (server.address() as AddressInfo).port });
process.on('disconnect', () => process.exit());
