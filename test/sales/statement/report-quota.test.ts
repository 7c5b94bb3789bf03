import { afterEach, beforeEach, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/platform/hours.ts';
import { AskedReportRows, createReportQuota } from '../../../src/sales/statement/report-quota.ts';
import type { ReportQuota } from '../../../src/sales/statement/report-quota.ts';
import { installation } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { describeOnStores } from '../../support/stores.ts';

describeOnStores('the reports of an ad server in an hour, on %s', (store) => {
  let place: Installation;
  let processes: ReportQuota[];
  beforeEach(async () => {
    place = await installation([AskedReportRows], store);
    const { clock } = place;
    processes = [place.store, await place.another()].map((each) =>
      createReportQuota({ rows: each.collection(AskedReportRows), clock, ad_server_id: 'default' }),
    );
  });
  afterEach(() => place.close());

  it('are no more than it bears, by all processes together, in any hour there is', async () => {
    const taken: number[] = [];
    const take = async (i: number) => {
      const againMs = await processes[i % 2]?.take(5);
      if (againMs === undefined) taken.push(place.clock.now());
      else expect(againMs).toBeGreaterThan(place.clock.now());
    };
    for (let i = 0; i < 40; i++) {
      await Promise.all([take(0), take(1), take(0)]);
      place.clock.advance(7 * 60_000);
    }
    const most = Math.max(...taken.map((from) => taken.filter((at) => at >= from && at < from + HOUR_MS).length));
    expect(most).toBe(5);
    expect(taken.length).toBeGreaterThan(15);
  });

  it('are free again at the instant that was named', async () => {
    expect(await processes[0]?.take(1)).toBeUndefined();
    const againMs = (await processes[1]?.take(1)) ?? 0;
    place.clock.advance(againMs - place.clock.now() - 1);
    expect(await processes[1]?.take(1)).toBe(againMs);
    place.clock.advance(1);
    expect(await processes[1]?.take(1)).toBeUndefined();
  });
});
