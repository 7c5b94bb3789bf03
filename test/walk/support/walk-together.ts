import { systemClock } from '../../../src/platform/clock.ts';
import type { Core } from '../../../src/main/wiring/compose.ts';
import { minorOf } from '../../../src/platform/money.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import { wakeOrders } from '../../../src/sales/ad-order/wake-orders.ts';
import { MediaBuys } from '../../../src/sales/media-buy/media-buys.ts';
import { mediaBuyIdOf } from '../../../src/tasks/create-media-buy/new-media-buy.ts';
import { until } from '../../support/until.ts';
import { checkCreates, checkOrder, checkRequest } from './at-rest.ts';
import { buyOf, takeBuyerStep } from './buyer-steps.ts';
import type { Buyer } from './buyer-steps.ts';
import { chooseSteps } from './choose-steps.ts';
import { createFates } from './fated.ts';
import { openLedger } from './ledger.ts';
import { openApprovals, takeAdServerStep, takeSellerStep } from './seller-steps.ts';
import { words } from './step.ts';
import type { Step } from './step.ts';
import { isOver } from './task-rows.ts';
import type { Arrival, UnreliableAdServer } from './unreliable-ad-server.ts';
import { THRESHOLD } from './walked-agent.ts';
import { buysOf } from './world.ts';
import type { Walk } from './world.ts';

/** As long as it may take until all that was asked for is over, however slow the machine, in milliseconds. */
const LONG_MS = 900_000;

export interface TogetherOptions {
  /** A process that does no work itself. */
  core: Core;
  adServer: UnreliableAdServer;
  seed: string;
  steps: number;
  /** Called before each step, by its number. */
  beforeStep?: (n: number) => Promise<void>;
}

/**
 * Walks while workers work by themselves: steps are chosen from the seed, and what they come to is left to the workers. Looks at
 * all that was done once nothing is left to do.
 * @throws {Error} with the invariant, how to walk so again, and all steps.
 */
export async function walkTogether({ core, adServer, seed, steps, beforeStep }: TogetherOptions): Promise<Walk> {
  const arrivals: { arrival: Arrival; atMs: number }[] = [];
  adServer.onArrival = (arrival) => void arrivals.push({ arrival, atMs: Date.now() });
  const ledger = openLedger(minorOf(THRESHOLD, 'USD'));
  const sender = () => ({ baseUrl: core.baseUrl, nowMs: Date.now() });
  const buyer: Buyer = { core, sender, rowOf: (id) => ledger.buys.last(id), buys: [], asked: [] };
  const clock = { ...systemClock, advance: () => undefined };
  const agent = { core, adServer, clock, fates: createFates(), store: core.store, close: () => Promise.resolve() };
  const one: Walk = { agent, ledger, buyer, trafficked: new Set(), delivered: new Map() };
  const taken: string[] = [];
  let n = 0;
  try {
    for (const step of chooseSteps(seed, 'working')) {
      if (++n > steps) break;
      await beforeStep?.(n);
      if ('buy' in step && typeof step.buy === 'number') await lookAt(one, step.buy);
      taken.push(`${String(n).padStart(4)} ${words(step)} -> ${await takeStep(one, step)}`);
    }
    await comeToRest(one);
    const takeIn = () => {
      for (const { arrival, atMs } of arrivals.splice(0)) ledger.arrived(arrival, atMs);
    };
    takeIn();
    for (const request of buyer.asked) checkRequest(one, request);
    for (let nth = 0; nth < buyer.buys.length; nth++) await checkWhileItMoves(one, nth, takeIn);
    checkCreates(one);
    if (ledger.broken !== undefined) throw ledger.broken;
    return one;
  } catch (error) {
    throw new Error(
      `${String(error)}\nWALK_SEED=${seed} WALK_STEPS=${steps} chooses so again\n\n${taken.slice(-60).join('\n')}`,
      {
        cause: error,
      },
    );
  }
}

