import { describe, expect, it } from 'vitest';
import { standingColumns } from '../../../src/admin/console/parts/package-columns.tsx';
import { Table } from '../../../src/admin/console/parts/table.tsx';
import { TermsDifference } from '../../../src/admin/console/parts/terms-difference.tsx';
import { otherChanges } from '../../../src/admin/operator/approvals/other-changes.ts';
import type { OtherChangesView } from '../../../src/admin/operator/approvals/other-changes.ts';
import type { GrantView } from '../../../src/admin/operator/approvals/grant-view.ts';
import type { MediaBuyView, PackageView } from '../../../src/sales/media-buy/media-buy-view.ts';
import { MediaBuyId } from '../../../src/sales/media-buy/media-buy-id.ts';
import type { MediaBuyPackage } from '../../../src/sales/media-buy/media-buy-package.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';
import { textOf as plain } from './support/visitor.ts';

const line = (package_id: string, more: Partial<PackageView> = {}): PackageView => ({
  ...{ package_id, product_id: 'home', product_name: 'Homepage', delivery_type: 'guaranteed' },
  ...{ pricing_option_id: 'cpm', pricing_model: 'cpm', price: 12, budget: 1_000, creative_ids: [], paused: false },
  ...more,
});

const BUY: MediaBuyView = {
  ...{ media_buy_id: MediaBuyId.parse('mb_1'), buyer_ref: 'spring', status: 'active', currency: 'EUR' },
  ...{ total_budget: 2_000, start_time: '2030-03-01T00:00:00.000Z', end_time: '2030-04-01T00:00:00.000Z' },
  ...{ packages: [line('mb_1_p1'), line('mb_1_p2')], valid_actions: [], revision: 3 },
  ...{ created_at: '2030-01-01T00:00:00.000Z', updated_at: '2030-01-01T00:00:00.000Z' },
};

const TERMS: GrantView = {
  ...{ base_revision: 3, base_total: 2_000, total: 2_000, currency: 'EUR', digest: 'd' },
  ...{ start_time: BUY.start_time, end_time: BUY.end_time },
  packages: BUY.packages.map(({ package_id, budget }) => ({ package_id, budget })),
};

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, '');

/** The rows of a table as texts. */
const rowsOf = (html: string) =>
  (html.match(/<tr[^]*?<\/tr>/g) ?? []).slice(1).map((row) => (row.match(/<td[^]*?<\/td>/g) ?? []).map(textOf));

