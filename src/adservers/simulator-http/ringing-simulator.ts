import { fromTimestamp } from '../../platform/clock.ts';
import type { AdOrder } from '../../sales/ad-server/ad-order.ts';
import type { AdServer } from '../../sales/ad-server/ad-server.ts';
import type { SimulatorControls } from '../simulator/ad-server-simulator.ts';

type Simulator = AdServer & { controls: SimulatorControls };

export interface RingingOptions {
  /** How many times faster than the wall clock the simulator plays flights. */
  clockSpeed: number;
  ring: (media_buy_id: string) => Promise<void>;
}

export interface RingingSimulator {
  simulator: Simulator;
  /** Rings for what time alone has brought since it was asked last: a pending version decided, a flight over. */
  ringDue: () => void;
  /** Resolves when no ring is under way. */
  idle(): Promise<void>;
}

/**
 * The simulator that rings: when a person acts there, when what was pending is decided, and when an order ends. What is to come is
 * kept in mind by one process, and forgotten with it.
 */
export function ringingSimulator(simulator: Simulator, { clockSpeed, ring }: RingingOptions): RingingSimulator {
  /** By the simulator's wall clock, in milliseconds. */
  const decidedAt = new Map<string, number>();
  const endsAt = new Map<string, number>();
  const underWay = new Set<Promise<void>>();

  function begin(media_buy_id: string): void {
    const ringing = ring(media_buy_id).finally(() => underWay.delete(ringing));
    underWay.add(ringing);
  }

  return {
    simulator: {
      ...simulator,
      async put(order) {
        const answer = await simulator.put(order);
        const { media_buy_id, state } = order;
        if (answer.outcome !== 'stale') decidedAt.delete(media_buy_id);
        if (answer.outcome === 'pending') decidedAt.set(media_buy_id, fromTimestamp(answer.ask_again_at));
        if (answer.outcome === 'done' || answer.outcome === 'pending') {
          if (state === 'ended') endsAt.delete(media_buy_id);
          else endsAt.set(media_buy_id, endOf(order, clockSpeed));
        }
        return answer;
      },
      controls: {
        ...simulator.controls,
        async take(control) {
          await simulator.controls.take(control);
          if (control.trafficker !== undefined) begin(control.trafficker.media_buy_id);
        },
      },
    },
    ringDue() {
      const nowMs = simulator.controls.now();
      for (const dues of [decidedAt, endsAt]) {
        for (const [media_buy_id, atMs] of dues) {
          if (atMs > nowMs) continue;
          dues.delete(media_buy_id);
          begin(media_buy_id);
        }
      }
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** When an order's flight is over, by the wall clock. */
function endOf({ created_at, end }: AdOrder, clockSpeed: number): number {
  const createdMs = fromTimestamp(created_at);
  return createdMs + (fromTimestamp(end) - createdMs) / clockSpeed;
}
