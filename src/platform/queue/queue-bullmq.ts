import { randomUUID } from 'node:crypto';
import { Queue as BullQueue } from 'bullmq';
import type { JobsOptions } from 'bullmq';
import type { Logger } from '../log.ts';
import { queuePauses } from './queue-pauses.ts';
import type { QueuePauses } from './queue-pauses.ts';
import { redisAheadMs, redisFacts } from './redis-facts.ts';
import type { RedisFacts } from './redis-facts.ts';
import { workerBeats } from './worker-beats.ts';
import type { WorkerBeats } from './worker-beats.ts';
import { startWorker } from './queue-worker-bullmq.ts';
import type { AddOptions, Queue, QueueSpec, QueueWorker, Queues } from './queue.ts';
import { closeRedis, createOutageLog, openRedis, withinDeadline } from '../redis/redis-connection.ts';
import type { RedisAddress, RedisClient } from '../redis/redis-connection.ts';

export interface QueuesOptions {
  connection: RedisAddress;
  /** Begins every key, so that several products or test files share one Redis. No `:` at the end. */
  prefix: string;
  logger: Logger;
}

/** The {@link Queues} port, and what only its console needs. */
export interface BullQueues extends Queues {
  /** BullMQ's own queue objects for the names asked for so far: for a queue console (bull-board), nothing else. */
  bullQueues(): unknown[];
  /** For operators. */
  pauses: QueuePauses;
  /** What stands in each queue asked for so far. */
  looks(): Promise<QueueLook[]>;
  /** Which workers there are, over all processes. */
  beats: WorkerBeats;
  /** What the Redis says of itself. */
  facts(): Promise<RedisFacts>;
  /** See {@link redisAheadMs}. */
  clockAheadMs(): Promise<number>;
  /** The places of this process's workers, by queue. */
  slots(): { queue: string; places: number; busy: number }[];
}

/** What stands in a queue. */
export interface QueueLook {
  queue: string;
  jobs: Awaited<ReturnType<Queue<unknown>['counts']>>;
  /** When the oldest of those that come next, a hundred at most, was added, in milliseconds; undefined where none waits. */
  oldestMs: number | undefined;
}

/** Of a queue's waiting jobs, so many are asked for their age. */
const NEXT_JOBS = 100;

/** Jobs added in one round trip at most. */
const BATCH = 1000;

/**
 * Queues over BullMQ. A job leaves Redis when it is done or given up (what a queue keeps to be looked at are copies), and BullMQ never retries it: retries are decided
 * by rows in the store. With Redis away, adding fails after 5 s (the reconciler queues again) and workers wait.
 */
export function createQueues({ connection, prefix, logger }: QueuesOptions): BullQueues {
  const outages = createOutageLog(logger, 'queue');
  const redis = openRedis(connection, outages);
  const forWorkers = openRedis(connection, outages, { maxRetriesPerRequest: null, lazyConnect: true });
  const queues = new Map<string, BullQueue>();
  const workers = new Map<QueueWorker, { queue: string; places: number }>();
  /** In a cluster each queue has a hash tag of its own, so that queues spread over nodes. */
  const isCluster = typeof connection !== 'string';
  const prefixOf = (name: string) => (isCluster ? `{${prefix}:${name}}` : prefix);
  // A node of a cluster may lose its memory alone: there is a marker beside each queue.
  const markerOf = (name: string) => `${prefixOf(name)}:marker`;
  /** What was found lost while another marker could not be asked about. */
  let hasLost = false;
  const unsettledClaims = new Map<string, string[]>();

  const bull = (name: string): BullQueue => {
    const known = queues.get(name);
    if (known) return known;
    const created = new BullQueue(name, {
      connection: redis,
      prefix: prefixOf(name),
      skipVersionCheck: true,
      streams: { events: { maxLen: 100 } },
    });
    created.on('error', (error) => {
      logger.debug({ queue: name, reason: error.message }, 'queue error');
    });
    queues.set(name, created);
    return created;
  };

  /** Whether the marker was missing, and this is who has set it again. */
  async function claim(marker: string): Promise<boolean> {
    // Redis may have carried out a claim whose answer was lost: a claim is known by its own value, and one without
    // an answer is asked about again.
    const unsettled = unsettledClaims.get(marker) ?? [];
    unsettledClaims.set(marker, unsettled);
    const own = unsettled.pop() ?? randomUUID();
    const claiming = async () => (await redis.set(marker, own, 'NX')) === 'OK' || (await redis.get(marker)) === own;
    try {
      return await withinDeadline(claiming(), 'claim of the marker');
    } catch (error) {
      unsettled.push(own);
      throw error;
    }
  }

  return {
    queue: <T>({ name }: QueueSpec<T>) => portOf<T>(bull(name), redis),
    work(spec, handler, { concurrency }) {
      const worker = startWorker({
        spec,
        queue: bull(spec.name),
        prefix: prefixOf(spec.name),
        connection: forWorkers,
        keeper: redis,
        handler,
        concurrency,
        logger,
      });
      workers.set(worker, { queue: spec.name, places: concurrency });
      return {
        busy: () => worker.busy(),
        async close(graceMs) {
          await worker.close(graceMs);
          workers.delete(worker);
        },
      };
    },
    async wasFlushed() {
      const markers = new Set(isCluster ? [...queues.keys()].map(markerOf) : [markerOf('')]);
      for (const marker of markers) if (await claim(marker)) hasLost = true;
      const told = hasLost;
      hasLost = false;
      return told;
    },
    async ping() {
      await withinDeadline(redis.ping(), 'ping');
    },
    async close() {
      await Promise.all([...workers.keys()].map((worker) => worker.close(0)));
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await Promise.all([closeRedis(redis, outages), closeRedis(forWorkers, outages)]);
    },
    bullQueues: () => [...queues.values()],
    pauses: queuePauses(queues),
    beats: workerBeats(redis, prefix),
    facts: () => redisFacts(redis),
    clockAheadMs: () => redisAheadMs(redis),
    looks: () => Promise.all([...queues.values()].map((queue) => look(queue, redis))),
    slots: () => [...workers].map(([worker, { queue, places }]) => ({ queue, places, busy: worker.busy() })),
  };
}