describe('[O1.pages] what an approval changes', () => {
  const differences = (terms: Partial<GrantView>, others: OtherChangesView | null = null) =>
    String(<TermsDifference buy={BUY} terms={{ ...TERMS, ...terms }} others={others} />);

  it('is told field by field, before and after, and nothing else is', () => {
    const packages = [
      { package_id: 'mb_1_p1', budget: 2_500 },
      { package_id: 'mb_1_p3', budget: 500 },
    ];
    expect(rowsOf(differences({ total: 3_000, end_time: '2030-05-01T12:30:00.000Z', packages }))).toEqual([
      ['Total budget', '2,000.00 EUR', '3,000.00 EUR'],
      ['End', '2030-04-01', '2030-05-01 12:30'],
      ['Budget of Homepage, mb_1_p1', '1,000.00 EUR', '2,500.00 EUR'],
      ['Budget of Homepage, mb_1_p2', '1,000.00 EUR', '-'],
      ['New package mb_1_p3', '-', '500.00 EUR'],
    ]);
    expect(rowsOf(differences({ start_time: 'asap' }))).toEqual([['Start', '2030-03-01', 'as soon as it can']]);
  });

  it('may be neither dates nor money', () => {
    expect(textOf(differences({}))).toBe('Neither dates nor money: the request says what it is.');
    expect(textOf(differences({}, { packages: [] }))).toBe(
      'Neither dates nor money, nor pause, bid, targeting or creatives of a package: the request says what it is.',
    );
  });

  const bought = sampleMediaBuy({ status: 'active', pending_reason: null });
  const others = (updates: object, new_packages: MediaBuyPackage[] = []) =>
    otherChanges(bought, { request: { updates }, new_packages });
  const shown = (of: OtherChangesView | null) =>
    rowsOf(differences({ currency: 'USD' }, of)).map((row) => row.map(plain));
  const one = (changes: object) => ({ packages: [{ package_id: 'pkg_1', ...changes }] });
  const ctv = 'of Northlight Plus Run of Service CTV, pkg_1';

  it.each<[string, object, string[][]]>([
    ['pause', one({ paused: true }), [[`Standing ${ctv}`, 'not paused', 'paused']]],
    ['bid', one({ bid_price: 22.5 }), [[`Bid ${ctv}`, '21.50 USD', '22.50 USD']]],
    [
      'targeting, by what of it changes',
      one({ targeting_overlay: { geo: { countries: ['US'] }, device_types: ['ctv'] } }),
      [[`Targeting by device types ${ctv}`, 'none', '["ctv"]']],
    ],
    [
      'the targeting of all but those with one of their own',
      { ...one({ targeting_overlay: {} }), targeting: { geo: { countries: ['CA'] } } },
      [
        [`Targeting by geo ${ctv}`, '{"countries":["US"]}', 'none'],
        ['Targeting by geo of Gazette Run of Site Display, pkg_2', 'none', '{"countries":["CA"]}'],
      ],
    ],
    [
      'creatives, those that are brought among them',
      one({ creatives: [{ creative_id: 'c2' }] }),
      [[`Creatives ${ctv}`, 'c1', 'c1, c2']],
    ],
    ['creatives, none left', one({ creative_ids: [] }), [[`Creatives ${ctv}`, 'c1', 'none']]],
    ['the pause of all', { status: 'paused' }, [['The media buy', 'active', 'paused']]],
    [
      'nothing that it has already',
      { ...one({ paused: false, bid_price: 21.5, creative_ids: ['c1'] }), status: 'active' },
      [],
    ],
  ])('of a package: %s', (_what, updates, rows) => {
    expect(shown(others(updates))).toEqual(rows);
  });

  it('of a new package: what it would have', () => {
    const [ctvLine] = bought.packages;
    if (ctvLine === undefined) throw new Error('the sample has no package');
    const added = {
      ...ctvLine,
      package_id: 'pkg_3',
      targeting_overlay: null,
      creative_ids: ['acc_0123456789abcdef0123456789abcdef/c9'],
    };
    expect(shown(others({}, [added]))).toEqual([
      ['Bid of new package pkg_3', '-', '21.50 USD'],
      ['Creatives of new package pkg_3', '-', 'c9'],
    ]);
  });

  it('is left to the request, where that is in no words that are read', () => {
    expect(others({ packages: 'all' })).toBeNull();
    expect(otherChanges(bought, { request: {} })).toBeNull();
  });
});

describe('[O1.pages] packages', () => {
  const columns = (...packages: PackageView[]) => {
    const html = String(<Table caption="Packages" rows={packages} empty="" columns={standingColumns(packages)} />);
    return [(html.match(/<th[^]*?<\/th>/g) ?? []).map(textOf), ...rowsOf(html)];
  };

  it('say when they run and whether they are held, where one of them is not as its media buy is', () => {
    expect(standingColumns(BUY.packages)).toEqual([]);
    const start_time = '2030-03-10T00:00:00.000Z';
    const end_time = '2030-03-20T06:00:00.000Z';
    expect(
      columns(line('p1'), line('p2', { start_time, paused: true }), line('p3', { end_time }), {
        ...line('p4', { start_time, end_time }),
      }),
    ).toEqual([
      ['Runs', 'Held'],
      ['as the media buy', ''],
      ['from 2030-03-10', 'paused'],
      ['until 2030-03-20 06:00', ''],
      ['from 2030-03-10 until 2030-03-20 06:00', ''],
    ]);
    expect(columns(line('p1', { paused: true }))).toEqual([['Held'], ['paused']]);
  });
});
