import type { SimulatorCalls, SimulatorControl } from '../simulator/controls.ts';
import type { World } from './world.ts';

/** The way to a simulator's controls, be it embedded or a process of its own. */
export interface SteeredSimulator {
  take: (control: SimulatorControl) => Promise<void>;
  calls: () => SimulatorCalls | Promise<SimulatorCalls>;
}

/** What the simulated ad server can be made to do behind its callers, whichever way they reach it. */
export function simulatorWorld({ take, calls }: SteeredSimulator) {
  return {
    calm: () => take({ reset: true, ...CALM_HTTP }),
    stopBeforeWrite: (stop_before_native_write) => take({ stop_before_native_write }),
    writes: async () => (await calls()).native_writes,
    deliver: (ms) => take({ advance_s: ms / 1000 }),
    restate: (restate) => take({ restate }),
    lie: (lie) => take({ lie }),
    trafficker: (trafficker) => take({ trafficker }),
    refuse: ({ media_buy_id, reason }) => take({ refuse: { media_buy_id, reasons: [reason] } }),
    hold: (pending_for_s) => take({ pending_for_s }),
    review: (review) => take({ review }),
  } satisfies World;
}

/** The same of one that is reached over HTTP, where calls go wrong on the way, too. */
export function bridgedSimulatorWorld(simulator: SteeredSimulator) {
  const { take } = simulator;
  return {
    ...simulatorWorld(simulator),
    fail: (failure) => {
      if ('outage' in failure) return take({ fail_rate: 1 });
      const { status, times, retry_after_s } = failure;
      return take({ status, times, ...(retry_after_s !== undefined && { retry_after: retry_after_s }) });
    },
    breakOff: (half_body) => take({ half_body }),
    dropAnswers: (drop_answer_after_apply) => take({ drop_answer_after_apply }),
    delay: (latency_ms) => take({ latency_ms }),
  } satisfies World;
}

/** Said beside `reset`, so that nothing of the way lasts either. */
const CALM_HTTP = { latency_ms: 0, fail_rate: 0, drop_answer_after_apply: 0, half_body: 0 } as const;
