import type { Queue as BullQueue } from 'bullmq';
import { withinDeadline } from '../redis/redis-connection.ts';

/** A queue as an operator sees it. */
export interface QueueState {
  queue: string;
  /** Nothing is taken from it, by any worker; what comes in waits. */
  is_paused: boolean;
  waiting: number;
  active: number;
  delayed: number;
}

/** Queues are paused and resumed by people, for all workers at once; nothing is lost, and what is owed waits. */
export interface QueuePauses {
  /** Those of this process, by name. Rejects within 5 s when Redis does not answer. */
  list(): Promise<QueueState[]>;
  /** Undefined for a queue there is not. Doing it again changes nothing. */
  pause(name: string): Promise<QueueState | undefined>;
  resume(name: string): Promise<QueueState | undefined>;
}

export function queuePauses(queues: ReadonlyMap<string, BullQueue>): QueuePauses {
  async function stateOf(queue: BullQueue): Promise<QueueState> {
    const asking = Promise.all([queue.isPaused(), queue.getJobCounts('wait', 'prioritized', 'active', 'delayed')]);
    const [is_paused, counts] = await withinDeadline(asking, `state of ${queue.name}`);
    const count = (...states: string[]): number => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
    const waiting = count('wait', 'prioritized');
    return { queue: queue.name, is_paused, waiting, active: count('active'), delayed: count('delayed') };
  }

  async function change(name: string, way: 'pause' | 'resume'): Promise<QueueState | undefined> {
    const queue = queues.get(name);
    if (queue === undefined) return undefined;
    await withinDeadline(queue[way](), `${way} of ${name}`);
    return stateOf(queue);
  }

  return {
    async list() {
      const states = await Promise.all([...queues.values()].map(stateOf));
      return states.sort((a, b) => (a.queue < b.queue ? -1 : 1));
    },
    pause: (name) => change(name, 'pause'),
    resume: (name) => change(name, 'resume'),
  };
}
