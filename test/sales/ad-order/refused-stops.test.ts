import { afterEach, beforeEach, expect, it } from 'vitest';
import { withChange, withStop } from '../../../src/sales/ad-order/open.ts';
import { settled } from '../../../src/sales/ad-order/settled.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openOrders } from './support/open-orders.ts';
import type { Orders } from './support/open-orders.ts';

const NO = { code: 'policy', pointer: '/state', message: 'it must run' } as const;
const PAUSE = { to_status: 'paused', action: 'paused', actor: 'buyer', note: null } as const;

describeOnStores('a stop that the ad server refuses, on %s', (store) => {
  let at: Orders;
  beforeEach(async () => {
    at = await openOrders(store);
  });
  afterEach(() => at.close());

  const refuse = ({ media_buy_id }: MediaBuy) => at.controls.take({ refuse: { media_buy_id, reasons: [NO] } });
  const puts = () => at.calls.filter((call) => call.startsWith('put'));
  const now = async ({ media_buy_id }: MediaBuy): Promise<MediaBuy> => {
    const buy = await at.mediaBuys.get(media_buy_id);
    if (buy === undefined) throw new Error('no buy');
    return buy;
  };
  /** A running buy with a raise of a task that the ad server was told and whose answer nobody has heard. */
  const raised = async () => {
    const buy = await at.running();
    const [line] = buy.packages;
    if (line === undefined) throw new Error('no package');
    const { package_id, budget_minor } = line;
    const task_id = taskId(`raise of ${buy.media_buy_id}`);
    const packages = [{ package_id, budget_minor: budget_minor + 1000 }];
    const change = { packages, affected_packages: [package_id], changes: ['packages'] };
    const opened = withChange(buy, { task_id, change }, await at.courier.look(buy));
    if (opened.open_change?.order) await at.adServer.put(opened.open_change.order);
    await at.mediaBuys.replace(opened);
    return { buy: await now(buy), task_id };
  };
  /** Lets the time pass until the order is due, and tells it. Answers how long that was, in whole seconds. */
  const waitAndTell = async (buy: MediaBuy): Promise<number> => {
    const seconds = (Date.parse((await now(buy)).order_due_at ?? '') - at.clock.now()) / 1000;
    at.clock.advance(seconds * 1000);
    await at.courier.tellDue();
    return Math.round(seconds);
  };

  it('the end of a buy that is over, is told again a step later each time, whatever is open, and once a look', async () => {
    const { buy, task_id } = await raised();
    const over: MediaBuy = { ...buy, status: 'completed', open: false };
    await at.mediaBuys.replace(settled(over, await at.courier.look(over)) ?? over);
    await refuse(buy);
    at.calls.length = 0;
    await at.courier.tell(buy.media_buy_id, { inHand: true });
    expect(puts()).toEqual(['put ended']);
    const waits = [];
    for (let n = 0; n < 4; n++) waits.push(await waitAndTell(buy));
    expect(waits).toEqual([1, 4, 17, 67]);
    expect(puts()).toHaveLength(5);
    const [row] = await at.desk.rowsOf([buy.media_buy_id]);
    expect(row).toMatchObject({
      faults: 5,
      last_fault: { kind: 'refused', message: 'the ad server refused: it must run' },
    });
    expect((await now(buy)).verdicts ?? {}).toEqual({});

    await at.controls.take({ refuse: null });
    await waitAndTell(buy);
    expect(await now(buy)).toMatchObject({
      status: 'completed',
      stop: null,
      open_change: null,
      held: { state: 'ended' },
    });
    expect((await now(buy)).verdicts?.[task_id]).toMatchObject({ outcome: 'refused' });
    expect(await at.desk.rowsOf([buy.media_buy_id])).toMatchObject([{ faults: 0, last_fault: null }]);
  });

  it('and that came before a change which the ad server may have taken, says nothing of that change, and is told until it holds', async () => {
    const { buy, task_id } = await raised();
    const pause = taskId(`pause of ${buy.media_buy_id}`);
    await at.mediaBuys.replace(withStop(buy, { ...PAUSE, task_id: pause }, await at.courier.look(buy)));
    await refuse(buy);
    await at.courier.tell(buy.media_buy_id, { inHand: true });
    expect(await now(buy)).toMatchObject({ status: 'active', stop: { order: { state: 'paused' } } });
    expect((await now(buy)).verdicts ?? {}).toEqual({});
    await at.controls.take({ refuse: null });
    await waitAndTell(buy);
    const after = await now(buy);
    expect(after).toMatchObject({ status: 'paused', stop: null, open_change: null, held: { state: 'paused' } });
    expect(after.total_budget_minor).toBe(buy.total_budget_minor + 1000);
    expect(after.verdicts).toMatchObject({ [task_id]: { outcome: 'done' }, [pause]: { outcome: 'done' } });
    expect(await at.adServer.read(buy.media_buy_id)).toMatchObject({ version: after.held?.version, state: 'paused' });
  });

  it('and that came before nothing, is what its task answers', async () => {
    const buy = await at.running();
    const task_id = taskId(`pause of ${buy.media_buy_id}`);
    await at.mediaBuys.replace(withStop(buy, { ...PAUSE, task_id }, await at.courier.look(buy)));
    await refuse(buy);
    const after = await at.courier.tell(buy.media_buy_id, { inHand: true });
    expect(after).toMatchObject({ status: 'active', stop: null, held: buy.held });
    expect(after?.verdicts?.[task_id]).toMatchObject({ outcome: 'refused', error: { code: 'AD_SERVER_REJECTED' } });
  });
});
