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

/** What is due so soon counts as due, in milliseconds. */
const AHEAD_MS = 1_000;

/** Targets whose oldest delivery is remembered from one look to the next. */
const MAX_REMEMBERED = 10_000;

/**
 * What waits for a target that is closed: one queued job, however many deliveries that is. Derived: which those are, and
 * since when, stands in their rows.
 */
export interface WakeUps {
  /** Has what waits there looked at after so many milliseconds, unless it will be anyway; false: the queue does not answer. */
  later(target: GateTarget, delayMs: number): Promise<boolean>;
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

export function createWakeUps(deps: WakeUpDependencies): WakeUps {
  const { queue, deliveries, clock } = deps;
  /** By target: the delivery that was due the longest when it was last looked at. */
  const oldest = new Map<string, string>();

  const add = (target: GateTarget, delayMs: number) =>
    queue.add(`w-${targetKey(target)}`, target, { delayMs: Math.ceil(delayMs) });

  async function isClosed(target: GateTarget): Promise<boolean> {
    const { waitMs } = await roomAt(deps, target);
    if (waitMs > 0) await add(target, waitMs);
    return waitMs > 0;
  }

  return {
    later: (target, delayMs) =>
      add(target, delayMs).then(
        () => true,
        () => false,
      ),
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
      if (waitMs > 0) return { parkMs: waitMs };
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
      await addAttempts(deps, rows);
      return { parkMs: isStuck ? NEXT_LOOK_MS.stuck : NEXT_LOOK_MS.moving };
    },
  };
}
