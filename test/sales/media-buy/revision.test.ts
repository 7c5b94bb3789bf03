import { describe, expect, it } from 'vitest';
import { transitionBuy } from '../../../src/sales/media-buy/transitions.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { withRevision } from '../../../src/sales/media-buy/revision.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

const LATER = '2026-03-03T10:00:00.000Z';
const buy = sampleMediaBuy({ revision: 7, row_version: 12 });
const withLine = (change: object): MediaBuy => ({
  ...buy,
  packages: buy.packages.map((line, i) => (i === 0 ? { ...line, ...change } : line)),
});
const withLastEvent = (change: object): MediaBuy => ({
  ...buy,
  history: buy.history.map((event) => ({ ...event, ...change })),
});

describe('the revision of a media buy', () => {
  it.each<[string, MediaBuy]>([
    ['a move', transitionBuy(buy, 'active', { at: LATER, action: 'activated', actor: 'system' })],
    ['another thing to wait for', { ...buy, pending_reason: 'start_time' }],
    ['another budget', withLine({ budget_minor: 1_000_001 })],
    ['another bid', withLine({ bid_price_minor: 2151 })],
    ['another targeting', withLine({ targeting_overlay: { geo: { countries: ['CA'] } } })],
    ['a creative more', withLine({ creative_ids: ['c1', 'c2'] })],
    ['a package that is paused', withLine({ paused: true })],
    ['other dates', { ...buy, end_time: '2026-05-30T00:00:00.000Z' }],
    ['one more event', { ...buy, history: [...buy.history, ...buy.history] }],
    ['an event that tells more', withLastEvent({ note: 'by telephone' })],
  ])('[B2.revision] is raised by one by %s, whatever the writer put there', (_, after) => {
    for (const revision of [1, 7, 99]) {
      expect(withRevision(buy, { ...after, revision, updated_at: LATER })).toEqual({
        ...after,
        revision: 8,
        updated_at: LATER,
      });
    }
  });

  it.each<[string, MediaBuy]>([
    ['nothing', buy],
    ['what counts writes', { ...buy, row_version: 13 }],
    ['what no buyer is shown of a package', withLine({ min_spend_minor: 1, floor_minor: 1800 })],
    ['what no buyer is shown of an event', withLastEvent({ revision: 3 })],
    ['the brand, which is not shown', { ...buy, brand_manifest: { name: 'Another' } }],
    ['keys of a newer release', { ...buy, of_a_newer_release: 1 } as MediaBuy],
    ['an equal targeting', withLine({ targeting_overlay: { geo: { countries: ['US'] } } })],
  ])('[B2.revision] is left alone by %s, and so is the time of the last change', (_, after) => {
    for (const revision of [1, 7, 99]) {
      expect(withRevision(buy, { ...after, revision, updated_at: LATER })).toEqual({
        ...after,
        revision: 7,
        updated_at: buy.updated_at,
      });
    }
  });
});
