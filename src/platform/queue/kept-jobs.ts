import type { Job, Queue as BullQueue } from 'bullmq';
import type { Logger } from '../log.ts';
import type { KeptJobs } from './queue.ts';
import type { RedisClient } from '../redis/redis-connection.ts';

/** How long ended jobs wait to be written down together, in milliseconds; and how many of them at most wait. */
const GATHER_MS = 500;
const MOST_WAITING = 500;

/** The longest reason that is kept, in characters. */
const MAX_REASON = 500;

/** Writes down how jobs of a queue ended, for whoever looks at it. */
export interface JobKeeper {
  /** @param failed why it failed; absent: it did not. */
  note(job: Job<unknown>, failed?: string): void;
  /** Writes what still waits. Never rejects. */
  close(): Promise<void>;
}

type KeepingRedis = RedisClient & {
  keepJobs(...args: (string | number)[]): Promise<unknown>;
};

/**
 * Keeps the newest jobs that ended under ids of their own, among BullMQ's completed and failed ones: BullMQ takes no job whose id is
 * there already, ended or not, and a turn whose job ended without doing it is queued again under the same id. What is
 * kept is lost with Redis, and the last half second of it with this process: it tells a story, nothing hangs on it.
 */
export function createJobKeeper(redis: RedisClient, queue: BullQueue, keeps: KeptJobs, logger: Logger): JobKeeper {
  redis.defineCommand('keepJobs', { numberOfKeys: 2, lua: KEEP });
  let waiting: string[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const records = waiting;
    waiting = [];
    if (records.length === 0 || redis.status !== 'ready') return;
    const keys = [queue.toKey('completed'), queue.toKey('failed')];
    try {
      await (redis as KeepingRedis).keepJobs(...keys, queue.toKey(''), keeps.finished, keeps.failed, ...records);
    } catch (error) {
      logger.debug({ queue: queue.name, err: error }, 'ended jobs are not shown');
    }
  }

  return {
    note(job, failed) {
      if (waiting.length >= MOST_WAITING) return;
      waiting.push(recordOf(job, Date.now(), failed));
      timer ??= setTimeout(() => void write(), GATHER_MS).unref();
    },
    close: write,
  };
}

/** A job as BullMQ stores one that has ended. */
function recordOf(job: Job<unknown>, finishedOn: number, failed: string | undefined): string {
  const fields = {
    ...{ name: job.name, data: JSON.stringify(job.data), opts: '{}', timestamp: job.timestamp, delay: 0, priority: 0 },
    ...{ processedOn: job.processedOn ?? finishedOn, finishedOn, ats: job.attemptsStarted, atm: 1 },
    ...(failed === undefined ? { returnvalue: 'null' } : { failedReason: failed.slice(0, MAX_REASON) }),
  };
  const id = `${job.id ?? ''}.${finishedOn.toString(36)}`;
  return JSON.stringify({
    id,
    finishedOn,
    failed: failed !== undefined,
    fields: Object.entries(fields).flat().map(String),
  });
}

/**
 * KEYS: 1 completed, 2 failed. ARGV: 1 what begins the keys of jobs, 2 and 3 how many of each are kept; the rest: jobs. Those that ended first make
 * room.
 */
const KEEP = `
for i = 4, #ARGV do
  local job = cjson.decode(ARGV[i])
  redis.call('HSET', ARGV[1] .. job.id, unpack(job.fields))
  redis.call('ZADD', KEYS[job.failed and 2 or 1], job.finishedOn, job.id)
end
for i = 1, 2 do
  local over = redis.call('ZCARD', KEYS[i]) - tonumber(ARGV[i + 1])
  if over > 0 then
    for _, id in ipairs(redis.call('ZRANGE', KEYS[i], 0, over - 1)) do redis.call('DEL', ARGV[1] .. id) end
    redis.call('ZREMRANGEBYRANK', KEYS[i], 0, over - 1)
  end
end
return 1
`;
