import { afterEach, beforeEach, expect, it } from 'vitest';
import { withChange, withStop } from '../../../src/sales/ad-order/open.ts';
import type { BuyChange } from '../../../src/sales/media-buy/buy-change.ts';
import { actionRefusal, validActions } from '../../../src/sales/media-buy/buyer-actions.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { mediaBuyId, taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { hooksOfEach, withStoreHooks } from '../../support/store-hooks.ts';
import { dyingAt } from '../../runtime/support/open-runtime.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

const HELD = { reason: 'the landing page is down', by: 'Ann' };
const HOUR_MS = 3_600_000;

describeOnStores('a media buy that the seller holds back, on %s', (store) => {
  let at: Orders;
  const { hooks, run } = hooksOfEach();
  beforeEach(async () => {
    at = await openOrders(store, (plain) => withStoreHooks(plain, hooks));
  });
  afterEach(() => at.close());

  const hold = ({ media_buy_id }: MediaBuy, held = HELD) => at.desk.hold(media_buy_id, held);
  const release = ({ media_buy_id }: MediaBuy) => at.desk.release(media_buy_id);
  const now = async ({ media_buy_id }: MediaBuy) => {
    const buy = await at.mediaBuys.get(media_buy_id);
    if (buy === undefined) throw new Error('the buy is gone');
    return buy;
  };
  const there = async ({ media_buy_id }: MediaBuy) =>
    ({ state: undefined, ...(await at.adServer.read(media_buy_id)) }).state;
  const later = async () => {
    at.clock.advance(HOUR_MS);
    await at.courier.tellDue();
  };

  /** Its buyer asks for that by a task of its own, and it is told. */
  async function asked(buy: MediaBuy, status: 'active' | 'paused', isTold = true): Promise<void> {
    const seen = await now(buy);
    const change: BuyChange = {
      ...{ packages: [], new_packages: [], status, changes: ['status'] },
      affected_packages: seen.packages.map(({ package_id }) => package_id),
    };
    const opened = withChange(seen, { task_id: taskId(`task_${status}`), change }, await at.courier.look(seen));
    await at.mediaBuys.replace(opened, seen);
    if (isTold) await at.courier.tell(buy.media_buy_id, { inHand: true });
  }

  it('[B2.hold] stands still at the ad server, says why, and cannot be resumed; it runs again once it is released', async () => {
    const buy = await at.running();
    const held = await hold(buy);
    expect(held).toMatchObject({ status: 'paused', stop: null, held: { state: 'paused' }, revision: buy.revision + 1 });
    expect(await there(buy)).toBe('paused');
    expect(held.history.at(-1)).toMatchObject({
      action: 'held',
      actor: 'seller',
      note: HELD.reason,
      to_status: 'paused',
    });
    expect(validActions(held)).not.toContain('resume');
    expect(validActions(held)).toContain('cancel');
    expect(actionRefusal(held, 'resume')).toMatchObject({
      code: 'INVALID_STATE',
      details: { field: 'updates.status' },
    });
    expect(actionRefusal(held, 'resume')?.message).toContain(HELD.reason);
    expect(await hold(buy)).toEqual(held);
    await expect(hold(buy, { ...HELD, by: 'Bob' })).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const free = await release(buy);
    expect(free).toMatchObject({ status: 'active', on_hold: null, held: { state: 'running' } });
    expect(await there(buy)).toBe('running');
    expect(free.history.at(-1)).toMatchObject({ action: 'resumed', actor: 'seller', to_status: 'active' });
    await expect(release(buy)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(at.desk.hold(mediaBuyId('mb_none'), HELD)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(at.desk.release(mediaBuyId('mb_none'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('[B2.hold] that its buyer has paused stays paused when it is released', async () => {
    const buy = await at.running();
    await asked(buy, 'paused');
    expect(await now(buy)).toMatchObject({ status: 'paused' });
    expect(await hold(buy)).toMatchObject({ status: 'paused', on_hold: { resumes: false } });
    expect(await release(buy)).toMatchObject({ status: 'paused', on_hold: null });
    expect(await there(buy)).toBe('paused');
    expect(actionRefusal(await now(buy), 'resume')).toBeUndefined();
  });

  /** Its buyer pauses it, as `update_media_buy` does where nothing else is asked for. */
  async function pausedByBuyer(buy: MediaBuy): Promise<void> {
    const seen = await now(buy);
    expect(actionRefusal(seen, 'pause')).toBeUndefined();
    const cause = { task_id: taskId('task_pause'), to_status: 'paused', action: 'paused', actor: 'buyer' } as const;
    await at.mediaBuys.replace(withStop(seen, { ...cause, note: null }, await at.courier.look(seen)), seen);
    await at.courier.tell(buy.media_buy_id, { inHand: true });
  }

  it.each([
    ['before it is held, and not heard of yet', 'before'],
    ['while it is held, and the ad server has not heard of that', 'unheard'],
    ['while it is held', 'held'],
  ] as const)('[B2.hold] that its buyer pauses %s stays paused when it is released', async (_when, when) => {
    const buy = await at.running();
    if (when === 'held') await hold(buy);
    at.cut = when !== 'held';
    if (when === 'before') await pausedByBuyer(buy);
    if (when !== 'held') await hold(buy);
    if (when !== 'before') await pausedByBuyer(buy);
    at.cut = false;
    for (let i = 0; i < 2; i++) await later();
    expect(await now(buy)).toMatchObject({
      status: 'paused',
      stop: null,
      verdicts: { task_pause: { outcome: 'done' } },
    });
    expect(
      (await now(buy)).history.filter(({ action, actor }) => action === 'paused' && actor === 'buyer'),
    ).toHaveLength(1);
    // It is paused for good now.
    expect(actionRefusal(await now(buy), 'pause')).toMatchObject({ code: 'INVALID_STATE' });
    await release(buy);
    for (let i = 0; i < 2; i++) await later();
    expect(await now(buy)).toMatchObject({ status: 'paused', on_hold: null, open_change: null });
    expect(await there(buy)).toBe('paused');
  });

  it('[B2.hold] that its buyer pauses while its release is on its way stays paused', async () => {
    const buy = await at.running();
    await hold(buy);
    at.cut = true;
    expect(await release(buy)).toMatchObject({ open_change: { kind: 'release' } });
    await pausedByBuyer(buy);
    at.cut = false;
    for (let i = 0; i < 3; i++) await later();
    expect(await now(buy)).toMatchObject({ status: 'paused', open_change: null, stop: null });
    await at.recheck(buy.media_buy_id);
    expect(await now(buy)).toMatchObject({ status: 'paused', on_hold: null, open_change: null });
    expect(await there(buy)).toBe('paused');
    expect(actionRefusal(await now(buy), 'resume')).toBeUndefined();
  });

  it('[B2.hold] that its buyer pauses with other terms while it is held stays paused, too', async () => {
    const buy = await at.running();
    at.cut = true;
    await asked(buy, 'paused');
    await hold(buy);
    at.cut = false;
    for (let i = 0; i < 3; i++) await later();
    expect(await now(buy)).toMatchObject({ status: 'paused', stop: null, open_change: null });
    await release(buy);
    for (let i = 0; i < 2; i++) await later();
    expect(await now(buy)).toMatchObject({ status: 'paused', on_hold: null });
    expect(await there(buy)).toBe('paused');
  });

  it('[B2.hold] is held and released while the ad server is away: it is told both, in order, when it is back', async () => {
    const buy = await at.running();
    at.cut = true;
    expect(await hold(buy)).toMatchObject({ status: 'active', stop: { order: { state: 'paused' } } });
    expect(validActions(await now(buy))).not.toContain('resume');
    at.cut = false;
    await later();
    expect(await now(buy)).toMatchObject({ status: 'paused', stop: null });
    expect(await there(buy)).toBe('paused');
    at.cut = true;
    expect(await release(buy)).toMatchObject({ status: 'paused', open_change: { kind: 'release' } });
    at.cut = false;
    await later();
    expect(await now(buy)).toMatchObject({ status: 'active', on_hold: null, open_change: null });
    expect(await there(buy)).toBe('running');
  });

  it('[B2.hold] that is released before the ad server has heard of the hold runs on in the end', async () => {
    const buy = await at.running();
    at.cut = true;
    await hold(buy);
    await release(buy);
    at.cut = false;
    for (let i = 0; i < 3; i++) await later();
    expect(await now(buy)).toMatchObject({ status: 'active', on_hold: null, stop: null, open_change: null });
    expect(await there(buy)).toBe('running');
  });

  it('[B2.hold] whose resume was on its way stands still, and resumes once it is released', async () => {
    const buy = await at.running();
    await asked(buy, 'paused');
    at.cut = true;
    await asked(buy, 'active');
    await hold(buy);
    at.cut = false;
    for (let i = 0; i < 3; i++) await later();
    expect(await now(buy)).toMatchObject({
      status: 'paused',
      on_hold: { resumes: true },
      open_change: null,
      stop: null,
    });
    expect(await there(buy)).toBe('paused');
    await release(buy);
    expect(await now(buy)).toMatchObject({ status: 'active', on_hold: null });
    expect(await there(buy)).toBe('running');
  });

  it('[B2.hold] that waits for its start does not begin while it is held, and begins late once it is released', async () => {
    const start = new Date(at.clock.now() + 5 * HOUR_MS).toISOString();
    const made = await at.held({ start_time: start });
    await at.courier.tell(made.media_buy_id, { inHand: true });
    await at.recheck(made.media_buy_id);
    await at.courier.tell(made.media_buy_id, { inHand: false });
    expect(await now(made)).toMatchObject({
      status: 'pending',
      pending_reason: 'start_time',
      held: { state: 'running' },
    });
    await hold(made);
    expect(await there(made)).toBe('paused');
    at.clock.advance(6 * HOUR_MS);
    await at.recheck(made.media_buy_id);
    await at.courier.tellDue();
    expect(await now(made)).toMatchObject({ status: 'pending', on_hold: { resumes: false } });
    expect(await there(made)).toBe('paused');
    await release(made);
    await later();
    expect(await there(made)).toBe('running');
    await at.recheck(made.media_buy_id);
    expect(await now(made)).toMatchObject({ status: 'active', on_hold: null });
  });

  it('[B2.hold] whose pause the ad server refuses is told it until it takes it, or the buy is released', async () => {
    const NO = { code: 'policy', pointer: '/state', message: 'it must run' } as const;
    const [kept, freed] = [await at.running(), await at.running()];
    for (const buy of [kept, freed]) {
      await at.controls.take({ refuse: { media_buy_id: buy.media_buy_id, reasons: [NO] } });
      expect(await hold(buy)).toMatchObject({ status: 'active', stop: { order: { state: 'paused' } } });
      await later();
      expect(await now(buy)).toMatchObject({ status: 'active', stop: { order: { state: 'paused' } } });
      if (buy === freed) await release(buy);
      else await at.controls.take({ refuse: null });
      for (let i = 0; i < 2; i++) await later();
    }
    expect(await now(kept)).toMatchObject({ status: 'paused', stop: null });
    expect(await now(freed)).toMatchObject({ status: 'active', stop: null, on_hold: null });
    expect([await there(kept), await there(freed)]).toEqual(['paused', 'running']);
  });

  it('[B2.hold] can be canceled, and one that is over is neither held nor released', async () => {
    const buy = await at.running();
    await hold(buy);
    await at.desk.cancel(buy.media_buy_id, 'the brand is not to be served');
    expect(await now(buy)).toMatchObject({ status: 'canceled' });
    expect(await there(buy)).toBe('ended');
    const other = await at.running();
    await at.desk.cancel(other.media_buy_id, 'the brand is not to be served');
    await expect(hold(other)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('[B2.hold] by two people at once is held by one, and the other is told by whom', async () => {
    const buy = await at.running();
    const both = await Promise.allSettled([hold(buy), hold(buy, { reason: 'no stock', by: 'Bob' })]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { history } = await now(buy);
    expect(history.filter(({ action }) => action === 'held')).toHaveLength(1);
  });

  it('[B2.hold] is held once and released once, wherever the process is killed, as time passes or the click comes again', async () => {
    for (const moment of ['before', 'after'] as const) {
      const diedAt: string[] = [];
      for (let n = 1; ; n++) {
        const buy = await at.running();
        const dying = dyingAt(moment, n);
        const story = run(dying, () =>
          hold(buy)
            .then(() => release(buy))
            .then(() => undefined),
        );
        const died = await Promise.race([dying.died, story]);
        if (died !== undefined) diedAt.push(died);
        await later();
        if ((await now(buy)).on_hold != null) {
          expect(await there(buy)).toBe('paused');
          await release(buy);
        } else if (!(await now(buy)).history.some(({ action }) => action === 'held')) {
          await hold(buy);
          await release(buy);
        }
        await later();
        const end = await now(buy);
        expect(end).toMatchObject({ status: 'active', on_hold: null, stop: null, open_change: null });
        expect(await there(buy)).toBe('running');
        expect(end.history.filter(({ action }) => action === 'held')).toHaveLength(1);
        expect(end.history.filter(({ actor, action }) => actor === 'seller' && action === 'resumed')).toHaveLength(1);
        if (died === undefined) break;
      }
      expect(diedAt.filter((collection) => collection === 'media_buys').length).toBeGreaterThan(2);
    }
  });

  it('[B2.hold] whose resume waits for a budget to be cut stands still, and resumes once it is released', async () => {
    const counting = await openOrders(store, undefined, { budgetCut: 'after_pause' });
    const { media_buy_id, packages } = await counting.running();
    const stored = async () => (await counting.mediaBuys.get(media_buy_id)) ?? expect.unreachable();
    const ask = async (change: Partial<BuyChange>, task: string) => {
      const buy = await stored();
      const asked = { packages: [], changes: ['status'], affected_packages: [], ...change };
      const opened = withChange(buy, { task_id: taskId(task), change: asked }, await counting.courier.look(buy));
      await counting.mediaBuys.replace(opened, buy);
      await counting.courier.tell(media_buy_id, { inHand: true });
    };
    await ask({ status: 'paused' }, 'task_pause');
    const [{ package_id, budget_minor } = { package_id: '', budget_minor: 0 }] = packages;
    const less = [{ package_id, budget_minor: budget_minor - 1000 }];
    await ask({ status: 'active', packages: less, changes: ['status', 'packages'] }, 'task_resume');
    expect(await stored()).toMatchObject({ status: 'paused', open_change: { order: null } });
    await counting.desk.hold(media_buy_id, HELD);
    for (let i = 0; i < 4; i++) {
      counting.clock.advance(2 * HOUR_MS);
      await counting.courier.tellDue();
    }
    expect(await stored()).toMatchObject({ status: 'paused', open_change: null, on_hold: { resumes: true } });
    expect((await stored()).packages[0]).toMatchObject({ budget_minor: budget_minor - 1000 });
    expect(await counting.adServer.read(media_buy_id)).toMatchObject({ state: 'paused' });
    await counting.desk.release(media_buy_id);
    expect(await stored()).toMatchObject({ status: 'active', on_hold: null });
    expect(await counting.adServer.read(media_buy_id)).toMatchObject({ state: 'running' });
    await counting.close();
  });
});
