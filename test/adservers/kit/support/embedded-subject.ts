import { createAdServerSimulator } from '../../../../src/adservers/simulator/ad-server-simulator.ts';
import type { SimulatorControl } from '../../../../src/adservers/simulator/controls.ts';
import type { SimulatorAbilities } from '../../../../src/adservers/simulator/description.ts';
import { UploadedCreatives } from '../../../../src/adservers/simulator/creatives.ts';
import { AdOrderRecords } from '../../../../src/adservers/simulator/order-row.ts';
import { StatedDays } from '../../../../src/adservers/simulator/stated-hours.ts';
import { simulatorWorld } from '../../../../src/adservers/kit/simulator-world.ts';
import type { KitSubject } from '../../../../src/adservers/kit/stage.ts';
import type { WorldClock } from '../../../../src/adservers/kit/world.ts';
import type { AdServer } from '../../../../src/sales/ad-server/ad-server.ts';
import { SimulatedOrders } from '../../../../src/adservers/simulator/simulated-order.ts';
import { installation } from '../../../directory/support/installation.ts';
import { createWire } from './wire.ts';

export const SIMULATOR_ROWS = [AdOrderRecords, StatedDays, UploadedCreatives, SimulatedOrders];
/** Summer time begins in Europe the day after, and in America was three weeks ago. */
const START_MS = Date.parse('2041-03-30T09:17:00.000Z');

/** A clock that moves only when it is told to. */
export function manualClock(startMs = START_MS): WorldClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
  };
}

/** Two processes' embedded simulators on one store, in whose puts each native write is one of its own. */
export async function openSimulators(clock: WorldClock, abilities: SimulatorAbilities = {}) {
  const at = await installation(SIMULATOR_ROWS);
  const options = { clock, abilities, nativeWrites: 'one_by_one' } as const;
  const simulators = [
    createAdServerSimulator({ store: at.store, ...options }),
    createAdServerSimulator({ store: await at.another(), ...options }),
  ];
  let opened = 0;
  const steered = {
    take: async (control: SimulatorControl) => {
      for (const { controls } of simulators) await controls.take(control);
    },
    calls: () => {
      const [first, ...others] = simulators.map(({ controls }) => controls.calls());
      if (first === undefined) throw new Error('there is no simulator');
      return { ...first, native_writes: [first, ...others].flatMap(({ native_writes }) => native_writes) };
    },
  };
  return {
    steered,
    /** One process's after the other's. */
    open(): AdServer {
      const simulator = simulators[opened % simulators.length];
      opened += 1;
      if (simulator === undefined) throw new Error('there is no simulator');
      return simulator;
    },
    look: async (media_buy_id: string, package_id: string) =>
      (await simulators[0]?.controls.look(media_buy_id, package_id)) ?? {},
    close: () => at.close(),
  };
}

export type Wrap = (adServer: AdServer, take: (control: SimulatorControl) => Promise<void>) => AdServer;

/** What is put around the simulator of each process: behind the wire, or before it. */
export interface Wrapping {
  behind?: Wrap;
  before?: Wrap;
  abilities?: SimulatorAbilities;
}

function same(adServer: AdServer): AdServer {
  return adServer;
}

/** The kit's subject: the embedded simulator, its time, and a wire that fails where an embedded one has none. */
export async function openEmbedded({ behind = same, before = same, abilities = {} }: Wrapping = {}): Promise<
  KitSubject & { close: () => Promise<void> }
> {
  const clock = manualClock();
  const simulators = await openSimulators(clock, abilities);
  const take = simulators.steered.take;
  const wire = createWire(clock);
  const { calm, deliver: _deliver, ...world } = simulatorWorld(simulators.steered);
  return {
    open: () => before(wire.through(behind(simulators.open(), take)), take),
    clock,
    world: {
      ...world,
      ...wire.world,
      calm: async () => {
        wire.calm();
        await calm();
      },
      look: simulators.look,
    },
    close: simulators.close,
  };
}
