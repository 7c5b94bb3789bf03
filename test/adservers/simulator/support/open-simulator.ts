import { createAdServerSimulator } from '../../../../src/adservers/simulator/ad-server-simulator.ts';
import type { AdServerSimulatorDependencies } from '../../../../src/adservers/simulator/ad-server-simulator.ts';
import { UploadedCreatives } from '../../../../src/adservers/simulator/creatives.ts';
import { AdOrderRecords } from '../../../../src/adservers/simulator/order-row.ts';
import { StatedDays } from '../../../../src/adservers/simulator/stated-hours.ts';
import type { Store } from '../../../../src/platform/store/collection.ts';
import { SimulatedOrders } from '../../../../src/adservers/simulator/simulated-order.ts';
import { DeliveryDays, DeliveryMonths } from '../../../../src/sales/delivery/delivery-facts.ts';
import { installation } from '../../../directory/support/installation.ts';
import { NOW } from './sample-ad-order.ts';

const SPECS = [AdOrderRecords, StatedDays, UploadedCreatives, SimulatedOrders, DeliveryDays, DeliveryMonths];

/** The simulator on a store of its own, with a clock that tests set. */
export interface OpenSimulator {
  simulator: ReturnType<typeof createAdServerSimulator>;
  store: Store;
  clock: { nowMs: number; now(): number };
  /** Another process's, on the same store. */
  another(options?: Partial<AdServerSimulatorDependencies>): Promise<ReturnType<typeof createAdServerSimulator>>;
  close(): Promise<void>;
}

export async function openSimulator(
  kind: Store['kind'] = 'sqlite',
  options: Partial<AdServerSimulatorDependencies> = {},
): Promise<OpenSimulator> {
  const at = await installation(SPECS, kind);
  const clock = {
    nowMs: Date.parse(NOW),
    now() {
      return this.nowMs;
    },
  };
  const simulatorOn = (store: Store, more: Partial<AdServerSimulatorDependencies> = {}) =>
    createAdServerSimulator({ store, clock, ...options, ...more });
  return {
    simulator: simulatorOn(at.store),
    store: at.store,
    clock,
    another: async (more) => simulatorOn(await at.another(), more),
    close: () => at.close(),
  };
}
