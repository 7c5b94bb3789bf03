import { describe, expect, it } from 'vitest';
import { grantOf, grantOfNewBuy, notGranted } from '../../../src/sales/approval/grant.ts';
import type { ApprovalGrant } from '../../../src/sales/approval/grant.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../../../src/sales/media-buy/media-buy-package.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

/** Packages of 10,000.00 and 2,500.50. */
const BUY = sampleMediaBuy();
const BASE = { revision: 3, total_minor: 50_000 };
const granted = grantOf(BUY, BASE);

function termsWith(change: Partial<MediaBuy>, first: Partial<MediaBuyPackage> = {}): ApprovalGrant {
  const packages = BUY.packages.map((line, i) => (i === 0 ? { ...line, ...first } : line));
  const total_budget_minor = packages.reduce((sum, line) => sum + line.budget_minor, 0);
  return grantOf({ ...BUY, packages, total_budget_minor, ...change }, { revision: 9, total_minor: 1 });
}

describe('a grant', () => {
  it('says what it was reckoned from, and of a new buy that this was nothing', () => {
    expect(granted).toMatchObject({ base_revision: 3, base_total_minor: 50_000, total_minor: 1_250_050 });
    expect(grantOfNewBuy(BUY)).toMatchObject({ base_revision: BUY.revision, base_total_minor: 0 });
  });

  it('has one digest for the same terms, whatever they were reckoned from', () => {
    expect(termsWith({}).digest).toBe(granted.digest);
    expect(granted.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, ApprovalGrant]>([
    ['the same', termsWith({})],
    ['less money', termsWith({}, { budget_minor: 999_999 })],
    ['another creative', termsWith({}, { creative_ids: ['other'] })],
    ['a package that is paused', termsWith({}, { paused: true })],
    ['what is no term of ours', termsWith({}, { of_a_newer_release: 1 } as Partial<MediaBuyPackage>)],
  ])('covers %s', (_name, terms) => {
    expect(notGranted(granted, terms, 'USD')).toEqual([]);
  });

  it.each<[string, ApprovalGrant, RegExp[]]>([
    [
      'a higher total',
      termsWith({}, { budget_minor: 1_000_001 }),
      [/^the total is 12500.51 USD, not 12500.50 USD$/, /^package pkg_1 has 10000.01 USD/],
    ],
    [
      'money that went to another package',
      grantOf({ ...BUY, packages: BUY.packages.map((line) => ({ ...line, budget_minor: 625_025 })) }, BASE),
      [/^package pkg_2 has 6250.25 USD, not 2500.50 USD$/],
    ],
    ['another start', termsWith({ start_time: '2027-01-02T00:00:00.000Z' }), [/^the start is 2027-01-02/]],
    ['a start as soon as possible', termsWith({ start_time: 'asap' }), [/^the start is asap/]],
    ['another end', termsWith({ end_time: '2027-03-01T00:00:00.000Z' }), [/^the end is 2027-03-01/]],
    ['another bid', termsWith({}, { bid_price_minor: 1 }), [/bid or targeting of package pkg_1/]],
    ['a lower price', termsWith({}, { price_minor: 1 }), [/^the price.* of package pkg_1/]],
    ['another targeting', termsWith({}, { targeting_overlay: { geo: {} } }), [/targeting of package pkg_1/]],
    ['another product', termsWith({}, { product_id: 'other' }), [/of package pkg_1/]],
    [
      'a package more',
      grantOf({ ...BUY, packages: [...BUY.packages, line('pkg_3')] }, BASE),
      [/^package pkg_3 is new$/],
    ],
    ['a package less', grantOf({ ...BUY, packages: BUY.packages.slice(0, 1) }, BASE), [/^package pkg_2 is gone$/]],
  ])('does not cover %s, and says so', (_name, terms, words) => {
    expect(terms.digest).not.toBe(granted.digest);
    const found = notGranted(granted, terms, 'USD');
    expect(found).toEqual(words.map((pattern) => expect.stringMatching(pattern) as string));
  });
});

function line(package_id: string): MediaBuyPackage {
  const [first] = BUY.packages;
  if (first === undefined) throw new Error('no package');
  return { ...first, package_id, budget_minor: 0 };
}
