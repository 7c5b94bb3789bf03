import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Collection, CollectionSpec } from '../../../src/platform/store/collection.ts';
import { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { MediaBuys } from '../../../src/sales/media-buy/media-buys.ts';
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

  it('[S6] [B2.revision] a row of 0.1.0, whose revision counted its writes, goes on from there', async () => {
    const { row_version: _row_version, ...shape } = MediaBuy.shape;
    const schema = z.object(shape);
    const ofOldRelease: CollectionSpec<z.infer<typeof schema>> = {
      ...{ name: MediaBuys.name, key: 'media_buy_id', schema, indexes: [] },
    };
    const place = await installation([ofOldRelease], kind);
    try {
      const { row_version: _first, ...old } = sampleMediaBuy();
      const rows = place.store.collection(ofOldRelease);
      await rows.insert(old);
      const moved = await rows.update('mb_1', (buy) => ({ ...buy, status: 'active', pending_reason: null }));
      expect(moved?.row).toMatchObject({ revision: 2 });

      const present = (await place.another([MediaBuys])).collection(MediaBuys);
      const read = await present.get('mb_1');
      expect(read).toEqual({ ...moved?.row, row_version: 3 });
      if (read === undefined) throw new Error('the buy is gone');
      expect(await present.replace({ ...read, brand_manifest: {} })).toMatchObject({ revision: 2, row_version: 4 });
      expect(await present.replace({ ...read, brand_manifest: {} })).toBeUndefined();
      const paused = await present.update('mb_1', (buy) =>
        transitionBuy(buy, 'paused', { at, action: 'paused', actor: 'buyer' }),
      );
      expect(paused?.row).toMatchObject({ revision: 3, row_version: 5 });
    } finally {
      await place.close();
    }
  });
});