async function look(queue: BullQueue, redis: RedisClient): Promise<QueueLook> {
  const [jobs, waiting] = await Promise.all([
    portOf(queue, redis).counts(),
    withinDeadline(queue.getJobs(['wait', 'prioritized'], 0, NEXT_JOBS - 1, true), `a look at ${queue.name}`),
  ]);
  // One that was taken in between is none.
  const added = waiting.flatMap((job: { timestamp: number } | undefined) => job?.timestamp ?? []);
  return { queue: queue.name, jobs, oldestMs: added.length === 0 ? undefined : Math.min(...added) };
}

function portOf<T>(bull: BullQueue, redis: RedisClient): Queue<T> {
  return {
    name: bull.name,
    async add(id, data, options) {
      await withinDeadline(bull.add(bull.name, data, jobOptions(id, options)), `add to ${bull.name}`);
    },
    async addMany(jobs) {
      for (let start = 0; start < jobs.length; start += BATCH) {
        const batch = jobs.slice(start, start + BATCH);
        const entries = batch.map(({ id, data, options }) => ({
          name: bull.name,
          data,
          opts: jobOptions(id, options),
        }));
        await withinDeadline(bull.addBulk(entries), `add to ${bull.name}`);
      }
    },
    async missing(ids) {
      const gone = new Set<string>();
      for (let start = 0; start < ids.length; start += BATCH) {
        const batch = ids.slice(start, start + BATCH);
        // The client sends together what is asked in one turn.
        const asking = Promise.all(batch.map((id) => redis.exists(bull.toKey(id))));
        const found = await withinDeadline(asking, `look into ${bull.name}`);
        for (const [i, id] of batch.entries()) if (found[i] === 0) gone.add(id);
      }
      return gone;
    },
    async remove(id) {
      await withinDeadline(bull.remove(id), `remove from ${bull.name}`);
    },
    async counts() {
      const counting = bull.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed');
      const counts = await withinDeadline(counting, `counts of ${bull.name}`);
      const count = (state: string): number => counts[state] ?? 0;
      return {
        waiting: count('wait') + count('prioritized'),
        active: count('active'),
        delayed: count('delayed'),
        failed: count('failed'),
      };
    },
  };
}

/** Names that BullMQ keeps things of its own under, beside the jobs. */
const RESERVED_IDS = new Set(
  (
    'active wait waiting-children paused id delayed prioritized stalled-check completed failed stalled repeat ' +
    'limiter meta events pc marker de metrics'
  ).split(' '),
);

function jobOptions(jobId: string, { delayMs, priority }: AddOptions = {}): JobsOptions {
  if (!/^(?!\d+$)[\w.-]+$/.test(jobId) || RESERVED_IDS.has(jobId)) throw new TypeError(`not a job id: ${jobId}`);
  return {
    jobId,
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
    ...(delayMs !== undefined && { delay: delayMs }),
    ...(priority !== undefined && { priority }),
  };
}
