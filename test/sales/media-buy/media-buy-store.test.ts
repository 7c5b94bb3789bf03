import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Collection } from '../../../src/platform/store/collection.ts';
import { MediaBuys } from '../../../src/sales/media-buy/media-buy.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { transitionBuy } from '../../../src/sales/media-buy/transitions.ts';
import { installation } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';
import { describeOnStores } from '../../support/stores.ts';

const at = '2026-03-03T10:00:00.000Z';

describeOnStores('media buys in %s', (kind) => {
  let installed: Installation;
  let buys: Collection<MediaBuy>;

  beforeAll(async () => {
    installed = await installation([MediaBuys], kind);
    buys = installed.store.collection(MediaBuys);
  });
  afterAll(() => installed.close());

  it('[B7] a buyer_ref is taken while its buy is open, by one organization, and free once the buy is terminal', async () => {
    const first = sampleMediaBuy({ media_buy_id: mediaBuyId('a'), task_id: taskId('ta') });
    const second = sampleMediaBuy({ media_buy_id: mediaBuyId('b'), task_id: taskId('tb') });
    expect(await buys.insert(first)).toEqual({ inserted: true });
    expect(await buys.insert(second)).toEqual({ inserted: false, duplicate: 'open_buyer_ref' });
    expect(await buys.insert({ ...second, organization_id: organizationId('org_2') })).toEqual({ inserted: true });
    await buys.update('a', (buy) => transitionBuy(buy, 'canceled', { at, action: 'canceled', actor: 'buyer' }));
    expect(await buys.insert(sampleMediaBuy({ media_buy_id: mediaBuyId('c'), task_id: taskId('tc') }))).toEqual({
      inserted: true,
    });
  });

  it('a task that runs twice makes one buy', async () => {
    const row = sampleMediaBuy({ media_buy_id: mediaBuyId('d'), task_id: taskId('td'), buyer_ref: 'other' });
    expect(await buys.insert(row)).toEqual({ inserted: true });
    expect(await buys.insert({ ...row, media_buy_id: mediaBuyId('e'), buyer_ref: 'another' })).toEqual({
      inserted: false,
      duplicate: 'task',
    });
  });

  it('[B2] each move raises the revision by one and the stored row is what the move made', async () => {
    await buys.insert(sampleMediaBuy({ media_buy_id: mediaBuyId('f'), task_id: taskId('tf'), buyer_ref: 'moves' }));
    const activated = await buys.update('f', (buy) =>
      transitionBuy(buy, 'active', { at, action: 'activated', actor: 'system' }),
    );
    expect(activated?.row).toMatchObject({ revision: 2, status: 'active', pending_reason: null });
    const paused = await buys.update('f', (buy) =>
      transitionBuy(buy, 'paused', { at, action: 'paused', actor: 'buyer' }),
    );
    expect(paused?.row.revision).toBe(3);
    expect(await buys.get('f')).toEqual(paused?.row);
  });
});
