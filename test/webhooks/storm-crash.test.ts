import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, expect } from 'vitest';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import { bundle } from '../support/bundle.ts';
import { launch } from '../journeys/support/child.ts';
import { freshDatabase } from '../support/mongo-databases.ts';
import { seededChance } from '../support/chance.ts';
import type { Chance } from '../support/chance.ts';
import { deathOf, faultText, MOMENTS } from '../support/fault-point.ts';
import type { FaultPoint } from '../support/fault-point.ts';
import { startOwnRedis } from '../support/own-redis.ts';
import { until } from '../support/until.ts';
import { EVENTS, finishedRun } from './support/finished-run.ts';
import { hurriedClock } from './support/hurried.ts';
import { openReceiver } from './support/open-receiver.ts';
import { failing } from './support/storm-buyers.ts';
import type { Heard } from './support/storm-buyers.ts';
import { IN_HAND, openStormSender } from './support/storm-sender.ts';
import type { StormPlace } from './support/storm-sender.ts';
import { itOnStores } from '../support/stores.ts';
import type { StoreKind } from '../support/stores.ts';

interface Size {
  /** At the beginning. */
  tasks: number;
  /** Each kind of fault point is chosen once from each of these: how many writes or requests a worker lives. */
  lives: readonly (readonly [least: number, most: number])[];
}

const SIZES: Record<StoreKind, Size> = {
  sqlite: {
    tasks: 2500,
    lives: [
      [1, 8],
      [9, 80],
      [81, 400],
    ],
  },
  mongodb: {
    tasks: 250,
    lives: [
      [1, 8],
      [9, 80],
    ],
  },
};
const RECEIVERS = 10;
const WORKERS = 2;
const FLUSHES = 2;
/** So often the storm is prolonged, by as many tasks as at first, for fault points that nobody has come to yet. */
const MAX_ROUNDS = 10;
/** Ends a storm that hangs; nothing is concluded from how long one takes. In milliseconds. */
const TIMEOUT_MS = 1_500_000;

const cleanUp: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

/** Every kind of instant at every length of life, in the order in which workers are given them. */
function faultPoints(chance: Chance, lives: Size['lives']): FaultPoint[] {
  const kinds = [
    ...MOMENTS.map((moment) => ({ what: 'write', moment }) as const),
    ...(['before', 'after'] as const).map((moment) => ({ what: 'send', moment }) as const),
  ];
  return chance.shuffled(
    lives.flatMap(([least, most]) => kinds.map((kind) => ({ ...kind, n: chance.between(least, most) }))),
  );
}

async function openReceivers(heard: Heard, chance: Chance): Promise<(n: number) => string> {
  const fate = failing(heard, chance);
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
  return (n) => receivers[n % RECEIVERS]?.url() ?? '';
}

itOnStores(
  '[W1] [W6] [W7] on %s a storm of killed workers, flushed queues and failing receivers loses no event and forges none',
  async (kind) => {
    const { tasks, lives } = SIZES[kind];
    const chance = seededChance(`storm on ${kind}`);
    const planned = faultPoints(chance, lives);
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
    const heard: Heard = { events: new Map(), failures: new Map(), states: new Map() };
    const url = await openReceivers(heard, chance);
    const sender = await openStormSender(place);
    cleanUp.push(() => sender.close());
    const clock = hurriedClock(place.beganMs);
    const runs: string[] = [];
    const addTasks = async () => {
      const more = Array.from({ length: tasks }, (_, n) => finishedRun(url(n), clock.now()));
      runs.push(...more.map(({ task_id }) => task_id));
      await sender.store.collection(TaskRuns).insertMany(more);
      await Promise.all(more.map((run) => sender.webhooks.notifier.notify(run)));
    };
    await addTasks();

    const program = await bundle('test/webhooks/support/storm-worker.ts');
    const points = [...planned];
    const hit: FaultPoint[] = [];
    const over = new AbortController();
    const isOver = new Promise<'over'>((resolve) => {
      over.signal.addEventListener('abort', () => {
        resolve('over');
      });
    });
    /** One worker after the other, each killed at its point; the one that finds none left lives until the storm is over. */
    const lineage = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const point = points.shift();
        const CRASH_AT = point === undefined ? '' : faultText(point);
        const worker = launch(program, { STORM: JSON.stringify(place), CRASH_AT });
        if ((await Promise.race([worker.ended, isOver])) === 'over') await worker.kill('SIGKILL');
        else if (point !== undefined && deathOf(worker.output) !== undefined) hit.push(point);
        else throw new Error(`a worker ended that had not come to "${CRASH_AT}":\n${worker.output.stderr}`);
      }
    };
    const lineages = Array.from({ length: WORKERS }, lineage);

    let flushes = 0;
    let heardBefore = 0;
    /** Nothing is owed any more: then whatever was not heard is lost. */
    const isAtRest = async () => {
      const isHearing = heard.events.size > heardBefore;
      heardBefore = heard.events.size;
      return !isHearing && (await sender.store.collection(Deliveries).count({ state: 'pending' })) === 0;
    };
    const weather = until(async () => {
      over.signal.throwIfAborted();
      if (flushes < FLUSHES && heard.events.size >= ((flushes + 1) * tasks * EVENTS) / (FLUSHES + 1)) {
        flushes++;
        await flush(redis.url);
      }
      if (!(await isAtRest())) return false;
      if (hit.length === planned.length || runs.length >= tasks * MAX_ROUNDS) return true;
      await addTasks();
      return false;
    }, TIMEOUT_MS);
    try {
      await Promise.race([weather, ...lineages]);
    } finally {
      over.abort();
      await Promise.allSettled([weather, ...lineages]);
    }

    const notHit = planned.filter((point) => !hit.includes(point));
    expect(notHit.map(faultText)).toEqual([]);
    expect(flushes).toBe(FLUSHES);
    const events = [...heard.events.values()];
    expect(events).toHaveLength(runs.length * EVENTS);
    expect(events.every(({ bytes }) => bytes.size === 1)).toBe(true);
    expect(new Set(runs.map((task_id) => heard.states.get(task_id)?.status))).toEqual(new Set(['completed']));
    // Answered by the receiver and never recorded: at most what a killed worker, or one of a lost queue, had in hand.
    const copies = events.reduce((sum, { times }) => sum + times - 1, 0);
    expect(copies).toBeLessThanOrEqual((hit.length + flushes * WORKERS) * IN_HAND);
  },
  TIMEOUT_MS + 60_000,
);

async function flush(url: string): Promise<void> {
  const redis = new Redis(url.replace('unix://', ''));
  await redis.flushall();
  await redis.quit();
}
