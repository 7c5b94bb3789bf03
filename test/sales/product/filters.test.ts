import { describe, expect, it } from 'vitest';
import { parseInput } from '../../../src/platform/validation.ts';
import { ProductFilters, filterProducts } from '../../../src/sales/product/filters.ts';
import { demoCatalog } from '../support/demo-catalog.ts';

const catalog = await demoCatalog();
const all = [...catalog.products.keys()];

function idsFor(filters: object): string[] {
  return filterProducts(catalog, ProductFilters.parse(filters)).map(({ product_id }) => product_id);
}

describe('get_products filters', () => {
  it('nothing asked is nothing left out', () => {
    expect(idsFor({})).toEqual(all);
    expect(idsFor({ channels: [], format_types: [] })).toEqual(all);
  });

  it('channels: sold as at least one of them, by our names or the public ones', () => {
    expect(idsFor({ channels: ['ctv'] })).toEqual(['ctv_news_premium', 'ctv_live_sport', 'ctv_run_of_service']);
    expect(idsFor({ channels: ['olv'] })).toEqual(idsFor({ channels: ['video'] }));
    expect(idsFor({ channels: ['streaming_audio'] })).toEqual(idsFor({ channels: ['audio'] }));
    expect(idsFor({ channels: ['ctv', 'email'] })).toHaveLength(5);
    expect(idsFor({ channels: ['dooh'] })).toEqual([]);
  });

  it('delivery_type: exactly', () => {
    const guaranteed = idsFor({ delivery_type: 'guaranteed' });
    expect([...guaranteed, ...idsFor({ delivery_type: 'non_guaranteed' })].sort()).toEqual([...all].sort());
    expect(guaranteed).toContain('ctv_news_premium');
  });

  it('format_types: takes a format of at least one of them', () => {
    expect(idsFor({ format_types: ['audio'] })).toEqual(idsFor({ channels: ['audio'] }));
    expect(idsFor({ format_types: ['video'], channels: ['display'] })).toContain('signalpost_it_buyers');
    expect(idsFor({ format_types: ['rich_media'] })).toEqual([]);
  });

  it('all filters must hold together', () => {
    expect(idsFor({ channels: ['display'], delivery_type: 'guaranteed', format_types: ['video'] })).toEqual([
      'signalpost_it_buyers',
      'overdrive_car_intenders',
    ]);
  });
});

describe('budget_range', () => {
  it('leaves out what costs more than max at the least', () => {
    expect(idsFor({ budget_range: { max: 25_000 }, channels: ['ctv'] })).toEqual([
      'ctv_news_premium',
      'ctv_run_of_service',
    ]);
    expect(idsFor({ budget_range: { max: 24_999.99 }, channels: ['ctv'] })).toEqual(['ctv_run_of_service']);
    expect(idsFor({ budget_range: { max: 1 } })).toEqual([]);
  });

  it('leaves out what cannot take as much as min', () => {
    const big = idsFor({ budget_range: { min: 60_000 } });
    expect(big).not.toContain('newsletter_opening_bell');
    expect(big).toContain('ctv_live_sport');
    expect(big).toContain('studio_sponsored_content');
    expect(idsFor({ budget_range: { min: 0 } })).toEqual(idsFor({ budget_range: {} }));
  });

  it('[B3] compares within one currency, dollars unless another is named, and converts nothing', () => {
    expect(idsFor({ budget_range: { max: 5000 } })).not.toContain('thames_review_display');
    expect(idsFor({ budget_range: { max: 5000, currency: 'GBP' } })).toEqual([
      'wayfarer_trip_planners',
      'thames_review_display',
    ]);
    expect(idsFor({ budget_range: { currency: 'EUR' } })).toContain('hafenblatt_reichweite');
  });
});

describe('filters that do not hold are refused by field', () => {
  it.each([
    [{ budget_range: { min: 10, max: 5 } }, 'filters.budget_range.max', 'INVALID_REQUEST'],
    [{ budget_range: { max: 0 } }, 'filters.budget_range.max', 'INVALID_REQUEST'],
    [{ budget_range: { min: -1 } }, 'filters.budget_range.min', 'INVALID_REQUEST'],
    [{ budget_range: { max: 0.1 + 0.2 } }, 'filters.budget_range.max', 'INVALID_REQUEST'],
    [{ budget_range: { max: '10' } }, 'filters.budget_range.max', 'VALIDATION_ERROR'],
    [{ budget_range: { max: Infinity } }, 'filters.budget_range.max', 'VALIDATION_ERROR'],
    [{ budget_range: { currency: 'usd' } }, 'filters.budget_range.currency', 'VALIDATION_ERROR'],
    [{ channels: ['vidoe'] }, 'filters.channels[0]', 'VALIDATION_ERROR'],
    [{ delivery_type: 'maybe' }, 'filters.delivery_type', 'VALIDATION_ERROR'],
    [{ format_types: 'video' }, 'filters.format_types', 'VALIDATION_ERROR'],
    [{ chanels: ['video'] }, 'filters.chanels', 'VALIDATION_ERROR'],
  ])('%j at %s', (filters, field, code) => {
    expect(() => parseInput(ProductFilters, filters, ['filters'])).toThrow(
      expect.objectContaining({ code, details: expect.objectContaining({ field }) as object }) as Error,
    );
  });
});
