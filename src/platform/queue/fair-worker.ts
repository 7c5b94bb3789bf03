import { raw2NextJobData } from 'bullmq';
import type { Job, Processor, WorkerOptions } from 'bullmq';
import { FAIR_TAKE } from './fair-take-script.ts';
import type { RedisClient } from '../redis/redis-connection.ts';
import { UnreadableJobWorker } from './unreadable-jobs.ts';

type Taken = [fields: string[] | null, id: string | null, nextDueAt: number, owner?: string, isToBeMadeAgain?: 1];

type TakingRedis = RedisClient & {
  fairTake(...args: (string | number)[]): Promise<Taken>;
};

export interface Fairness {
  redis: RedisClient;
  prefix: string;
  /** The member of a payload that names whom a job is for. */
  by: string;
}

/** Whose last job was taken this long ago does not count as somebody who is served here. */
const SERVED_MS = 10_000;

/**
 * A worker that takes jobs round-robin over those they are for, by {@link FAIR_TAKE}, and never more than half of its places
 * for one of them: so whoever comes next finds a place. While it serves several, each has an eighth at most, though two: all that is at work
 * shares one processor, and the few steps of a light job come round once in as many steps as others have jobs at work.
 * How many it has at work for whom it counts by itself, and takes one job after the other.
 */
export class FairWorker extends UnreadableJobWorker {
  /** By the token of a job that is taken and not over: whom it is for. */
  readonly #held = new Map<string, string>();
  /** When a job was last taken for whom, by `performance.now`. */
  readonly #served = new Map<string, number>();
  readonly #fairness: Fairness;
  #taking: Promise<unknown> = Promise.resolve();

  constructor(
    name: string,
    process: Processor<unknown, void>,
    { fairness, ...options }: WorkerOptions & { fairness: Fairness },
  ) {
    super(name, process, options);
    this.#fairness = fairness;
    fairness.redis.defineCommand('fairTake', { numberOfKeys: 11, lua: FAIR_TAKE });
  }

  protected override createBackend(): void {
    super.createBackend();
    this.backend.moveToActive = (token: string) => {
      const taking = this.#taking.then(() => this.#take(token));
      this.#taking = taking.catch(() => undefined);
      return taking;
    };
  }

  async #take(token: string): Promise<unknown[]> {
    const { redis, prefix, by } = this.#fairness;
    const { keys } = this;
    const state = `${prefix}:fair:${this.name}`;
    const named = ['wait', 'active', 'prioritized', 'events', 'delayed', 'meta', 'marker'].map((name) => keys[name]);
    const ofOwners = ['heads', 'rounds', 'state', 'looked'].map((name) => `${state}:${name}`);
    const owners = `${state}:of:`;
    const take = () =>
      (redis as TakingRedis).fairTake(
        ...[...named.map(String), ...ofOwners],
        ...[this.toKey(''), owners, Date.now(), token, this.opts.lockDuration ?? 0, this.id, by],
        ...this.#full(),
      );
    let taken = await take();
    while (taken[4] === 1 && this.closing === undefined) taken = await take();
    const [fields, id, nextDueAt, owner = ''] = taken;
    if (fields !== null) {
      this.#held.set(token, owner);
      this.#served.set(owner, performance.now());
    }
    return raw2NextJobData([fields, id, 0, nextDueAt]) as unknown[];
  }

  /** Those who have as many places as they may. */
  #full(): string[] {
    const counts = new Map<string, number>();
    for (const owner of this.#held.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const half = Math.max(1, Math.floor(this.concurrency / 2));
    const eighth = Math.max(2, Math.floor(this.concurrency / 8));
    const most = this.#servesSeveral(counts) ? Math.min(half, eighth) : half;
    return [...counts].filter(([, count]) => count >= most).map(([owner]) => owner);
  }

  #servesSeveral(atWork: ReadonlyMap<string, number>): boolean {
    const since = performance.now() - SERVED_MS;
    for (const [owner, at] of this.#served) if (at < since && !atWork.has(owner)) this.#served.delete(owner);
    return this.#served.size > 1;
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<unknown, void>> {
    const job = await super.moveToActive(token, name);
    // BullMQ's type does not say that there may be none.
    if ((job as Job | undefined) === undefined) this.#held.delete(token);
    return job;
  }

  /** BullMQ would take the next job along with ending this one, and choose it by itself. */
  override async processJob(
    job: Job<unknown, void>,
    token: string,
    mayTakeNext: () => boolean = () => true,
  ): Promise<undefined | Job<unknown, void>> {
    try {
      await super.processJob(job, token, () => false);
    } finally {
      this.#held.delete(token);
    }
    if (!mayTakeNext() || this.closing !== undefined || this.paused) return undefined;
    try {
      return await this.moveToActive(token, this.opts.name);
    } catch (error) {
      // The loop that called takes it up again, as often as it needs.
      this.emit('error', error as Error);
      return undefined;
    }
  }
}
