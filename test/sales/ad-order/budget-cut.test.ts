import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/platform/hours.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { hasOpen, withChange, withStop } from '../../../src/sales/ad-order/open.ts';
import { settled } from '../../../src/sales/ad-order/settled.ts';
import { sumMeasures } from '../../../src/sales/delivery/measure.ts';
import { readDelivery } from '../../../src/sales/delivery/read-delivery.ts';
import { costOf } from '../../../src/sales/statement/prices.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { taskId } from '../../support/ids.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

const MINUTE_MS = 60_000;
const LAG_MS = 30 * MINUTE_MS;
const TASK = taskId('task_cut');
const AFTER_PAUSE = { budgetCut: 'after_pause' } as const;
const unwrapped = (store: Store) => store;

const stored = async (at: Orders, { media_buy_id }: MediaBuy) => {
  const buy = await at.mediaBuys.get(media_buy_id);
  if (buy === undefined) throw new Error('the buy is gone');
  return buy;
};

/** As the task of an update opens a change of a package's budget, and tells it. */
async function cut(at: Orders, { media_buy_id }: MediaBuy, budget_minor: number, task_id = TASK): Promise<MediaBuy> {
  const buy = await stored(at, { media_buy_id } as MediaBuy);
  const [{ package_id } = { package_id: '' }] = buy.packages;
  const change = { packages: [{ package_id, budget_minor }], affected_packages: [package_id], changes: ['packages'] };
  const look = await at.courier.look(buy);
  const next = withChange(buy, { task_id, change }, look);
  await at.mediaBuys.replace(hasOpen(next) ? next : (settled(next, look) ?? next));
  return (await at.courier.tell(media_buy_id, { own: task_id, inHand: true })) ?? buy;
}

/** What the first package has cost, by what the ad server counts of it now. */
async function costThere(at: Orders, { media_buy_id, packages }: MediaBuy): Promise<number> {
  const held = await at.adServer.read(media_buy_id);
  const line = held.found ? held.lines.find(({ package_id }) => package_id === packages[0]?.package_id) : undefined;
  return costOf('cpm', line?.counts?.impressions ?? 0, packages[0]?.bid_price_minor ?? 0);
}

const linesOf = async (at: Orders, buy: MediaBuy) =>
  Promise.all(
    buy.packages.map(async ({ package_id }) => (await at.controls.look(buy.media_buy_id, package_id))?.state),
  );

describeOnStores('a budget that is cut where the ad server takes any, on %s', (store) => {
  let at: Orders;
  let buy: MediaBuy;
  beforeEach(async () => {
    at = await openOrders(store, unwrapped, AFTER_PAUSE);
    buy = await at.running();
    at.clock.advance(DAY_MS + 20 * MINUTE_MS);
    at.calls.length = 0;
  });
  afterEach(() => at.close());

  it('[B6.cuts] waits with its package paused until what was spent is sure, and takes hold with a resume', async () => {
    const waiting = await cut(at, buy, 900_000);
    expect(at.calls).toEqual(['put running']);
    expect(await linesOf(at, buy)).toEqual(['paused', 'running']);
    expect(waiting).toMatchObject({
      ...{ status: 'active', total_budget_minor: buy.total_budget_minor },
      open_change: { kind: 'update', order: null, cut: { package_ids: [buy.packages[0]?.package_id] } },
    });
    expect(await at.courier.tellDue()).toBe(0);
    at.clock.advance(LAG_MS);
    expect(await at.courier.tellDue()).toBe(1);
    const done = await stored(at, buy);
    expect(at.calls).toEqual(['put running', 'describe', 'read', 'put running']);
    expect(done.packages[0]?.budget_minor).toBe(900_000);
    expect(done).toMatchObject({ open_change: null, status: 'active', verdicts: { [TASK]: { outcome: 'done' } } });
    expect(done.held?.version).toBe((buy.held?.version ?? 0) + 2);
    expect(await linesOf(at, buy)).toEqual(['running', 'running']);
    expect(at.told.woken).toContain(TASK);
  });

  it('[B6.cuts] is refused below what was spent, with the least that then passes, and its package goes on', async () => {
    await cut(at, buy, 1_000);
    const still = await costThere(at, buy);
    at.clock.advance(LAG_MS);
    await at.courier.tellDue();
    const refused = await stored(at, buy);
    const least = await costThere(at, buy);
    expect(least).toBeGreaterThan(still);
    expect(refused).toMatchObject({
      ...{ open_change: null, total_budget_minor: buy.total_budget_minor },
      verdicts: {
        [TASK]: { outcome: 'refused', error: { code: 'BUDGET_TOO_LOW', details: { least_budget: least / 100 } } },
      },
    });
    expect(await linesOf(at, buy)).toEqual(['running', 'running']);

    const again = taskId('task_again');
    await cut(at, buy, least, again);
    at.clock.advance(LAG_MS);
    await at.courier.tellDue();
    expect(await stored(at, buy)).toMatchObject({ verdicts: { [again]: { outcome: 'done' } } });
    at.clock.advance(15 * DAY_MS);
    expect(await costThere(at, buy)).toBeLessThanOrEqual(least);
  });

  it('waits no longer for a stop: that wins, and the cut begins anew behind it, and stands still already', async () => {
    await cut(at, buy, 900_000);
    const waiting = await stored(at, buy);
    const cause = { task_id: taskId('task_stop'), to_status: 'paused', action: 'paused', actor: 'buyer' } as const;
    await at.mediaBuys.replace(withStop(waiting, { ...cause, note: null }, await at.courier.look(waiting)));
    const paused = await at.courier.tell(buy.media_buy_id, { inHand: true });
    expect(paused).toMatchObject({ status: 'paused', stop: null, open_change: { order: null } });
    expect(paused?.open_change?.cut?.paused_at).toBe(new Date(at.clock.now()).toISOString());
    at.clock.advance(LAG_MS);
    await at.courier.tellDue();
    expect(await stored(at, buy)).toMatchObject({
      ...{ status: 'paused', held: { state: 'paused' }, verdicts: { [TASK]: { outcome: 'done' } } },
    });
    expect((await stored(at, buy)).packages[0]?.budget_minor).toBe(900_000);
  });

  it('counts once the ad server answers again, and what is asked too early waits on', async () => {
    await cut(at, buy, 900_000);
    await at.mediaBuys.update(buy.media_buy_id, (row) => ({ ...row, order_due_at: row.updated_at }));
    await at.courier.tellDue();
    expect((await stored(at, buy)).open_change).toMatchObject({ order: null });
    at.cut = true;
    at.clock.advance(2 * LAG_MS);
    await at.courier.tellDue();
    expect((await at.adOrders.get(buy.media_buy_id))?.last_fault).toMatchObject({ kind: 'unreachable' });
    at.cut = false;
    at.clock.advance(MINUTE_MS);
    await at.courier.tellDue();
    expect(await stored(at, buy)).toMatchObject({ open_change: null, verdicts: { [TASK]: { outcome: 'done' } } });
  });
});

