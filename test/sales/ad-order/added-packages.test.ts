import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/platform/hours.ts';
import { withChange, withStop } from '../../../src/sales/ad-order/open.ts';
import { Unreachable } from '../../../src/sales/ad-server/faults.ts';
import { sumMeasures } from '../../../src/sales/delivery/measure.ts';
import { readDelivery } from '../../../src/sales/delivery/read-delivery.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../../../src/sales/media-buy/media-buy-package.ts';
import { addedPackageId } from '../../../src/sales/media-buy/package-id.ts';
import { taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

const TASK = taskId('taskadd');
const FEE_MINOR = 200_000;

describeOnStores('[B6.new-packages] packages that are added to a running buy, on %s', (store) => {
  let at: Orders;
  const errors: string[] = [];
  beforeEach(async () => {
    errors.length = 0;
    const log = pino({ level: 'error' }, { write: (line: string) => errors.push(line) });
    at = await openOrders(store, (plain) => plain, {}, log);
  });
  afterEach(() => at.close());

  /** A running buy of which ten days of twenty-one have passed. */
  async function halfway(): Promise<MediaBuy> {
    const { media_buy_id } = await at.running();
    await at.flights.open(await stored(media_buy_id));
    at.clock.advance(9 * DAY_MS);
    await at.flights.processDue();
    return stored(media_buy_id);
  }

  async function stored(media_buy_id: MediaBuy['media_buy_id']): Promise<MediaBuy> {
    const buy = await at.mediaBuys.get(media_buy_id);
    if (buy === undefined) throw new Error('the buy is gone');
    return buy;
  }

  /** The buy with two more packages on their way to the ad server: one by the thousand, one at a flat fee. */
  async function adding(buy: MediaBuy): Promise<{ added: MediaBuyPackage[] }> {
    const sold = buy.packages[1];
    if (sold === undefined) throw new Error('a buy without packages');
    const start_time = new Date(at.clock.now()).toISOString();
    const id = (n: number) => addedPackageId(buy.media_buy_id, TASK, n);
    const fee = { pricing_model: 'flat-fee' as const, price_minor: FEE_MINOR, budget_minor: FEE_MINOR };
    const added = [
      { ...sold, package_id: id(1), start_time },
      { ...sold, ...fee, package_id: id(2), start_time },
    ];
    const names = added.map(({ package_id }) => package_id);
    const change = { packages: [], new_packages: added, affected_packages: names, changes: ['new_packages'] };
    const opened = withChange(buy, { task_id: TASK, change }, await at.courier.look(buy));
    if ((await at.mediaBuys.replace(opened)) === undefined) throw new Error('somebody else has written');
    return { added };
  }

  async function spentBy(media_buy_id: MediaBuy['media_buy_id']): Promise<(package_id: string) => number> {
    const facts = await readDelivery(at.facts, media_buy_id, { fromMs: 0, untilMs: at.clock.now() }, 'day');
    return (package_id) => sumMeasures(facts.filter((fact) => fact.package_id === package_id)).spend_minor;
  }

  it.each([
    ['the ad server states what is spent', 'stated'],
    ['what is spent is computed', 'computed'],
  ] as const)(
    'deliver from then on, a flat fee by its share of what is left of the flight; %s',
    async (_who, spend) => {
      const describe = at.adServer.describe.bind(at.adServer);
      at.adServer.describe = async () => {
        const said = await describe();
        return { ...said, statements: { ...said.statements, spend } };
      };
      const buy = await halfway();
      const { added } = await adding(buy);
      await at.courier.tell(buy.media_buy_id, { inHand: true });
      const [cpm, fee] = added.map(({ package_id }) => package_id) as [string, string];
      const after = await stored(buy.media_buy_id);
      expect(after).toMatchObject({
        revision: buy.revision + 1,
        ad_version: (buy.ad_version ?? 0) + 1,
        open_change: null,
      });
      expect(after.total_budget_minor).toBe(buy.total_budget_minor + (added[0]?.budget_minor ?? 0) + FEE_MINOR);
      at.clock.advance(DAY_MS);
      await at.flights.processDue();
      const soon = await spentBy(buy.media_buy_id);
      // One day of eleven, give or take the hour that is not whole: nothing for the ten that had gone.
      expect(soon(fee)).toBeGreaterThan(0);
      expect(soon(fee)).toBeLessThan(FEE_MINOR / 10);
      at.clock.advance(12 * DAY_MS);
      await at.flights.processDue();
      const spent = await spentBy(buy.media_buy_id);
      expect(spent(fee)).toBe(FEE_MINOR);
      expect(spent(cpm)).toBeGreaterThan(0);
      for (const { package_id, budget_minor } of after.packages)
        expect(spent(package_id)).toBeLessThanOrEqual(budget_minor);
      expect((await stored(buy.media_buy_id)).status).toBe('completed');
    },
  );

  it('[I7] and were begun unheard when a stop came, are told by other ids; what was served till then is nobody’s to pay', async () => {
    const buy = await halfway();
    const { added } = await adding(buy);
    const [first] = added;
    if (first === undefined) throw new Error('nothing is added');
    // Taken, and every answer lost.
    const put = at.adServer.put.bind(at.adServer);
    at.adServer.put = async (order) => {
      await put(order);
      throw new Unreachable('the answer is lost', { sent: 'unknown' });
    };
    await at.courier.tell(buy.media_buy_id, { inHand: true });
    at.clock.advance(2 * HOUR_MS);
    await at.flights.processDue();
    // Rows of a package that is not the buy's yet: nothing is recorded until it is.
    const recorded = async () => (await at.flights.get(buy.media_buy_id))?.recorded_until;
    expect([errors, await recorded()]).toEqual([[], buy.flight?.recorded_until]);
    at.adServer.put = put;
    const unheard = await stored(buy.media_buy_id);
    const cause = { task_id: taskId('taskpause'), to_status: 'paused', action: 'paused', actor: 'buyer' } as const;
    const look = await at.courier.look(unheard);
    expect(await at.mediaBuys.replace(withStop(unheard, { ...cause, note: null }, look))).toBeDefined();
    await at.courier.tell(buy.media_buy_id, { inHand: true });
    await at.courier.tell(buy.media_buy_id, { inHand: true });
    const after = await stored(buy.media_buy_id);
    const ids = after.packages.slice(2).map(({ package_id }) => package_id);
    expect([after.status, ids.length, after.dropped_packages]).toEqual([
      'paused',
      2,
      added.map(({ package_id }) => package_id),
    ]);
    expect(await at.controls.look(buy.media_buy_id, first.package_id)).toMatchObject({ state: 'ended' });
    expect(await at.controls.look(buy.media_buy_id, ids[0] ?? '')).toMatchObject({ state: 'running' });
    at.clock.advance(DAY_MS);
    await at.flights.processDue();
    const spent = await spentBy(buy.media_buy_id);
    expect(spent(first.package_id)).toBe(0);
    // The others' hours are recorded: the statement was believed.
    expect(errors).toEqual([]);
    expect(Date.parse((await recorded()) ?? '')).toBeGreaterThan(at.clock.now() - DAY_MS);
  });

  it('and that the ad server refuses leave the buy as it was', async () => {
    const buy = await halfway();
    const reason = { code: 'no_inventory' as const, pointer: '/lines/2', message: 'nothing is left' };
    await at.controls.take({ refuse: { reasons: [reason] } });
    await adding(buy);
    await at.courier.tell(buy.media_buy_id, { inHand: true });
    const after = await stored(buy.media_buy_id);
    expect(after.verdicts?.[TASK]).toMatchObject({ outcome: 'refused' });
    expect([after.packages, after.revision, after.open_change]).toEqual([buy.packages, buy.revision, null]);
  });
});
