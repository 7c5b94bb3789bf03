import type { Store } from '../../../src/platform/store/collection.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import type { AdOrder } from '../../../src/sales/ad-server/ad-order.ts';
import { Approvals } from '../../../src/sales/approval/approval.ts';
import { Creatives } from '../../../src/sales/creative/creative.ts';
import { MediaBuys } from '../../../src/sales/media-buy/media-buys.ts';
import type { StoreWrite } from '../../support/store-hooks.ts';
import { watchArrivals } from './arrivals.ts';
import type { Arrivals } from './arrivals.ts';
import { watchBuyRows } from './buy-rows.ts';
import type { BuyRows } from './buy-rows.ts';
import { mustHold } from './must-hold.ts';
import { watchTaskRows } from './task-rows.ts';
import type { TaskRows } from './task-rows.ts';
import type { Arrival } from './unreliable-ad-server.ts';

/** All that is seen of a walk, held to the invariants as it comes. */
export interface Ledger {
  buys: BuyRows;
  tasks: TaskRows;
  arrivals: Arrivals;
  /** Of the ad server, with {@link Ledger.sent} before it may be lost. */
  arrived(arrival: Arrival, atMs: number): void;
  sent(order: AdOrder): void;
  /** A piece of work begins; `isAlone`: nothing else is done until it ends. */
  begin(isAlone: boolean): void;
  /** Looks at what was written. */
  wrote(write: StoreWrite, store: Store): Promise<void>;
  /** The first invariant that did not hold; what notices it may be caught by the product. */
  readonly broken: Error | undefined;
}

export function openLedger(thresholdMinor: number): Ledger {
  const buys = watchBuyRows(thresholdMinor);
  const tasks = watchTaskRows();
  const arrivals = watchArrivals(buys, tasks);
  let broken: Error | undefined;
  let work = 0;
  let isAlone = false;
  /** In which work a stop was first seen, by buy and version. */
  const stopped = new Map<string, number>();
  /** In which work a creative was last seen to be no longer what it was approved as; none while it may be shown. */
  const withdrawn = new Map<string, number>();

  const note = (look: () => void) => {
    try {
      look();
    } catch (error) {
      broken ??= error as Error;
    }
  };

  /** What a task that has just ended says of its change, compared with what has reached the ad server. */
  function checkEnd(run: TaskRun): void {
    const { task_id, task_type, state } = run;
    const media_buy_id = String(run.input['media_buy_id']);
    if (task_type !== 'update_media_buy') return;
    const versions = buys.versionsOf(media_buy_id, task_id);
    if (versions.length === 0) return;
    const highest = arrivals.highest(media_buy_id);
    if (state === 'completed')
      mustHold(highest >= Math.min(...versions), 'I2', () => `${task_id} is completed, ${media_buy_id} at ${highest}`);
    mustHold(state !== 'canceled', 'I1', () => `${task_id} is canceled, and had versions ${versions.join()}`);
  }

  return {
    ...{ buys, tasks, arrivals },
    get broken() {
      return broken;
    },
    begin(alone) {
      work += 1;
      isAlone = alone;
    },
    arrived: (arrival, atMs) => {
      note(() => {
        arrivals.seen(arrival, atMs);
      });
    },
    sent({ media_buy_id, version, state, lines }) {
      if (!isAlone) return;
      const shown = state === 'running' ? lines.flatMap(({ creatives }) => creatives) : [];
      const gone = shown.filter((one) => (withdrawn.get(`${one.creative_id}@${one.version}`) ?? work) < work);
      note(() => {
        const what = () => gone.map(({ creative_id }) => creative_id).join();
        mustHold(gone.length === 0, 'I11', () => `${media_buy_id}@${version} is to show ${what()}, no longer approved`);
      });
      const stop = buys.last(media_buy_id)?.stop;
      if (!stop || stop.order.version === version) return;
      const since = stopped.get(`${media_buy_id}@${stop.order.version}`) ?? work;
      note(() => {
        mustHold(since >= work, 'I12', () => `${media_buy_id}@${version} goes before the stop ${stop.order.version}`);
      });
    },
    async wrote({ collection, key }, store) {
      if (collection === 'media_buys') {
        const buy = await store.collection(MediaBuys).get(key);
        if (buy === undefined) return;
        if (buy.stop) {
          const name = `${key}@${buy.stop.order.version}`;
          stopped.set(name, stopped.get(name) ?? work);
        }
        note(() => {
          buys.seen(buy);
        });
      } else if (collection === 'task_runs') {
        const run = await store.collection(TaskRuns).get(key);
        note(() => {
          if (run !== undefined && tasks.seen(run)) checkEnd(run);
        });
      } else if (collection === 'approvals') {
        const row = await store.collection(Approvals).get(key);
        if (row !== undefined) buys.approval(row);
      } else if (collection === 'creatives') {
        const row = await store.collection(Creatives).get(key);
        if (row === undefined) return;
        const name = `${row.creative_id}@${row.version}`;
        if (row.status === 'approved') {
          arrivals.approved.add(`${row.creative_key}@${row.version}`);
          withdrawn.delete(name);
        } else withdrawn.set(name, withdrawn.get(name) ?? work);
      }
    },
  };
}
