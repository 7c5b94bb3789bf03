import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, expect, it } from 'vitest';
import { toTimestamp } from '../../src/platform/clock.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import type { TaskRun } from '../../src/runtime/task-run.ts';
import { bundle, launch } from '../journeys/support/child.ts';
import { freshDatabase, STORES } from '../journeys/support/test-agent.ts';
import { startOwnRedis } from '../support/own-redis.ts';
import { until } from '../support/until.ts';
import { hurriedClock } from './support/hurried.ts';
import { openReceiver } from './support/open-receiver.ts';
import type { Received } from './support/open-receiver.ts';
import { openStormSender } from './support/storm-sender.ts';
import type { StormPlace } from './support/storm-sender.ts';

/** Two events each. Ten thousand events where there is time for them, which is in continuous integration. */
const TASKS = { sqlite: process.env['CI'] ? 5000 : 1000, mongodb: 250 };
const RECEIVERS = 10;
const WORKERS = 2;
const CONCURRENCY = 64;
/** How long a worker lives from when it begins to work. */
const LIFE_MS = { least: 6_000, more: 8_000 };
/** Of a hundred requests, so many are failed. */
const FAILING_PERCENT = 30;
/** One event is failed no more often, so that how long the storm lasts is no matter of luck. */
const MOST_FAILURES = 4;

const cleanUp: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
}, 60_000);

/** What a buyer knows of the events that it has answered with 2xx. */
interface Heard {
  /** By idempotency key: how often, and in what bytes. */
  events: Map<string, { times: number; bytes: Set<string> }>;
  /** By idempotency key: how often it was failed. */
  failures: Map<string, number>;
  /** By task: the newest status, older ones ignored (rule C.events.4). */
  states: Map<string, { timestamp: string; status: string }>;
  requests: number;
}

/** Fails some of the requests, by 503 or by closing the connection. */
function failing(heard: Heard) {
  return ({ rawBody, body }: Received): 'fails' | 'closes' | undefined => {
    heard.requests++;
    const chance = createHash('sha256').update(`${heard.requests}`).digest().readUInt8(0) / 2.56;
    const key = String(body['idempotency_key']);
    const failures = heard.failures.get(key) ?? 0;
    if (chance < FAILING_PERCENT && failures < MOST_FAILURES) {
      heard.failures.set(key, failures + 1);
      return chance < FAILING_PERCENT / 2 ? 'fails' : 'closes';
    }
    const event = heard.events.get(key) ?? { times: 0, bytes: new Set() };
    event.times++;
    event.bytes.add(createHash('sha256').update(rawBody).digest('hex'));
    heard.events.set(key, event);
    const [task, timestamp, status] = [body['task_id'], body['timestamp'], body['status']].map(String) as [
      string,
      string,
      string,
    ];
    if ((heard.states.get(task)?.timestamp ?? '') < timestamp) heard.states.set(task, { timestamp, status });
    return undefined;
  };
}

/** A task that has worked and completed, and that has told nobody yet. */
function finishedRun(url: string, nowMs: number): TaskRun {
  const at = (ms: number) => toTimestamp(nowMs + ms);
  const status = (sequence: number, state: TaskRun['state']) =>
    ({ kind: 'status', sequence, state, timestamp: at(sequence), message: state, data: { n: sequence } }) as const;
  return {
    task_id: randomUUID(),
    revision: 1,
    organization_id: 'buyer',
    principal_id: 'key-1',
    task_type: 'create_media_buy',
    context_id: randomUUID(),
    message_key: randomUUID(),
    messages: [],
    input: {},
    idempotency_key: null,
    idempotency_live: false,
    exclusive_key: null,
    exclusive_live: false,
    request_hash: '0',
    registrations: [
      { registration_id: 'r1', channel: 'mcp', url, operation_id: 'op', mode: 'rfc9421', created_at: at(0) },
    ],
    state: 'completed',
    events: [status(1, 'submitted'), status(2, 'working'), status(3, 'completed')],
    run_due_at: null,
    turn: 0,
    faults: 0,
    notified_sequence: 1,
    notify_due_at: at(2),
    created_at: at(0),
    updated_at: at(3),
    expires_at: null,
  };
}

it.each(STORES)(
  '[W1] [W6] [W7] on %s a storm of killed workers, flushed queues and failing receivers loses no event and forges none',
  async (kind) => {
    const tasks = TASKS[kind];
    const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-storm-'));
    cleanUp.push(() => rm(dataDir, { recursive: true, force: true }));
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.stop());
    const place: StormPlace = {
      dataDir,
      redisUrl: redis.url,
      beganMs: Date.now(),
      ...(kind === 'mongodb' && { mongodbUrl: freshDatabase() }),
    };
    const heard: Heard = { events: new Map(), failures: new Map(), states: new Map(), requests: 0 };
    const fate = failing(heard);
    const receivers = await Promise.all(
      Array.from({ length: RECEIVERS }, () =>
        openReceiver((response, _n, received) => {
          const how = fate(received);
          if (how === 'closes') response.destroy();
          else response.writeHead(how === 'fails' ? 503 : 204).end();
          received.rawBody = Buffer.alloc(0);
        }),
      ),
    );
    cleanUp.push(() => Promise.all(receivers.map((receiver) => receiver.close())));

    const sender = await openStormSender(place);
    cleanUp.push(() => sender.close());
    const clock = hurriedClock(place.beganMs);
    const url = (n: number) => receivers[n % RECEIVERS]?.url() ?? '';
    const runs = Array.from({ length: tasks }, (_, n) => finishedRun(url(n), clock.now()));
    await sender.store.collection(TaskRuns).insertMany(runs);
    await Promise.all(runs.map((run) => sender.webhooks.notifier.notify(run)));

    const program = await bundle('test/webhooks/support/storm-worker.ts');
    let kills = 0;
    let isOver = false;
    /** One worker after the other, each killed in the middle of its work. */
    const lineage = async (): Promise<void> => {
      while (!isOver) {
        const worker = launch(program, { STORM: JSON.stringify(place) });
        await until(() => worker.output.stdout.includes('ready'), 60_000);
        await delay(LIFE_MS.least + Math.random() * LIFE_MS.more, undefined, { signal: over.signal }).catch(() => null);
        await worker.kill('SIGKILL');
        kills++;
      }
    };
    const over = new AbortController();
    const lineages = Promise.all(Array.from({ length: WORKERS }, lineage));
    let flushes = 0;
    try {
      await until(async () => {
        if (heard.events.size >= ((flushes + 1) * tasks * 2) / 3 && flushes < 2) {
          flushes++;
          await flush(redis.url);
        }
        return heard.events.size === tasks * 2 && flushes === 2;
      }, 400_000);
    } finally {
      isOver = true;
      over.abort();
      await lineages;
    }

    const events = [...heard.events.values()];
    const ended = runs.map(({ task_id }) => heard.states.get(task_id)?.status);
    expect(new Set(ended)).toEqual(new Set(['completed']));
    expect(events.every(({ bytes }) => bytes.size === 1)).toBe(true);
    const copies = events.reduce((sum, { times }) => sum + times - 1, 0);
    // Answered by the receiver and never recorded: at most what a killed worker, or one of a lost queue, had in hand.
    expect(copies).toBeLessThanOrEqual((kills + flushes * WORKERS) * CONCURRENCY);
    expect(kills).toBeGreaterThan(WORKERS);
  },
  420_000,
);

async function flush(url: string): Promise<void> {
  const redis = new Redis(url.replace('unix://', ''));
  await redis.flushall();
  await redis.quit();
}
