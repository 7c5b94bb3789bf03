import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { JobOutcome, Queue, QueueSpec } from '../../platform/queue/queue.ts';
import type { GateTarget } from '../../platform/redis/target-gate.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { roomAt } from './admission.ts';
import type { AdmissionDependencies } from './admission.ts';
import type { Delivery } from './delivery.ts';
import { gateTargetOf, targetKey } from './gate-target.ts';
import { addAttempts } from './queue-deliveries.ts';
import type { QueueDeliveriesDependencies } from './queue-deliveries.ts';

/** A target that takes nothing for now is to be looked at again. */
const WakeUpJob = z.object({ organization_id: z.string(), origin: z.string(), path: z.string() });

export const WAKE_UP_QUEUE: QueueSpec<GateTarget> = { name: 'webhook-wake-ups', schema: WakeUpJob };

/** While more is due than a target takes at once, how soon it is looked at again, in milliseconds. */
const NEXT_LOOK_MS = { moving: 100, stuck: 1_000 };

/** How soon a target is looked at that has just refused, and how long it is left alone at most, in milliseconds. */
const FIRST_LOOK_MS = 5_000;
const MOST_MS = 30_000;

/** What is due so soon counts as due, in milliseconds. */
const AHEAD_MS = 1_000;

/** Targets whose oldest delivery is remembered from one look to the next. */
const MAX_REMEMBERED = 10_000;

/**
 * What waits for a target that is closed: one queued job, however many deliveries that is. Derived: which those are, and
 * since when, stands in their rows.
 */
export interface WakeUps {
  /** Has what waits there looked at after so many milliseconds or sooner, unless it will be anyway; false: the queue does not answer. */
  later(target: GateTarget, delayMs: number): Promise<boolean>;
  /** Takes the wake-ups of these rows' targets back, since the rows are queued. @throws when the queue does not answer. */
  forget(rows: readonly Delivery[]): Promise<void>;
  /** The rows that may be queued; those that are due at a closed target have a wake-up instead. @throws when Redis does not answer. */
  notClosed(rows: readonly Delivery[]): Promise<Delivery[]>;
  /**
   * Queues what is due at a target, oldest first and no more than it takes at once, again and again until nothing is. While it
   * is closed, waits.
   */
  wake(target: GateTarget): Promise<JobOutcome>;
}

export interface WakeUpDependencies
  extends AdmissionDependencies, Pick<QueueDeliveriesDependencies, 'lanes' | 'clock'> {
  deliveries: Collection<Delivery>;
  queue: Queue<GateTarget>;
}

/** Of the wake-up of a target, by its key. */
function jobId(key: string): string {
  return `w-${key}`;
}

export function createWakeUps(deps: WakeUpDependencies): WakeUps {
  const { queue, deliveries, clock } = deps;
  /** By target: the delivery that was due the longest when it was last looked at. */
  const oldest = new Map<string, string>();

  const add = (target: GateTarget, delayMs: number) =>
    queue.add(jobId(targetKey(target)), target, { delayMs: Math.ceil(Math.min(delayMs, MOST_MS)) });

  /** Earlier events of a task in place of later ones, where none was tried yet (rule W17): who probes must not have to wait. */
  async function inTurn(rows: readonly Delivery[]): Promise<readonly Delivery[]> {
    const before = (row: Delivery) => (row.attempts.length === 0 ? row.follows : undefined);
    const ids = new Set(rows.flatMap((row) => before(row) ?? []));
    const found = ids.size === 0 ? [] : await deliveries.getMany([...ids], { skipUnreadable: true });
    const earlier = found.filter(({ state, attempts }) => state === 'pending' && attempts.length === 0);
    const untried = new Set(earlier.map(({ delivery_id }) => delivery_id));
    const others = rows.filter((row) => !untried.has(row.delivery_id) && !untried.has(before(row) ?? ''));
    return [...earlier, ...others];
  }

  async function isClosed(target: GateTarget): Promise<boolean> {
    const { waitMs } = await roomAt(deps, target);
    if (waitMs > 0) await add(target, waitMs);
    return waitMs > 0;
  }

  return {
    later: (target, delayMs) =>
      // Of those refused each was given a later time: how long it is closed is asked then.
      add(target, Math.min(delayMs, FIRST_LOOK_MS)).then(
        () => true,
        () => false,
      ),
    async forget(rows) {
      const keys = new Set(rows.map((row) => row.target ?? targetKey(gateTargetOf(row))));
      await Promise.all([...keys].map((key) => queue.remove(jobId(key))));
    },
    async notClosed(rows) {
      const dueBy = toTimestamp(clock.now());
      const isDue = ({ target, next_attempt_at }: Delivery) =>
        target !== undefined && next_attempt_at !== null && next_attempt_at <= dueBy;
      const targets = new Map(rows.filter(isDue).map((row) => [row.target, gateTargetOf(row)]));
      const looks = [...targets].map(async ([key, target]) => ({ key, closed: await isClosed(target) }));
      const closed = new Set((await Promise.all(looks)).filter((look) => look.closed).map(({ key }) => key));
      return rows.filter((row) => !(isDue(row) && closed.has(row.target)));
    },
    async wake(target) {
      const { waitMs, room } = await roomAt(deps, target);
      if (waitMs > 0) return { parkMs: Math.min(waitMs, MOST_MS) };
      const key = targetKey(target);
      const { rows } = await deliveries.find({
        where: { target: key, next_attempt_at: { gt: '', lte: toTimestamp(clock.now() + AHEAD_MS) } },
        sort: { field: 'next_attempt_at', direction: 'asc' },
        limit: room,
      });
      const isStuck = rows[0] !== undefined && oldest.get(key) === rows[0].delivery_id;
      oldest.delete(key);
      if (rows[0] === undefined) return undefined;
      if (oldest.size >= MAX_REMEMBERED) oldest.clear();
      oldest.set(key, rows[0].delivery_id);
      const queued = isStuck ? rows : await inTurn(rows);
      await addAttempts(deps, queued);
      const ids = new Set(queued.map(({ delivery_id }) => delivery_id));
      const isAll = rows.length < room && rows.every(({ delivery_id }) => ids.has(delivery_id));
      // Then all that was due has a job now. Where one at a time is tried, the next one waits for what becomes of it.
      if (room > 1 && isAll) return undefined;
      return { parkMs: isStuck ? NEXT_LOOK_MS.stuck : NEXT_LOOK_MS.moving };
    },
  };
}
