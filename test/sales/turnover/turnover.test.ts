import { afterEach, beforeEach, expect, it } from 'vitest';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/hours.ts';
import { MAX_MINOR } from '../../../src/platform/money.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { DeliveryDays, DeliveryMonths } from '../../../src/sales/delivery/delivery-facts.ts';
import { writeHours } from '../../../src/sales/delivery/write-hours.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { MediaBuys } from '../../../src/sales/media-buy/media-buys.ts';
import { bookedFacts, DeliveryBooks } from '../../../src/sales/statement/delivery-book.ts';
import { readTurnover } from '../../../src/sales/turnover/read-turnover.ts';
import { SETTLED_AFTER_MS, sumTurnover } from '../../../src/sales/turnover/sum-turnover.ts';
import { TurnoverDays, TurnoverMarks } from '../../../src/sales/turnover/turnover-day.ts';
import { installation } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { mortal } from '../../reporting/support/mortal-store.ts';
import { mediaBuyId, taskId } from '../../support/ids.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import { describeOnStores } from '../../support/stores.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

const SPECS = [MediaBuys, DeliveryDays, DeliveryMonths, DeliveryBooks, TurnoverDays, TurnoverMarks];
const MINUTE_MS = 60_000;

describeOnStores('[O1.money] money by day, on %s', (kind) => {
  let at: Installation;
  let made: number;
  beforeEach(async () => {
    at = await installation(SPECS, kind);
    at.clock.advance(DAY_MS / 2 - (at.clock.now() % DAY_MS));
    made = 0;
  });
  afterEach(() => at.close());

  const dayOf = (ago: number) => toTimestamp(at.clock.now() - ago * DAY_MS).slice(0, 10);
  async function book(ago: number, changes: Partial<MediaBuy> = {}): Promise<MediaBuy> {
    made += 1;
    const created_at = toTimestamp(at.clock.now() - ago * DAY_MS);
    const buy = sampleMediaBuy({
      ...{ media_buy_id: mediaBuyId(`mb_${made}`), task_id: taskId(`task_${made}`), buyer_ref: `ref-${made}` },
      ...{ created_at, updated_at: created_at, total_budget_minor: 100, ...changes },
    });
    await at.store.collection(MediaBuys).insert(buy);
    return buy;
  }
  /** An hour of a day; stated otherwise than before where it has a correction's number. */
  async function deliver(buy: MediaBuy, ago: number, spend_minor: number, correction?: number): Promise<void> {
    const hour = `${dayOf(ago)}T03:00:00.000Z`;
    const counts = { package_id: 'pkg_1', hour, impressions: 10, clicks: 0, spend_minor };
    const change = { ...counts, ...(correction !== undefined && { correction_id: `corr_${correction}` }) };
    await writeHours(bookedFacts(at), buy.media_buy_id, [change], toTimestamp(at.clock.now()));
  }
  const change = (buy: MediaBuy, to: Partial<MediaBuy>) =>
    at.store
      .collection(MediaBuys)
      .update(buy.media_buy_id, (row) => ({ ...row, ...to, updated_at: toTimestamp(at.clock.now()) }));
  /** As the next worker does, a minute later. */
  async function sum(store: Store = at.store): Promise<void> {
    at.clock.advance(MINUTE_MS);
    await sumTurnover({ store, clock: at.clock });
  }
  /** `booked/delivered` by how many days ago; days without either are left out. */
  async function told(currency = 'USD'): Promise<Record<string, string>> {
    const days = (await readTurnover(at)).currencies.get(currency) ?? [];
    const said = days.map((one, i) => [29 - i, `${one.booked_minor ?? '?'}/${one.delivered_minor ?? '?'}`] as const);
    return Object.fromEntries(said.filter(([, amounts]) => amounts !== '0/0'));
  }

  it('is nothing before it is summed, and then by currency; what waits for approval, or was rejected or canceled, is not booked', async () => {
    const buy = await book(3);
    const euros = await book(3, { currency: 'EUR', total_budget_minor: 7 });
    await book(29);
    await book(30);
    await book(2, { pending_reason: 'approval' });
    for (const status of ['rejected', 'canceled'] as const)
      await book(2, { status, open: false, pending_reason: null });
    await deliver(buy, 1, 40);
    await deliver(euros, 1, 5);
    expect(await readTurnover(at)).toEqual({ summed_until: null, currencies: new Map() });
    await sum();
    expect(await told()).toEqual({ 29: '100/0', 3: '100/0', 1: '0/40' });
    expect(await told('EUR')).toEqual({ 3: '7/0', 1: '0/5' });
    expect((await readTurnover(at)).summed_until).toBe(toTimestamp(at.clock.now()));
  });

  it('follows what changes: an hour that is stated otherwise, a budget, an approval, a cancel, each on its day and no sooner than a minute later', async () => {
    const [buy, asked, ended] = [await book(20), await book(10, { pending_reason: 'approval' }), await book(5)];
    await deliver(buy, 20, 40);
    await sum();
    await deliver(buy, 20, 55, 1);
    await deliver(buy, 0, 9);
    await change(buy, { total_budget_minor: 250 });
    await change(asked, { pending_reason: 'start_time' });
    await change(ended, { status: 'canceled', open: false, pending_reason: null });
    await sumTurnover(at);
    expect(await told()).toEqual({ 20: '100/40', 5: '100/0' });
    await sum();
    expect(await told()).toEqual({ 20: '250/55', 10: '100/0', 0: '0/9' });
  });

  it('is written only for days of which something has changed, once more after clocks and writes have settled, and each once a day', async () => {
    const buy = await book(4);
    await deliver(buy, 2, 1);
    const written: string[] = [];
    const store = withStoreHooks(at.store, {
      before({ collection, key }) {
        if (collection === 'turnover_days') written.push(key);
      },
    });
    await sum(store);
    expect(written).toHaveLength(60);
    const rounds = async (count: number): Promise<string[]> => {
      written.length = 0;
      for (let i = 0; i < count; i++) await sum(store);
      return [...written];
    };
    await rounds(SETTLED_AFTER_MS / MINUTE_MS + 1);
    expect(await rounds(3)).toEqual([]);
    await deliver(buy, 2, 2, 1);
    expect(await rounds(1)).toEqual([`delivered ${dayOf(2)}`]);
    expect(await rounds(15)).toEqual([`delivered ${dayOf(2)}`]);
    await change(buy, { total_budget_minor: 5 });
    expect(await rounds(1)).toEqual([`booked ${dayOf(4)}`]);
    expect(await rounds(15)).toEqual([`booked ${dayOf(4)}`]);
    at.clock.advance(DAY_MS);
    expect(await rounds(1)).toHaveLength(60);
  });

  it('has what a process wrote by a clock that is minutes behind, once that has settled', async () => {
    const buy = await book(1);
    await deliver(buy, 1, 10);
    const late = await book(1);
    await sum();
    const behind = { now: () => at.clock.now() - 2 * MINUTE_MS };
    const hour = { hour: `${dayOf(1)}T05:00:00.000Z`, package_id: 'pkg_1', impressions: 1, clicks: 0, spend_minor: 3 };
    const facts = bookedFacts({ store: at.store, clock: behind });
    await writeHours(facts, late.media_buy_id, [hour], toTimestamp(0));
    for (let i = 0; i < SETTLED_AFTER_MS / MINUTE_MS + 1; i++) await sum();
    expect(await told()).toEqual({ 1: '200/13' });
  });

  it('counts rows of a release that did not say when they changed', async () => {
    const buy = await book(6);
    await deliver(buy, 6, 17);
    const days = at.store.collection(DeliveryDays);
    await days.update(`${buy.media_buy_id}/${dayOf(6)}`, ({ changed_at: _changed, ...row }) => row);
    await sum();
    expect(await told()).toEqual({ 6: '100/17' });
    await deliver(buy, 6, 18, 1);
    await sum();
    expect(await told()).toEqual({ 6: '100/18' });
  });

  it('is right in the end whichever write a process dies at', async () => {
    const buy = await book(2);
    await sum();
    for (const when of ['before', 'after'] as const) {
      for (let n = 1; n <= 5; n++) {
        const spend = n + (when === 'after' ? 10 : 0);
        await deliver(buy, 1, spend, spend);
        await change(buy, { total_budget_minor: spend });
        await sum(mortal(n, when).wrap(at.store)).catch(() => undefined);
        await sum();
        expect(await told()).toEqual({ 2: `${spend}/0`, 1: `0/${spend}` });
      }
    }
  });

  it('is summed by one of two workers, and by two at once never by older figures over newer ones', async () => {
    const buy = await book(2);
    const other = await at.another(SPECS);
    at.clock.advance(MINUTE_MS);
    const written: string[] = [];
    const counting = (store: Store) =>
      withStoreHooks(store, { before: ({ collection }) => void written.push(collection) });
    await Promise.all([at.store, other].map((store) => sumTurnover({ store: counting(store), clock: at.clock })));
    expect(written.filter((collection) => collection === 'turnover_days')).toHaveLength(60);
    await deliver(buy, 1, 4);
    // One has added up, and is overtaken by the other, who knows more, before it writes.
    let isHeldUp = false;
    const slow = withStoreHooks(at.store, {
      async before({ collection }) {
        if (collection !== 'turnover_days' || isHeldUp) return;
        isHeldUp = true;
        await deliver(buy, 1, 6, 1);
        await sum(other);
      },
    });
    await sum(slow);
    expect(isHeldUp).toBe(true);
    expect(await told()).toEqual({ 2: '100/0', 1: '0/6' });
  });

  it('stays an amount where buyers book more than can be counted', async () => {
    for (let i = 0; i < 3; i++) await book(1, { total_budget_minor: MAX_MINOR });
    await sum();
    expect(await told()).toEqual({ 1: `${MAX_MINOR}/0` });
  });

  it('is of days of UTC, the one under way among them', async () => {
    at.clock.advance(12 * HOUR_MS - 1);
    const buy = await book(0);
    await deliver(buy, 0, 1);
    await sum();
    expect(await told()).toEqual({ 1: '100/1' });
  });
});