/** Flights end while they are looked at: what does not agree is looked at anew when the buy has moved meanwhile. */
async function checkWhileItMoves(one: Walk, nth: number, takeIn: () => void): Promise<void> {
  const { agent, ledger, buyer } = one;
  const rowsOf = () => buysOf({ ledger, buyer: { ...buyer, buys: buyer.buys.slice(nth, nth + 1) } });
  await until(async () => {
    await lookAt(one, nth);
    const rows = rowsOf();
    if (rows.some(({ stop, open_change }) => stop ?? open_change)) return false;
    takeIn();
    try {
      for (const row of rows) await checkOrder(one, row);
      return true;
    } catch (error) {
      const now = await agent.store.collection(MediaBuys).getMany(rows.map(({ media_buy_id }) => media_buy_id));
      const versions = new Map(rows.map(({ media_buy_id, row_version }) => [media_buy_id, row_version]));
      if (now.every((row) => versions.get(row.media_buy_id) === row.row_version && !row.stop && !row.open_change))
        throw error;
      return false;
    }
  }, LONG_MS);
}

/** Takes in the row of a buy as it stands: nobody tells of what other processes write. */
async function lookAt({ agent, ledger, buyer }: Walk, n: number): Promise<void> {
  for (const task_id of buyer.buys[n]?.task_ids ?? []) {
    const { rows } = await agent.core.sales.approvals.find({
      where: { media_buy_id: mediaBuyIdOf(task_id), status: { in: ['approved', 'superseded'] } },
      limit: 1000,
    });
    for (const row of rows) ledger.buys.approval(row);
    const buy = await agent.store.collection(MediaBuys).get(mediaBuyIdOf(task_id));
    if (buy !== undefined) ledger.buys.seen(buy);
  }
}

async function takeStep(one: Walk, step: Step): Promise<string> {
  const { agent, buyer, trafficked } = one;
  switch (step.do) {
    case 'create':
    case 'update':
    case 'sync':
    case 'cancel_task':
    case 'ask_again':
    case 'read':
      return takeBuyerStep(buyer, step);
    case 'approve':
    case 'reject':
    case 'decide_creative':
    case 'give_up':
    case 'push':
    case 'look':
      return takeSellerStep(agent, buyer, step);
    case 'advance':
    case 'turn':
    case 'job':
    case 'all':
      return 'is for workers';
    default: {
      if (step.do === 'trafficker') trafficked.add(buyOf(buyer, step.buy)?.media_buy_id ?? '');
      return takeAdServerStep(agent, buyer, step);
    }
  }
}

/** Mends the ad server, decides what waits for a person, and waits until all is over. */
async function comeToRest(one: Walk): Promise<void> {
  const { agent, ledger, buyer } = one;
  const { core, adServer, store } = agent;
  adServer.link('back', 0);
  const { controls } = adServer.simulator;
  await controls.take({ refuse: null, pending_for_s: 0, lie: null, stop_before_native_write: 0 });
  while (await adServer.arriveLate(0));
  const tasks = buyer.asked.flatMap(({ task_ids }) => task_ids);
  const isAtRest = async () => {
    for (const { approval_id } of await openApprovals(core, buyer))
      await core.approvals.approve(approval_id, { by: 'ann' });
    for (const task_id of tasks) {
      if (
        ledger.tasks.last(task_id)?.notify_due_at === null &&
        isOver(ledger.tasks.last(task_id) ?? { state: 'working' })
      )
        continue;
      const run = await store.collection(TaskRuns).get(task_id);
      if (run !== undefined) ledger.tasks.seen(run);
      if (run === undefined || !isOver(run) || run.notify_due_at !== null || run.run_due_at !== null) return false;
    }
    for (let n = 0; n < buyer.buys.length; n++) await lookAt(one, n);
    return buysOf(one).every(({ stop, open_change }) => !stop && !open_change);
  };
  await until(async () => {
    await hurry(core);
    return isAtRest();
  }, LONG_MS);
}

/** What waits for as long as patience says is due now, as when an ad server comes back. */
async function hurry({ sales }: Core): Promise<void> {
  const inAMinute = new Date(Date.now() + 60_000).toISOString();
  const { rows } = await sales.mediaBuys.find({ where: { order_due_at: { gt: inAMinute } }, limit: 1000 });
  if (rows.length > 0) await wakeOrders({ mediaBuys: sales.mediaBuys, clock: systemClock });
}
