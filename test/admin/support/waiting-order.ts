import type { Core } from '../../../src/main/wiring/compose.ts';
import { AdServerHealths } from '../../../src/sales/ad-order/breaker.ts';
import { withOpenChange } from '../../../src/sales/ad-order/open.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';

/** Stores a new buy whose inventory is to be held, and that nobody has told the ad server of yet. */
export async function insertWaitingBuy(
  { sales }: Pick<Core, 'sales'>,
  ids: Pick<MediaBuy, 'media_buy_id' | 'task_id'>,
): Promise<MediaBuy> {
  const { packages, ...buy } = sampleMediaBuy({ ...ids, buyer_ref: ids.media_buy_id });
  const lines = packages.map((line) => ({ ...line, package_id: `${ids.media_buy_id}_${line.package_id}` }));
  const blank: MediaBuy = { ...buy, packages: lines, ad_version: 0, held: null, pending_reason: 'ad_server' };
  const look = await sales.courier.look(blank);
  const opened = withOpenChange(blank, { kind: 'hold', task_id: ids.task_id }, look);
  await sales.mediaBuys.insert(opened);
  return opened;
}

/** Makes the ad server one that cannot be reached, and that is not probed either. */
export async function cutOffAdServer({ store, clock }: Pick<Core, 'store' | 'clock'>): Promise<string> {
  const since = new Date(clock.now()).toISOString();
  await store.collection(AdServerHealths).insert({
    ...{ ad_server_id: 'default', state: 'open', since, failures: 5, revision: 1 },
    ...{ probe_due_at: '2999-01-01T00:00:00.000Z', last_fault: 'connect ECONNREFUSED' },
  });
  return since;
}