describe('a budget that is cut where the ad server takes any', () => {
  /** Writes that the process still makes before it dies. */
  let left = Infinity;
  let at: Orders;
  beforeAll(async () => {
    const die = () => {
      if (left <= 0) throw new Error('died');
    };
    const after = () => {
      left -= 1;
      die();
    };
    at = await openOrders('sqlite', (store) => withStoreHooks(store, { before: die, after }), AFTER_PAUSE);
  });
  afterAll(() => at.close());

  it('[B6.cuts] comes to the same by a process that dies after any of its writes', async () => {
    for (const budget of [900_000, 1_000]) {
      const outcome = budget === 1_000 ? 'refused' : 'done';
      for (let n = 1, isDead = true as boolean; isDead; n++) {
        const buy = await at.running();
        at.clock.advance(DAY_MS);
        left = n;
        await cut(at, buy, budget)
          .then(() => {
            at.clock.advance(LAG_MS);
            return at.courier.tellDue();
          })
          .catch(() => undefined);
        isDead = left <= 0;
        left = Infinity;
        for (let i = 0; i < 4; i++) {
          at.clock.advance(LAG_MS);
          await at.courier.tellDue();
        }
        const after = await stored(at, buy);
        expect(after).toMatchObject({ open_change: null, status: 'active', verdicts: { [TASK]: { outcome } } });
        expect(after.packages[0]?.budget_minor).toBe(outcome === 'done' ? budget : 1_000_000);
        expect(await linesOf(at, buy)).toEqual(['running', 'running']);
      }
    }
  });

  it('[B6.cuts] at random instants of a running hour is never billed above it, and nothing is served beyond', async () => {
    const minutes = fc.integer({ min: 1, max: 170 });
    const steps = fc.array(fc.tuple(minutes, fc.integer({ min: 1, max: 130 })), { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(fc.integer({ min: 0, max: 40 }), steps, async (hours, cuts) => {
      const buy = await at.running();
      await at.flights.open(buy);
      at.clock.advance(hours * HOUR_MS);
      for (const [i, [minute, percent]] of cuts.entries()) {
        at.clock.advance(minute * MINUTE_MS);
        await at.flights.process(buy.media_buy_id);
        const wanted = Math.round(((await costThere(at, buy)) * percent) / 100) + 1;
        if (wanted >= 1_000_000) continue;
        await cut(at, buy, wanted, taskId(`task_cut_${i}`));
        at.clock.advance(LAG_MS);
        await at.courier.tell(buy.media_buy_id);
        const now = await stored(at, buy);
        expect(now).toMatchObject({ open_change: null, verdicts: { [`task_cut_${i}`]: {} } });
        expect(await costThere(at, buy)).toBeLessThanOrEqual(now.packages[0]?.budget_minor ?? 0);
      }
      at.clock.advance(22 * DAY_MS);
      for (let i = 0; i < 2; i++) await at.flights.process(buy.media_buy_id);
      const [line] = (await stored(at, buy)).packages;
      const facts = await readDelivery(at.facts, buy.media_buy_id, { fromMs: 0, untilMs: at.clock.now() }, 'day');
      const its = facts.filter(({ package_id }) => package_id === line?.package_id);
      expect(sumMeasures(its).spend_minor).toBeLessThanOrEqual(line?.budget_minor ?? 0);
      expect((await at.desk.show(buy.media_buy_id)).over_delivery).toEqual([]);
    });
    await fc.assert(property, { numRuns: 6 });
  });
});
