import { minorOf } from '../../../src/platform/money.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { mediaBuyIdOf } from '../../../src/tasks/create-media-buy/new-media-buy.ts';
import type { StoreKind } from '../../support/stores.ts';
import type { Buyer } from './buyer-steps.ts';
import { openLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { openWalkedAgent, THRESHOLD } from './walked-agent.ts';
import type { WalkedAgent } from './walked-agent.ts';

/** A walk under way. */
export interface Walk {
  agent: WalkedAgent;
  ledger: Ledger;
  buyer: Buyer;
  /** Buys that somebody at the ad server has laid hands on. */
  trafficked: Set<string>;
  /** Impressions that were told last, by buy. */
  delivered: Map<string, number>;
}

/** An agent that nothing was asked of yet, each write and each order of which is looked at. */
export async function beginWalk(store: StoreKind, seed: string): Promise<Walk> {
  const ledger = openLedger(minorOf(THRESHOLD, 'USD'));
  const agent = await openWalkedAgent(store, seed, (write, stored) => ledger.wrote(write, stored));
  const { core, clock } = agent;
  agent.adServer.onReached = (order) => {
    ledger.arrivals.reached(order, clock.now());
  };
  agent.adServer.onArrival = (arrival) => {
    ledger.arrived(arrival, clock.now());
  };
  agent.adServer.onSent = (order) => {
    ledger.sent(order);
  };
  const sender = () => ({ baseUrl: core.baseUrl, nowMs: clock.now() });
  const buyer: Buyer = { core, sender, rowOf: (id) => ledger.buys.last(id), buys: [], asked: [] };
  return { agent, ledger, buyer, trafficked: new Set(), delivered: new Map() };
}

/** @throws the first invariant that did not hold. */
export function hold({ ledger }: Walk): void {
  if (ledger.broken !== undefined) throw ledger.broken;
}

/** The buys that were made, in the order in which they were asked for. */
export function buysOf({ ledger, buyer }: Pick<Walk, 'ledger' | 'buyer'>): MediaBuy[] {
  const tasks = buyer.buys.flatMap(({ task_ids }) => task_ids);
  return tasks.flatMap((task_id) => ledger.buys.last(mediaBuyIdOf(task_id)) ?? []);
}
