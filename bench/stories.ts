import { compareStories } from './story-rounds.ts';
import { databaseOf, startAlone, startOnPostgres, startOnRedis, startOurs } from './story-sides.ts';
import type { StorySide } from './story-sides.ts';

/** In turns in one run; the first is what the others are compared with. */
const SIDES: readonly (() => Promise<StorySide>)[] = [
  () => startOurs('this agent, embedded store'),
  ...(process.env['MONGODB_TEST_URL'] === undefined
    ? []
    : [() => startOurs('this agent, MongoDB', { MONGODB_URL: databaseOf('stories') ?? '' })]),
  () => startOnPostgres('graphile-worker on PostgreSQL', 'graphile-worker.mjs', 'graphile-worker'),
  () => startOnPostgres('DBOS on PostgreSQL', 'dbos.mjs', '@dbos-inc/dbos-sdk'),
  () => startOnPostgres('pg-boss on PostgreSQL', 'pg-boss.mjs', 'pg-boss'),
  () => startAlone('Restate', 'restate.mjs', `@restatedev/restate-server-${process.platform}-${process.arch}`),
  () => startOnRedis('BullMQ, zod, signatures; no database', 'bullmq-signed.mjs'),
  () => startOnRedis('bare BullMQ + undici', 'bare.mjs'),
];

/**
 * A story is a buy of three packages with a webhook, from the call until its `completed` has come.
 *
 * Inside the clock: the HTTP call, all checks, all rows, both webhooks; CPU is that of all processes of a side, its Redis, or
 * PostgreSQL among them, also what they do between rounds' ends; a stall is the longest of all rounds that held up the agent's process. Outside: starting, the receiver, and the callers, which are this
 * process, and the rounds that warm up. The peers keep run, buy and delivery rows, Restate the same in its own log, and sign as the agent does; they speak no A2A, and have no idempotency
 * keys, no address guard, no budgets, no ad server, no reports. The bare one keeps, checks and signs nothing.
 */
export function benchStories(): Promise<void> {
  return compareStories(SIDES);
}
