import { createAdServerSimulator } from '../../../src/adservers/simulator/ad-server-simulator.ts';
import type { SimulatorControls } from '../../../src/adservers/simulator/ad-server-simulator.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { createEmbeddedStore } from '../../../src/platform/store/sqlite/collection-embedded.ts';
import type { AdOrder } from '../../../src/sales/ad-server/ad-order.ts';
import type { AdServer } from '../../../src/sales/ad-server/ad-server.ts';
import { Misconfigured, Unreachable } from '../../../src/sales/ad-server/faults.ts';
import type { PutAnswer } from '../../../src/sales/ad-server/put-answer.ts';
import { silent } from '../../directory/support/installation.ts';
import type { Link } from './step.ts';

/** One order as it reached the ad server, and what became of it there. */
export interface Arrival {
  order: AdOrder;
  outcome: PutAnswer['outcome'];
  /** It came long after it had been sent, when nobody waited for it any more. */
  isLate: boolean;
}

export interface UnreliableAdServer {
  adServer: AdServer;
  /** Itself, without the way to it. */
  simulator: AdServer & { controls: SimulatorControls };
  link(to: Link, times: number): void;
  /** Lets an order arrive that was sent before and held up; answers whether there was one. */
  arriveLate(which: number): Promise<boolean>;
  /** Told of every order that arrives, before it is looked at there: what throws then may have taken effect. */
  onReached: (order: AdOrder) => void;
  /** Told of every order that was answered, in turn. */
  onArrival: (arrival: Arrival) => void;
  /** Called when an order is sent, that may never arrive. */
  onSent: (order: AdOrder) => Promise<void> | void;
  close(): Promise<void>;
}

/**
 * The simulated ad server, writing one native step after the other into a store of its own, behind a way that loses, doubles and
 * delays what is sent to it.
 */
export async function openUnreliableAdServer(file: string, clock: Clock, clockSpeed = 1): Promise<UnreliableAdServer> {
  const store = createEmbeddedStore({ file, logger: silent, clock });
  const simulator = createAdServerSimulator({ store, clock, clockSpeed, nativeWrites: 'one_by_one' });
  await store.prepare();
  let isAway = false;
  const left: Partial<Record<Link, number>> = {};
  const delayed: AdOrder[] = [];

  const takes = (link: Link): boolean => {
    const times = left[link] ?? 0;
    if (times > 0) left[link] = times - 1;
    return times > 0;
  };
  const reach = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (isAway) throw new Unreachable('the ad server is away', { sent: 'no' });
    return ask();
  };
  const arrive = async (order: AdOrder, isLate: boolean): Promise<PutAnswer> => {
    self.onReached(order);
    const answer = await simulator.put(order);
    self.onArrival({ order, outcome: answer.outcome, isLate });
    return answer;
  };
  const lost = (what: string) => new Unreachable(`the ${what} was lost`, { sent: 'unknown' });

  async function put(order: AdOrder): Promise<PutAnswer> {
    await self.onSent(order);
    return reach(async () => {
      if (takes('misconfigured')) throw new Misconfigured('the ad server does not know who calls');
      if (takes('loses_requests')) throw lost('request');
      if (takes('delays')) {
        delayed.push(order);
        throw lost('answer');
      }
      if (takes('doubles')) await arrive(order, false);
      const answer = await arrive(order, false);
      if (takes('loses_answers')) throw lost('answer');
      return answer;
    });
  }

  const self: UnreliableAdServer = {
    simulator,
    adServer: {
      describe: () => reach(() => simulator.describe()),
      check: (order) => reach(() => simulator.check(order)),
      put,
      read: (media_buy_id) => reach(() => simulator.read(media_buy_id)),
      statements: (query) => reach(() => simulator.statements(query)),
      putCreative: (creative) => reach(() => simulator.putCreative(creative)),
    },
    link(to, times) {
      if (to === 'back') for (const key of Object.keys(left)) left[key as Link] = 0;
      if (to === 'away' || to === 'back') isAway = to === 'away';
      else left[to] = times;
    },
    async arriveLate(which) {
      const [order] = delayed.splice(which % Math.max(1, delayed.length), 1);
      if (order !== undefined) await arrive(order, true).catch(() => undefined);
      return order !== undefined;
    },
    onReached: () => undefined,
    onArrival: () => undefined,
    onSent: () => undefined,
    close: () => store.close(),
  };
  return self;
}
