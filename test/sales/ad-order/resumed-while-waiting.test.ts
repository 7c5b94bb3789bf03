import { afterEach, beforeEach, expect, it } from 'vitest';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { withChange, withStop } from '../../../src/sales/ad-order/open.ts';
import { settled } from '../../../src/sales/ad-order/settled.ts';
import { creativeKey } from '../../../src/sales/creative/creative.ts';
import type { CreativeStatus } from '../../../src/sales/creative/creative.ts';
import type { BuyChange } from '../../../src/sales/media-buy/buy-change.ts';
import { actionRefusal, validActions } from '../../../src/sales/media-buy/buyer-actions.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { dueTransition } from '../../../src/sales/flight/due-transition.ts';
import { taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { hooksOfEach, withStoreHooks } from '../../support/store-hooks.ts';
import { dyingAt } from '../../runtime/support/open-runtime.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

const HELD = { reason: 'the landing page is down', by: 'Ann' };
const HOUR_MS = 3_600_000;
const PUBLIC = { mayWait: true };

describeOnStores('a media buy that was paused while it waits, and is resumed, on %s,', (store) => {
  let at: Orders;
  const { hooks, run } = hooksOfEach();
  beforeEach(async () => {
    at = await openOrders(store, (plain) => withStoreHooks(plain, hooks));
  });
  afterEach(() => at.close());

  const now = async ({ media_buy_id }: MediaBuy) => (await at.mediaBuys.get(media_buy_id)) ?? expect.unreachable();
  const there = async ({ media_buy_id }: MediaBuy) =>
    ({ state: undefined, ...(await at.adServer.read(media_buy_id)) }).state;
  const later = async () => {
    at.clock.advance(HOUR_MS);
    await at.courier.tellDue();
  };
  /** Its only creative becomes that, and the buy is looked at again. */
  async function reviewed(buy: MediaBuy, status: CreativeStatus): Promise<MediaBuy> {
    await at.creatives.update(creativeKey(buy.organization_id, 'c1'), (row) => ({ ...row, status }));
    await at.recheck(buy.media_buy_id);
    return now(buy);
  }
  /** A new buy, which waits for its creative. */
  async function waiting(changes: Partial<MediaBuy> = {}): Promise<MediaBuy> {
    const made = await at.held(changes);
    await reviewed(made, 'processing');
    await at.courier.tell(made.media_buy_id, { inHand: true });
    await at.recheck(made.media_buy_id);
    return now(made);
  }
  async function pause(buy: MediaBuy, task = 'task_pause'): Promise<MediaBuy> {
    const seen = await now(buy);
    const cause = { task_id: taskId(task), to_status: 'paused', action: 'paused', actor: 'buyer', note: null } as const;
    await at.mediaBuys.replace(withStop(seen, cause, await at.courier.look(seen)), seen);
    await at.courier.tell(buy.media_buy_id, { inHand: true });
    return now(buy);
  }
  /** Asks for it as the task does, in one write, and tells the ad server what that leaves open. */
  async function resume(buy: MediaBuy, more: Partial<BuyChange> = {}): Promise<MediaBuy> {
    const seen = await now(buy);
    const affected_packages = seen.packages.map(({ package_id }) => package_id);
    const change: BuyChange = { packages: [], resumes: true, changes: ['status'], affected_packages, ...more };
    const look = await at.courier.look(seen);
    const opened = withChange(seen, { task_id: taskId('task_resume'), change }, look);
    const next = opened.open_change ? opened : (settled(opened, look) ?? opened);
    const written = (await at.mediaBuys.replace(next, seen)) ?? expect.unreachable();
    if (written.open_change) await at.courier.tell(buy.media_buy_id, { inHand: true });
    return now(buy);
  }
  const ran = () => at.calls.includes('put running');

  it('[B2.resumed] waits on, and runs once its creative is approved: the ad server never runs it before', async () => {
    const buy = await pause(await waiting());
    expect(buy).toMatchObject({ status: 'paused', pending_reason: 'creatives', held: { state: 'paused' } });
    expect(validActions(buy, PUBLIC)).toEqual(expect.arrayContaining(['resume']));
    expect(validActions(buy, PUBLIC)).not.toContain('pause');
    expect(validActions(buy)).not.toContain('resume');
    expect(actionRefusal(buy, 'resume')).toMatchObject({ code: 'INVALID_STATE' });

    const waits = await resume(buy);
    expect(waits).toMatchObject({ status: 'paused', resumes: true, pending_reason: 'creatives', open_change: null });
    expect(waits.revision).toBe(buy.revision + 1);
    expect(waits.history.at(-1)).toMatchObject({
      ...{ action: 'resumed', actor: 'buyer', from_status: 'paused', to_status: 'paused', task_id: 'task_resume' },
      ...{ note: 'still waits for an approved creative in every package', revision: waits.revision },
    });
    expect(validActions(waits, PUBLIC)).toEqual(expect.arrayContaining(['pause']));
    expect(validActions(waits, PUBLIC)).not.toContain('resume');
    await later();
    expect(await reviewed(buy, 'rejected')).toMatchObject({ status: 'paused', resumes: true });
    await later();
    expect([ran(), await there(buy)]).toEqual([false, 'paused']);

    const runs = await reviewed(buy, 'approved');
    expect(runs).toMatchObject({ status: 'active', pending_reason: null, held: { state: 'running' } });
    expect(runs).not.toHaveProperty('resumes');
    expect(await there(buy)).toBe('running');
    expect(runs.history.at(-1)).toMatchObject({ action: 'activated', from_status: 'paused', to_status: 'active' });
  });

  it('[B2.resumed] that is paused again stays so when its creative is approved, and is resumed as any other', async () => {
    const buy = await pause(await waiting());
    await resume(buy);
    const paused = await pause(buy, 'task_again');
    expect(paused).toMatchObject({ status: 'paused', pending_reason: 'creatives', stop: null });
    expect(paused).not.toHaveProperty('resumes');
    expect(paused.history.at(-1)).toMatchObject({ action: 'paused', task_id: 'task_again' });
    const ready = await reviewed(buy, 'approved');
    await later();
    expect(ready).toMatchObject({ status: 'paused', pending_reason: null });
    expect([ran(), await there(buy)]).toEqual([false, 'paused']);
    expect(validActions(ready)).toContain('resume');
  });

  it('[B2.resumed] for its start is told ahead of it, and begins then', async () => {
    const start_time = toTimestamp(at.clock.now() + 5 * HOUR_MS);
    const buy = await pause(await reviewed(await waiting({ start_time }), 'approved'));
    expect(buy).toMatchObject({ status: 'paused', pending_reason: 'start_time', held: { state: 'paused' } });
    expect(await resume(buy)).toMatchObject({ status: 'paused', resumes: true, held: { state: 'running' } });
    expect(await at.recheck(buy.media_buy_id)).toMatchObject({ pending_reason: 'start_time', open_change: null });
    at.clock.advance(6 * HOUR_MS);
    await at.recheck(buy.media_buy_id);
    expect(await now(buy)).toMatchObject({ status: 'active', pending_reason: null });
    expect(await there(buy)).toBe('running');
  });

  it('[B2.resumed] [B2.hold] that the seller holds back does not begin until it is released', async () => {
    const buy = await pause(await waiting());
    await resume(buy);
    await at.desk.hold(buy.media_buy_id, HELD);
    expect(actionRefusal(await now(buy), 'resume', PUBLIC)?.message).toContain(HELD.reason);
    await reviewed(buy, 'approved');
    await later();
    expect(await now(buy)).toMatchObject({ status: 'paused', resumes: true });
    expect([ran(), await there(buy)]).toEqual([false, 'paused']);
    await at.desk.release(buy.media_buy_id);
    await later();
    await at.recheck(buy.media_buy_id);
    expect(await now(buy)).toMatchObject({ status: 'active', on_hold: null });
    expect(await there(buy)).toBe('running');
  });

  it('[B2.resumed] [B2.hold] that was told ahead of its start stands still while it is held back, and begins when it is released', async () => {
    const start_time = toTimestamp(at.clock.now() + 5 * HOUR_MS);
    const buy = await pause(await reviewed(await waiting({ start_time }), 'approved'));
    expect(await resume(buy)).toMatchObject({ held: { state: 'running' } });
    await at.desk.hold(buy.media_buy_id, HELD);
    expect(await there(buy)).toBe('paused');
    at.clock.advance(6 * HOUR_MS);
    await at.recheck(buy.media_buy_id);
    expect(await now(buy)).toMatchObject({ status: 'paused', resumes: true });
    expect(await there(buy)).toBe('paused');
    await at.desk.release(buy.media_buy_id);
    await later();
    await at.recheck(buy.media_buy_id);
    expect(await now(buy)).toMatchObject({ status: 'active', on_hold: null });
    expect(await there(buy)).toBe('running');
  });

  it('[B2.resumed] that the ad server will not run is over, and its buyer is told why', async () => {
    const buy = await pause(await waiting());
    await resume(buy);
    const reasons = [{ code: 'policy', pointer: '/state', message: 'it may not run' } as const];
    await at.controls.take({ refuse: { media_buy_id: buy.media_buy_id, reasons } });
    await reviewed(buy, 'approved');
    await at.controls.take({ refuse: null });
    await later();
    const over = await now(buy);
    expect(over).toMatchObject({ status: 'canceled', open: false });
    expect(over.history.findLast(({ action }) => action === 'rejected')?.note).toContain('it may not run');
    expect(await there(buy)).toBe('ended');
  });

  it('[B2.resumed] [B2.hold] cannot be resumed while it is held back, and can be when it is released', async () => {
    const buy = await pause(await waiting());
    await at.desk.hold(buy.media_buy_id, HELD);
    expect(validActions(await now(buy), PUBLIC)).not.toContain('resume');
    await at.desk.release(buy.media_buy_id);
    expect(await now(buy)).toMatchObject({ status: 'paused', pending_reason: 'creatives', on_hold: null });
    expect(validActions(await now(buy), PUBLIC)).toContain('resume');
  });

  it('[B2.resumed] with other terms takes hold with them, and a pause that comes first leaves it paused', async () => {
    const made = await pause(await waiting());
    const [{ package_id, budget_minor } = { package_id: '', budget_minor: 0 }] = made.packages;
    const more = (extra: number) => ({
      packages: [{ package_id, budget_minor: budget_minor + extra }],
      changes: ['status', 'packages'],
    });
    const both = await resume(made, more(1000));
    expect(both).toMatchObject({ resumes: true, packages: [{ budget_minor: budget_minor + 1000 }, {}] });
    expect(await there(made)).toBe('paused');

    await pause(made, 'task_two');
    at.cut = true;
    expect(await resume(made, more(2000))).toMatchObject({ open_change: { change: { resumes: true } } });
    await pause(made, 'task_three');
    at.cut = false;
    for (let i = 0; i < 3; i++) await later();
    const end = await now(made);
    expect(end).toMatchObject({
      status: 'paused',
      open_change: null,
      packages: [{ budget_minor: budget_minor + 2000 }, {}],
    });
    expect(end).not.toHaveProperty('resumes');
    expect(await reviewed(made, 'approved')).toMatchObject({ status: 'paused', pending_reason: null });
    expect([ran(), await there(made)]).toEqual([false, 'paused']);
  });

  it('[B2.resumed] that is paused again along with other terms stays so', async () => {
    const buy = await pause(await waiting());
    const { packages } = await resume(buy);
    const [{ package_id, budget_minor } = { package_id: '', budget_minor: 0 }] = packages;
    const seen = await now(buy);
    const change: BuyChange = {
      ...{ packages: [{ package_id, budget_minor: budget_minor + 1000 }], status: 'paused' },
      ...{ changes: ['status', 'packages'], affected_packages: [package_id] },
    };
    const opened = withChange(seen, { task_id: taskId('task_both'), change }, await at.courier.look(seen));
    await at.mediaBuys.replace(opened, seen);
    await at.courier.tell(buy.media_buy_id, { inHand: true });
    const paused = await now(buy);
    expect(paused).toMatchObject({ status: 'paused', packages: [{ budget_minor: budget_minor + 1000 }, {}] });
    expect(paused).not.toHaveProperty('resumes');
    expect(paused.history.at(-1)).toMatchObject({ action: 'paused', task_id: 'task_both' });
    await reviewed(buy, 'approved');
    await later();
    expect([ran(), await there(buy)]).toEqual([false, 'paused']);
  });

  it('[B2.resumed] whose creative was approved while its terms were on their way runs once the ad server does', async () => {
    const buy = await pause(await waiting());
    const [{ package_id, budget_minor } = { package_id: '', budget_minor: 0 }] = buy.packages;
    at.cut = true;
    await resume(buy, {
      packages: [{ package_id, budget_minor: budget_minor + 1000 }],
      changes: ['status', 'packages'],
    });
    await reviewed(buy, 'approved');
    expect(await now(buy)).toMatchObject({ status: 'paused', open_change: { kind: 'update' } });
    at.cut = false;
    for (let i = 0; i < 3; i++) await later();
    await at.recheck(buy.media_buy_id);
    expect(await now(buy)).toMatchObject({ status: 'active', open_change: null, held: { state: 'running' } });
    expect(await there(buy)).toBe('running');
  });

  it('[B2.resumed] a resume of what had run, overtaken by a stop, leaves its trace and resumes nothing', async () => {
    const buy = await at.running();
    await pause(buy);
    at.cut = true;
    const seen = await now(buy);
    const change: BuyChange = { packages: [], status: 'active', changes: ['status'], affected_packages: [] };
    const opened = withChange(seen, { task_id: taskId('task_resume'), change }, await at.courier.look(seen));
    await at.mediaBuys.replace(opened, seen);
    await pause(buy, 'task_three');
    at.cut = false;
    for (let i = 0; i < 3; i++) await later();
    const { status, history } = await now(buy);
    expect([status, await there(buy)]).toEqual(['paused', 'paused']);
    expect(history.filter(({ task_id }) => task_id === 'task_resume')).toMatchObject([
      { action: 'updated', note: 'overtaken by a stop', affected_packages: [] },
    ]);
  });

  it('[B2.resumed] that could not begin until its flight ended is canceled, as one that is pending', async () => {
    const buy = await pause(await waiting());
    const waits = await resume(buy);
    const over = { flightMs: Date.parse(buy.end_time), isSpent: false, creativeStatus: () => undefined };
    expect(dueTransition(waits, over, buy.end_time)).toMatchObject({ status: 'canceled', open: false });
    expect(dueTransition(buy, over, buy.end_time)).toMatchObject({ status: 'completed', open: false });
  });

  it('[B2.resumed] is resumed once and runs once, wherever the process is killed, and never before its creative is approved', async () => {
    for (const moment of ['before', 'after'] as const) {
      const diedAt: string[] = [];
      for (let n = 1; ; n++) {
        at.calls.length = 0;
        const buy = await pause(await waiting());
        const dying = dyingAt(moment, n);
        const story = run(dying, async () => {
          await resume(buy);
          await reviewed(buy, 'approved');
        });
        const died = await Promise.race([dying.died, story.then(() => undefined)]);
        if (died !== undefined) diedAt.push(died);
        await later();
        // What the task does again, where its write was lost.
        if (!(await now(buy)).history.some(({ task_id }) => task_id === 'task_resume')) {
          expect(ran()).toBe(false);
          await resume(buy);
        }
        await reviewed(buy, 'approved');
        await later();
        await at.recheck(buy.media_buy_id);
        const end = await now(buy);
        expect(end).toMatchObject({ status: 'active', pending_reason: null, stop: null, open_change: null });
        expect(await there(buy)).toBe('running');
        expect(end.history.filter(({ action }) => action === 'resumed')).toHaveLength(1);
        expect(end.history.filter(({ action }) => action === 'activated')).toHaveLength(1);
        if (died === undefined) break;
      }
      expect(diedAt.filter((collection) => collection === 'media_buys').length).toBeGreaterThan(2);
    }
  });
});
