import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { JobOutcome, Queue, QueueSpec } from '../../platform/queue/queue.ts';
import type { GateTarget } from '../../platform/redis/target-gate.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { roomAt } from './admission.ts';
import type { AdmissionDependencies } from './admission.ts';
import { createClosedTargets } from './closed-targets.ts';
import type { Delivery, DeliveryJob } from './delivery.ts';
import { gateTargetOf, targetKey } from './gate-target.ts';
import { addAttempts, attemptJob } from './queue-deliveries.ts';
import type { QueueDeliveriesDependencies } from './queue-deliveries.ts';

/** A target that takes nothing for now is to be looked at again. */
const WakeUpJob = z.object({ organization_id: z.string(), origin: z.string(), path: z.string() });

export const WAKE_UP_QUEUE: QueueSpec<GateTarget> = { name: 'webhook-wake-ups', schema: WakeUpJob };

/** While more is due than a target takes at once, how soon it is looked at again, in milliseconds: by how fast what is due goes. */
const NEXT_LOOK_MS = { least: 100, most: 1_000 };

/** What was queued and is still due is queued again after so many milliseconds; where one at a time is tried, after fewer. */
const AGAIN_MS = { one: 1_000, many: 5_000 };

/** How soon a target is looked at that has just refused, and how long it is left alone at most, in milliseconds. */
const FIRST_LOOK_MS = 5_000;
const MOST_MS = 30_000;

/** What is due so soon counts as due, in milliseconds. */
const AHEAD_MS = 1_000;

/** Targets whose last look is remembered until the next. */
const MAX_REMEMBERED = 10_000;

/**
 * What waits for a target that is closed: one queued job, however many deliveries that is. Derived: which those are, and
 * since when, stands in their rows.
 */
