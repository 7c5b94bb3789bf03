import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { composeSales } from '../../../src/main/wiring/sales.ts';
import { AdOrderRecords } from '../../../src/adservers/simulator/order-row.ts';
import { adOrderOf } from '../../../src/sales/ad-order/ad-order-of.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { openSales } from '../support/open-sales.ts';
import type { OpenSales } from '../support/open-sales.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

const BUY_ID = mediaBuyId('mb_1');
const BOOKED = '2026-03-30T09:17:00.000Z';

let sales: OpenSales;
afterEach(() => sales.close());

/** The sample buy with this targeting of its packages, as 0.1.0 stored it. */
function buyWith(...overlays: (Record<string, unknown> | null)[]) {
  const buy = sampleMediaBuy({ created_at: BOOKED });
  const packages = buy.packages.map((line, i) => ({ ...line, targeting_overlay: overlays[i] ?? null }));
  return { ...buy, packages };
}

const orderAtAdServer = () => sales.store.collection(AdOrderRecords).get(BUY_ID);

it('[B14] another targeting is told to the ad server and begins no new instruction, so it delivers what it would have', async () => {
  sales = await openSales({ at: BOOKED });
  const facts = { ad_server_id: 'default', approvedVersion: () => 1, configOf: () => ({}) };
  const told = (buy: MediaBuy, version: number) => adOrderOf(buy, 'running', version, facts);
  expect(await sales.adServer.put(told(buyWith(null, null), 1))).toMatchObject({ outcome: 'done' });
  const before = await orderAtAdServer();
  const targeted = buyWith({ geo: { countries: ['US'] } }, { frequency_cap: { suppress_minutes: 30 } });
  const changed = told(targeted, 2);
  expect(await sales.adServer.put(changed)).toMatchObject({ outcome: 'done' });
  const after = await orderAtAdServer();
  expect(after?.instructions).toHaveLength(before?.instructions.length ?? 0);
  expect(after?.instructions[0]?.at).toBe(before?.instructions[0]?.at);
  expect(after?.held?.order?.lines).toMatchObject([
    { targeting: { countries: { any: ['US'] } } },
    { frequency_cap: { max: 1, per: 30, unit: 'minute' } },
  ]);
  expect(await sales.adServer.read(BUY_ID)).toMatchObject({ found: true, version: 2, differences: [] });
  await sales.adServer.put(changed);
  expect(await orderAtAdServer()).toEqual(after);
});

it('[B14] targeting that is told to no ad server is logged, once in a process, with the buy and the places', async () => {
  sales = await openSales({ at: BOOKED });
  const lines: unknown[] = [];
  const log = pino({ level: 'warn', base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) });
  const { store, clock } = sales;
  const { flights } = composeSales({ store, clock, log, simSpeed: 1 });
  const buy = buyWith({ geoo: 1, geo: { countries: ['US'] } }, { geo: 1.5 });
  await sales.mediaBuys.insert(buy);
  await flights.open(buy);
  await flights.process(BUY_ID);
  await flights.process(BUY_ID);
  expect(lines).toEqual([
    {
      level: 40,
      media_buy_id: 'mb_1',
      fields: ['pkg_1.targeting_overlay.geoo', 'pkg_2.targeting_overlay.geo'],
      msg: 'targeting that is not understood is told to no ad server',
    },
  ]);
});
