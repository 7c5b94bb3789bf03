import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { bodyOf, resultOf, send, serve } from './story.mjs';

/** BullMQ with zod and signatures, a job for the story and one for each webhook; no database. `bullmq-signed.mjs REDIS_SOCKET`. */
const path = process.argv[2];
const kept = { removeOnComplete: true };
const queue = (name) => new Queue(name, { connection: new Redis(path), prefix: 'signed' });
const [stories, hooks] = [queue('stories'), queue('hooks')];
const work = (name, process) =>
  new Worker(name, process, {
    connection: new Redis(path, { maxRetriesPerRequest: null }),
    prefix: 'signed',
    concurrency: 64,
  });
work('stories', async ({ data: buy }) => {
  const tell = (status, result) => {
    const body = bodyOf({ id: buy.id, status, idempotency_key: randomUUID(), result });
    return hooks.add('hook', { url: buy.url, body }, kept);
  };
  await tell('working');
  await tell('completed', resultOf(buy));
});
work('hooks', async ({ data: { url, body } }) => {
  await send(url, body);
});
await serve((buy) => stories.add('story', buy, kept));