export interface WakeUps {
  /** Has what waits there looked at after so many milliseconds or sooner, unless it will be anyway; false: the queue does not answer. */
  later(target: GateTarget, delayMs: number): Promise<boolean>;
  /** Whether a job that was taken may be left to the wake-up of its target: this has refused within the last second. */
  isFor(job: DeliveryJob): boolean;
  /** Takes the wake-ups of these rows' targets back, since the rows are queued. @throws when the queue does not answer. */
  forget(rows: readonly Delivery[]): Promise<void>;
  /**
   * The rows that may be queued; those that are due at a closed target, or are more than their target takes at once, have a
   * wake-up instead. @throws when Redis does not answer.
   */
  notClosed(rows: readonly Delivery[]): Promise<Delivery[]>;
  /**
   * The same when nothing is queued any more: whatever is due has a wake-up, so that each target is sent what it takes, oldest
   * first. @param woken targets that have theirs already. @throws as above.
   */
  notDue(rows: readonly Delivery[], woken: Set<string>): Promise<Delivery[]>;
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

/** One look at what is due at a target. */
interface Look {
  /** The delivery that was due the longest. */
  oldest: string;
  /** When each was queued, by its attempt's job. */
  queuedAt: ReadonlyMap<string, number>;
}

export function createWakeUps(deps: WakeUpDependencies): WakeUps {
  const { queue, deliveries, clock } = deps;
  /** By target. */
  const looks = new Map<string, Look>();
  const closed = createClosedTargets(
    () => clock.now(),
    (target) => void later(target, 0),
  );

  const add = (target: GateTarget, delayMs: number) =>
    queue.add(jobId(targetKey(target)), target, { delayMs: Math.ceil(Math.min(delayMs, MOST_MS)) });

  async function later(target: GateTarget, delayMs: number): Promise<boolean> {
    try {
      // Of those refused each was given a later time: how long it is closed is asked then.
      await add(target, Math.min(delayMs, FIRST_LOOK_MS));
    } catch {
      return false;
    }
    closed.note(targetKey(target), target, delayMs);
    return true;
  }

  const isDue = ({ target, next_attempt_at }: Delivery, dueBy: string): boolean =>
    target !== undefined && next_attempt_at !== null && next_attempt_at <= dueBy;

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

  /** Whether a target is left to its wake-up, now that so many are due there. */
  async function isLeft(key: string, target: GateTarget, due: number): Promise<boolean> {
    if (closed.has(key)) return true;
    const { waitMs, room } = await roomAt(deps, target);
    if (waitMs <= 0) {
      const isMuch = due > room || looks.has(key);
      if (isMuch) await add(target, 0);
      return isMuch;
    }
    await add(target, waitMs);
    closed.note(key, target, waitMs);
    return true;
  }

  /** Queues those of them that were not just queued. Answers how many these are, and remembers the look. */
  async function queueNew(key: string, rows: readonly Delivery[], oldest: string, room: number): Promise<number> {
    const nowMs = performance.now();
    const againMs = room > 1 ? AGAIN_MS.many : AGAIN_MS.one;
    const last = looks.get(key)?.queuedAt;
    const queuedAt = new Map<string, number>();
    const fresh = rows.filter((row) => {
      const { id } = attemptJob(row);
      const at = last?.get(id);
      const isFresh = at === undefined || nowMs - at >= againMs;
      queuedAt.set(id, isFresh ? nowMs : at);
      return isFresh;
    });
    await addAttempts(deps, fresh);
    if (looks.size >= MAX_REMEMBERED) looks.clear();
    looks.set(key, { oldest, queuedAt });
    return fresh.length;
  }

  return {
    later,
    isFor: (job) => job.target !== undefined && closed.has(job.target, 'leaves'),
    async forget(rows) {
      const keys = new Set(rows.map((row) => row.target ?? targetKey(gateTargetOf(row))));
      for (const key of keys) closed.forget(key);
      await Promise.all([...keys].map((key) => queue.remove(jobId(key))));
    },
    async notClosed(rows) {
      const dueBy = toTimestamp(clock.now());
      const due = new Map<string, { target: GateTarget; count: number }>();
      for (const row of rows.filter((row) => isDue(row, dueBy))) {
        const known = due.get(row.target ?? '') ?? { target: gateTargetOf(row), count: 0 };
        due.set(row.target ?? '', { ...known, count: known.count + 1 });
      }
      const asked = [...due].map(async ([key, { target, count }]) => ((await isLeft(key, target, count)) ? [key] : []));
      const left = new Set((await Promise.all(asked)).flat());
      return rows.filter((row) => !(isDue(row, dueBy) && left.has(row.target ?? '')));
    },
    async notDue(rows, woken) {
      const dueBy = toTimestamp(clock.now());
      const due = rows.filter((row) => isDue(row, dueBy));
      const asleep = new Map(due.map((row) => [row.target ?? '', gateTargetOf(row)]));
      for (const [key, target] of asleep) {
        if (woken.has(key)) continue;
        looks.delete(key);
        await add(target, 0);
        woken.add(key);
      }
      return rows.filter((row) => !isDue(row, dueBy));
    },
    async wake(target) {
      const key = targetKey(target);
      const { waitMs, room } = await roomAt(deps, target);
      if (waitMs > 0) return { parkMs: Math.min(waitMs, MOST_MS) };
      closed.forget(key);
      const { rows } = await deliveries.find({
        where: { target: key, next_attempt_at: { gt: '', lte: toTimestamp(clock.now() + AHEAD_MS) } },
        sort: { field: 'next_attempt_at', direction: 'asc' },
        limit: room,
      });
      const isStuck = rows[0] !== undefined && looks.get(key)?.oldest === rows[0].delivery_id;
      if (rows[0] === undefined) {
        looks.delete(key);
        return undefined;
      }
      const queued = isStuck ? rows : await inTurn(rows);
      const fresh = await queueNew(key, queued, rows[0].delivery_id, room);
      const ids = new Set(queued.map(({ delivery_id }) => delivery_id));
      const isAll = rows.length < room && rows.every(({ delivery_id }) => ids.has(delivery_id));
      // Then all that was due has a job now. Where one at a time is tried, the next one waits for what becomes of it.
      if (room > 1 && isAll) {
        looks.delete(key);
        return undefined;
      }
      return { parkMs: nextLookMs(fresh, room) };
    },
  };
}

/** Soon after a look that found room for half of what a target takes; the later, the less there was. */
function nextLookMs(fresh: number, room: number): number {
  const { least, most } = NEXT_LOOK_MS;
  return fresh === 0 ? most : Math.min(most, Math.max(least, (least * room) / (2 * fresh)));
}
