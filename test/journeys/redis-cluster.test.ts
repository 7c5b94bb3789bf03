import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { loadOrCreateSecret } from '../../src/platform/crypto/secret.ts';
import { createLogger } from '../../src/platform/log.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { findRedis } from '../../src/platform/redis/find-redis.ts';
import { createRateLimiter } from '../../src/platform/redis/rate-limit-redis.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import { startOwnRedisCluster } from '../support/own-redis-cluster.ts';
import type { OwnRedisCluster } from '../support/own-redis-cluster.ts';
import { LONG_MS, until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { beginStory, expectTheWholeStory, isAtRest } from './support/story.ts';
import type { Story } from './support/story.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';

let cluster: OwnRedisCluster;
beforeAll(async () => {
  cluster = await startOwnRedisCluster();
});
afterAll(() => cluster.stop());

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

/** What a node of the cluster is asked by, counted from 0. */
function node(n: number) {
  const found = cluster.nodes[n];
  if (found === undefined) throw new Error(`there is no node ${n}`);
  return found;
}

/** An agent that knows one node, what it logs from `warn` on, and who hears of its work. */
async function open(working: boolean): Promise<{ agent: TestAgent; receiver: Receiver; lines: LogLine[] }> {
  const lines: LogLine[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line) as LogLine) });
  const receiver = await openReceiver();
  cleanUp.push(() => receiver.close());
  const agent = await startTestAgent('sqlite', { env: { REDIS_URL: node(1).url }, working, log });
  cleanUp.push(() => agent.stop());
  return { agent, receiver, lines };
}

interface LogLine {
  msg: string;
  what?: string;
  queue?: string;
  reason?: string;
  err?: { message: string };
}

/** What an installation's keys in Redis bear. */
async function nameOf({ core }: TestAgent): Promise<string> {
  const installation = await loadOrCreateSecret(core.store, core.clock, 'installation');
  return `mba-${createHash('sha256').update(installation).digest('hex').slice(0, 12)}`;
}

/** Until a story is at rest; where it never is, what it waits for is told: turns and attempts that failed meanwhile are backed off. */
async function restOf(story: Story): Promise<void> {
  const { core } = story.agent;
  await until(() => isAtRest(story), 2 * LONG_MS).catch(async (cause: unknown) => {
    const run = await core.store.collection(TaskRuns).get(story.id);
    const { rows } = await core.store.collection(Deliveries).find({ where: { task_id: story.id } });
    throw new Error(`never at rest: ${JSON.stringify({ run, rows })}`, { cause });
  });
}

async function keysOfAll(name: string): Promise<string[]> {
  return (await Promise.all(cluster.nodes.map(({ redis }) => redis.keys(`*${name}*`)))).flat();
}

it('takes a cluster for one as it says itself, and a server alone for that', async () => {
  const log = createLogger('silent');
  const alone = process.env['REDIS_TEST_URL'] ?? '';
  expect(await findRedis(node(2).url, log)).toEqual({ cluster: node(2).url });
  expect(await findRedis(alone, log)).toBe(alone);
});

it('carries a media buy and its webhooks over a cluster, each queue and each destination under a hash tag of its own', async () => {
  const { agent, receiver } = await open(true);
  const story = await beginStory(agent, receiver);
  await until(() => isAtRest(story));
  await expectTheWholeStory(story);
  const keys = await keysOfAll(await nameOf(agent));
  const tags = (of: RegExp) => new Set(keys.filter((key) => of.test(key)).map((key) => /\{(.+?)\}/.exec(key)?.[1]));
  const queues = keys.flatMap((key) => /^\{(mba-\w+:([\w-]+))\}:\2:/.exec(key)?.[2] ?? []);
  expect(new Set(queues).size).toBeGreaterThan(1);
  expect(tags(/^\{[^}]+\}:[\w-]+:/).size).toBe(new Set(queues).size);
  expect(tags(/:gate:/).size).toBe(1);
  expect(keys.filter((key) => key.includes(':limit:')).length).toBeGreaterThan(0);
});

it('counts a budget once over all processes of a cluster', async () => {
  const connection = await findRedis(node(0).url, createLogger('silent'));
  const limit = { name: 'shared', points: 3, seconds: 600 };
  const limiters = [1, 2].map(() => createRateLimiter({ connection, prefix: 'count', logger: createLogger('silent') }));
  for (const limiter of limiters) cleanUp.push(() => limiter.close());
  const allowed: boolean[] = [];
  for (const limiter of [...limiters, ...limiters]) allowed.push((await limiter.take(limit, 'someone')).allowed);
  expect(allowed).toEqual([true, true, true, false]);
});

it('queues again what was owed under the names of a release that put all of an installation on one node', async () => {
  const { agent, receiver } = await open(false);
  const story = await beginStory(agent, receiver);
  const name = await nameOf(agent);
  for (const { redis } of cluster.nodes) await redis.flushall();
  const former = `{${name}}:marker`;
  const said = await Promise.allSettled(cluster.nodes.map(({ redis }) => redis.set(former, 'claimed')));
  expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  agent.work();
  await until(() => isAtRest(story));
  await expectTheWholeStory(story);
});

it('waits while a node is gone, loses nothing that the node forgot, and logs a cause once a minute', async () => {
  const began = performance.now();
  const { agent, receiver, lines } = await open(true);
  const before = await beginStory(agent, receiver);
  await until(() => isAtRest(before));
  const turns = `{${await nameOf(agent)}:task-runs}:marker`;
  const gone = await until(async () => {
    const held = await Promise.all(cluster.nodes.map(({ redis }) => redis.exists(turns).catch(() => 0)));
    return cluster.nodes[held.indexOf(1)];
  });
  await gone.crash();
  await cluster.is(
    'fail',
    cluster.nodes.filter((other) => other !== gone),
  );
  const during = [await beginStory(agent, receiver), await beginStory(agent, receiver)];
  await gone.resume();
  await cluster.is('ok');
  const after = await beginStory(agent, receiver);
  for (const story of [...during, after]) await restOf(story);
  for (const story of [before, ...during, after]) await expectTheWholeStory(story);
  const causes = lines.map(({ msg, what, queue, reason, err }) =>
    JSON.stringify([msg, what, queue, (reason ?? err?.message)?.replace(/\d+/g, '#')]),
  );
  const minutes = Math.ceil((performance.now() - began) / 60_000);
  for (const cause of new Set(causes)) {
    expect(causes.filter((other) => other === cause).length, cause).toBeLessThanOrEqual(minutes);
  }
  expect(causes.join()).toContain('redis');
});
