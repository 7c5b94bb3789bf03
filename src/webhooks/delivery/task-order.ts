import type { Clock } from '../../platform/clock.ts';
import type { DeliveryBatches } from './delivery-batches.ts';
import type { DeliveryJob } from './delivery.ts';
import { UnreadableRowError } from '../../platform/store/collection-rows.ts';

/** How long a first attempt waits for the answer to the event before, at most, in milliseconds (rule W17). */
const MOST_MS = 2_000;

/** How soon one that waits looks again, in milliseconds. */
const LOOK_AGAIN_MS = { least: 25, most: 100 };

/** Those that wait and are remembered; the oldest is forgotten, and waits anew. */
const MAX_HELD = 10_000;

/** Which first attempts have their turn (rule W17). */
export interface TaskOrder {
  /**
   * How long an attempt that could go now is to wait before it asks again, in milliseconds; 0 when the event before has had
   * its first answer, and at the latest 2 s after this was first asked while its target is open.
   */
  waitMs(job: DeliveryJob): Promise<number>;
  /** Its 2 s begin now, unless they have. */
  begin(delivery_id: string): void;
  /** Its target is closed: the 2 s begin anew once it could go again, so that order holds when the target opens. */
  restart(delivery_id: string): void;
}

/** The row of the event before tells whether it has been answered: order costs no write. */
export function createTaskOrder({ batches, clock }: { batches: DeliveryBatches; clock: Clock }): TaskOrder {
  /** By delivery: since when it could have gone. Each process has its own; whichever is through first lets it go. */
  const held = new Map<string, number>();

  function since(delivery_id: string, nowMs: number): number {
    const known = held.get(delivery_id);
    if (known !== undefined && known <= nowMs) return known;
    if (held.size >= MAX_HELD) for (const oldest of held.keys()) if (held.delete(oldest)) break;
    held.set(delivery_id, nowMs);
    return nowMs;
  }

  /**
   * Whether the event before has had its first answer, or will have none. Where it has no row, its first attempt is on its way
   * somewhere. One that cannot be read keeps nobody waiting.
   */
  async function isAnswered(delivery_id: string): Promise<boolean> {
    try {
      const row = await batches.get(delivery_id);
      return row !== undefined && (row.state !== 'pending' || row.attempts.length > 0);
    } catch (error) {
      if (error instanceof UnreadableRowError) return true;
      throw error;
    }
  }

  return {
    async waitMs({ delivery_id, attempt, follows }) {
      if (follows === undefined || attempt !== 1) return 0;
      if (!(await isAnswered(follows))) {
        const nowMs = clock.now();
        const waitedMs = nowMs - since(delivery_id, nowMs);
        const { least, most } = LOOK_AGAIN_MS;
        if (waitedMs < MOST_MS) return Math.min(Math.max(waitedMs, least), most, MOST_MS - waitedMs);
      }
      held.delete(delivery_id);
      return 0;
    },
    begin(delivery_id) {
      since(delivery_id, clock.now());
    },
    restart(delivery_id) {
      held.delete(delivery_id);
    },
  };
}
