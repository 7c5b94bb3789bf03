import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFullTextRanker } from '../../../src/sales/product/full-text-ranker.ts';
import { demoCatalog } from '../support/demo-catalog.ts';

const catalog = await demoCatalog();
const ranker = createFullTextRanker(catalog);
const all = [...catalog.products.values()];
const rank = (brief: string, candidates = all, limit?: number) =>
  ranker.rank({ brief, ...(limit !== undefined && { limit }) }, candidates);

describe('the default ranker', () => {
  it.each([
    ['Connected TV for a car launch in the UK, 30 second spots', 'ctv_news_premium'],
    ['home cooks and families with recipes for our pasta sauce', 'saltpan_recipe_moments'],
    ['IT buyers: cloud and security software', 'signalpost_it_buyers'],
    ['podcast sponsorship', 'podcast_daily_harbour_host_read'],
    ['Reichweite in Deutschland', 'hafenblatt_reichweite'],
    ['homepage takeover', 'gazette_front_page_takeover'],
    ['electric vehicle intenders', 'overdrive_car_intenders'],
    ['radio spots for commuters on smart speakers', 'radio_streaming_spots'],
    ['newsletter read by managers and investors', 'newsletter_opening_bell'],
    ['pre-roll around live football', 'touchline_live_preroll'],
  ])('"%s" finds %s first', async (brief, product_id) => {
    const [best] = await rank(brief);
    expect(best?.product.product_id).toBe(product_id);
    expect(best?.score).toBe(1);
  });

  it('says which words matched in which aspects', async () => {
    const [best] = await rank('podcast sponsorship in the morning');
    expect(best?.match_reason).toMatch(/^matches "podcast" in channels, .*; "sponsorship" in name/);
  });

  it('reads a misspelled word as the nearest one it knows, and says so', async () => {
    const [best] = await rank('kitchn');
    expect(best?.product.product_id).toBe('saltpan_recipe_moments');
    expect(best?.match_reason).toContain('"kitchn" (read as "Kitchen")');
  });

  it('leaves out what shares no word with the brief, and ranks the rest best first', async () => {
    const found = await rank('CTV live sport');
    expect(found.length).toBeGreaterThan(1);
    expect(found.length).toBeLessThan(all.length);
    const scores = found.map(({ score }) => score ?? 0);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
  });

  it.each(['', 'xyzzy qwrtzp', 'we want a campaign', '!!! 2026 $5,000'])(
    'a brief that matches nothing (%j) answers all candidates in their order, unranked, and says so',
    async (brief) => {
      const some = all.slice(3, 9);
      const found = await rank(brief, some);
      expect(found.map(({ product }) => product)).toEqual(some);
      expect(found.every(({ score, match_reason }) => score === null && match_reason.startsWith('not ranked: '))).toBe(
        true,
      );
    },
  );

  it('answers candidates only, however well others match', async () => {
    const display = all.filter(({ channels }) => channels.includes('display'));
    const found = await rank('podcast news', display);
    expect(found.every(({ product }) => display.includes(product))).toBe(true);
    expect(await rank('podcast', [])).toEqual([]);
  });

  it('answers no more than were asked for, the same ones first', async () => {
    const found = await rank('news video', all, 3);
    expect(found).toEqual((await rank('news video')).slice(0, 3));
    expect(await rank('', all, 2)).toHaveLength(2);
  });

  it('the same brief is answered the same, by another index too', async () => {
    const again = createFullTextRanker(await demoCatalog());
    const brief = 'mobile video for sports fans and trip planners in Britain';
    expect(await again.rank({ brief }, all)).toEqual(await rank(brief));
  });

  it('no brief is a fault, and every answer is made of distinct candidates', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200, unit: 'grapheme' }), async (brief) => {
        const ids = (await rank(brief)).map(({ product }) => product.product_id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.length).toBeGreaterThan(0);
      }),
    );
    expect(await rank('recipes '.repeat(100_000))).not.toEqual([]);
    expect(await rank('constructor __proto__ toString hasOwnProperty')).toHaveLength(all.length);
  });
});
