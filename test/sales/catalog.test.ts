import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CatalogError, formatOf, loadCatalog } from '../../src/sales/catalog.ts';
import { Format } from '../../src/sales/format/format.ts';
import { Product } from '../../src/sales/product/product.ts';
import { baseUrl, demoCatalog, demoFolder, productOf, withEditedCatalog } from './support/demo-catalog.ts';
import type { EditableCatalog } from './support/demo-catalog.ts';

const catalog = await demoCatalog();
const products = [...catalog.products.values()];

/** The problems of the demo catalog after an edit, as `file path: message`. */
async function mistakesAfter(edit: (files: EditableCatalog, folder: string) => void): Promise<string[]> {
  return withEditedCatalog(edit, async (folder) => {
    const error: unknown = await loadCatalog(folder, { baseUrl }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return error instanceof CatalogError ? error.problems.map((p) => `${p.file} ${p.path}: ${p.message}`) : [];
  });
}

it('the shipped catalog sells every channel by every pricing model, guaranteed and not, in three currencies', () => {
  const options = products.flatMap((product) => product.pricing_options);
  expect(catalog.products.size).toBeGreaterThanOrEqual(16);
  expect(catalog.formats.size).toBeGreaterThanOrEqual(14);
  expect(catalog.properties.size).toBeGreaterThanOrEqual(24);
  expect(new Set(products.flatMap((product) => product.channels))).toEqual(
    new Set(['display', 'video', 'ctv', 'audio', 'podcast', 'native', 'email']),
  );
  expect(new Set(options.map((option) => option.pricing_model))).toEqual(new Set(['cpm', 'cpm-auction', 'flat-fee']));
  expect(new Set(options.map((option) => option.currency))).toEqual(new Set(['USD', 'EUR', 'GBP']));
  expect(new Set(products.map((product) => product.delivery_type))).toEqual(new Set(['guaranteed', 'non_guaranteed']));
});

it('every product is answered as its schema says, with formats and properties that exist', () => {
  for (const product of products) {
    expect(Product.parse(product)).toEqual(product);
    for (const format_id of product.format_ids) expect(formatOf(catalog, format_id)).toBeDefined();
    for (const { publisher_domain, property_ids } of product.publisher_properties) {
      expect(catalog.publisher_domains).toContain(publisher_domain);
      for (const id of property_ids) expect(catalog.properties.get(id)?.publisher_domain).toBe(publisher_domain);
    }
  }
});

it('every domain of the demo publisher is one that nobody can own', () => {
  expect(catalog.publisher.domains.every((domain) => domain.endsWith('.example'))).toBe(true);
  expect(catalog.publisher_domains).toEqual([...catalog.publisher_domains].sort());
});

it('the format ids of our own formats carry the URL of this agent, with or without a slash at its end', async () => {
  const withSlash = await loadCatalog(demoFolder, { baseUrl: `${baseUrl}/` });
  for (const loaded of [catalog, withSlash]) {
    expect(productOf(loaded, 'gazette_run_of_site').format_ids[0]).toEqual({
      agent_url: baseUrl,
      id: 'display_300x250',
    });
    expect(formatOf(loaded, { agent_url: `${baseUrl}/`, id: 'ctv_30s' })?.duration_ms).toBe(30_000);
    expect(formatOf(loaded, { agent_url: 'https://elsewhere.test', id: 'ctv_30s' })).toBeUndefined();
  }
  expect(JSON.stringify(products)).not.toContain('{base_url}');
});

it('a loaded catalog cannot be changed', () => {
  const product = productOf(catalog, 'gazette_run_of_site');
  expect(() => (product.channels as string[]).push('ctv')).toThrow(TypeError);
  expect(() => Object.assign(product.targeting.geo, { countries: [] })).toThrow(TypeError);
  expect(() => Object.assign(catalog.publisher.policies, { advertising: '' })).toThrow(TypeError);
});

it('a product takes a property by tag only when the property carries one of its channels', () => {
  const domains = (id: string) =>
    productOf(catalog, id).publisher_properties.flatMap(({ property_ids }) => property_ids);
  expect(domains('podcast_network_dynamic')).toHaveLength(6);
  expect(domains('news_outstream_video')).not.toContain('gazette_opinion');
});

it('formats may be named by id alone, and a default currency stands in for a missing one', async () => {
  const loaded = await withEditedCatalog(
    ({ products: [first], publisher }) => {
      Object.assign(first ?? {}, { format_ids: ['display_300x250'] });
      publisher['default_currency'] = 'CAD';
    },
    (folder) => loadCatalog(folder, { baseUrl }),
  );
  const product = productOf(loaded, 'gazette_run_of_site');
  expect(product.format_ids).toEqual([{ agent_url: baseUrl, id: 'display_300x250' }]);
  expect(product.pricing_options[0]?.currency).toBe('CAD');
});

it('every mistake of every file is reported at once, by file and path', async () => {
  const mistakes = await mistakesAfter((files) => {
    files.publisher['primary_domain'] = 'elsewhere.example';
    Object.assign(files.properties[1] ?? {}, { property_id: 'gazette_web', publisher_domain: 'elsewhere.example' });
    Object.assign(files.properties[2] ?? {}, { identifiers: [{ type: 'domain', value: 'harbourgazette.example' }] });
    files.formats.push(files.formats[0] ?? {});
    Object.assign(files.formats[2] ?? {}, { dimensions: { width: 0, height: 250 } });
    Object.assign(files.products[0] ?? {}, { channels: ['television'], colour: 'blue' });
    Object.assign(files.products[1] ?? {}, {
      format_ids: ['display_970x250', 'nowhere', 'nowhere'],
      property_ids: ['void'],
    });
    Object.assign(files.products[2] ?? {}, { product_id: 'ctv_live_sport', property_ids: ['pod_night_train'] });
    Object.assign(files.products[3] ?? {}, { flight: { min_days: 9, max_days: 2 }, description: 'Short.' });
    const [option] = files.products[4]?.['pricing_options'] as object[];
    Object.assign(files.products[4] ?? {}, { pricing_options: [option, { ...option, floor: 1.234 }] });
    const [other] = files.products[5]?.['pricing_options'] as object[];
    Object.assign(files.products[5] ?? {}, { pricing_options: [other, other], property_tags: ['radio'] });
  });
  expect(mistakes.sort()).toEqual(
    [
      'formats.json [21].format_id: ',
      'formats.json [2].dimensions.width: ',
      'products.json [0].channels[0]: ',
      'products.json [0].colour: unknown key',
      'products.json [1].format_ids[1]: formats.json has no format nowhere',
      'products.json [1].format_ids[2]: formats.json has no format nowhere',
      'products.json [1].format_ids[2]: names format nowhere twice',
      'products.json [1].property_ids[0]: properties.json has no property void',
      'products.json [9].product_id: ctv_live_sport is used already',
      'products.json [2].property_ids[0]: property pod_night_train carries none',
      'products.json [3].description: ',
      'products.json [3].flight.max_days: must not be below min_days',
      'products.json [4].pricing_options[1].floor: must have at most 2 decimals',
      'products.json [5].pricing_options[1].pricing_option_id: uses preroll_fixed_usd twice',
      'products.json [5].property_tags[0]: no property tagged radio',
      'properties.json [1].property_id: gazette_web is used already',
      'properties.json [1].publisher_domain: elsewhere.example is not among',
      'properties.json [2].identifiers[0]: domain harbourgazette.example already identifies gazette_web',
      'publisher.json primary_domain: elsewhere.example is not among domains',
    ]
      .sort()
      .map((expected) => expect.stringContaining(expected) as string),
  );
});

it('a format with a mistake of its own is not also reported as missing', async () => {
  const mistakes = await mistakesAfter((files) => {
    Object.assign(files.formats[0] ?? {}, { type: 'hologram' });
    Object.assign(files.properties[0] ?? {}, { tags: ['news', 'news'] });
  });
  expect(mistakes).toHaveLength(2);
});

it('a mistake of form hides no wrong name beside it, and none that it may have caused is told', async () => {
  const mistakes = await mistakesAfter(({ products: [first, second] }) => {
    Object.assign(first ?? {}, { colour: 'blue', format_ids: ['nowhere'], property_ids: ['void'] });
    Object.assign(second ?? {}, { channels: ['television'], format_ids: [7], property_ids: ['pod_night_train'] });
  });
  expect(mistakes.map((mistake) => mistake.replace(/:.*/, '')).sort()).toEqual([
    'products.json [0].colour',
    'products.json [0].format_ids[0]',
    'products.json [0].property_ids[0]',
    'products.json [1].channels[0]',
    'products.json [1].format_ids[0]',
  ]);
});

it('[D4.terms] terms of measurement that the public protocol has no words for are a mistake, each by its place', async () => {
  const mistakes = await mistakesAfter(({ products: [first, second, third] }) => {
    const measured = { vendor: { domain: 'Countwell' }, max_variance_percent: 100, deadline: 1 };
    const makegood_policy = { available_remedies: ['refund'] };
    Object.assign(first ?? {}, { measurement_terms: { billing_measurement: measured, makegood_policy } });
    Object.assign(second ?? {}, { measurement_terms: {} });
    Object.assign(third ?? {}, { measurement_terms: { billing_measurement: { measurement_window: 'c7' } } });
  });
  const at = (i: number, rest: string) => `products.json [${i}].measurement_terms${rest}`;
  expect(mistakes.map((mistake) => mistake.replace(/: .*/, '')).sort()).toEqual([
    at(0, '.billing_measurement.deadline'),
    at(0, '.billing_measurement.max_variance_percent'),
    at(0, '.billing_measurement.vendor.domain'),
    at(0, '.makegood_policy.available_remedies[0]'),
    at(1, ''),
    at(2, '.billing_measurement.vendor'),
  ]);
});

it('[D3.products] policies that nothing here would hold to are a mistake, each by its place', async () => {
  const free = { notice_period: { interval: 1, unit: 'seconds' }, cancellation_fee: { type: 'none' } };
  const mistakes = await mistakesAfter(({ products: [first, second, third] }) => {
    Object.assign(first ?? {}, {
      cancellation_policy: { notice_period: { interval: 14, unit: 'days' }, cancellation_fee: { type: 'none' } },
      creative_policy: { co_branding: 'required', landing_page: 'retailer_site_only', templates_available: true },
    });
    Object.assign(second ?? {}, {
      cancellation_policy: { ...free, cancellation_fee: { type: 'percent_remaining', rate: 0.5 } },
      creative_policy: {
        co_branding: 'none',
        landing_page: 'any',
        templates_available: false,
        provenance_required: true,
      },
    });
    Object.assign(third ?? {}, { cancellation_policy: free });
  });
  const at = (i: number, rest: string) => `products.json [${i}].${rest}`;
  expect(mistakes.map((mistake) => mistake.replace(/: .*/, '')).sort()).toEqual([
    at(0, 'cancellation_policy.notice_period.interval'),
    at(0, 'cancellation_policy.notice_period.unit'),
    at(0, 'creative_policy.co_branding'),
    at(0, 'creative_policy.landing_page'),
    at(0, 'creative_policy.templates_available'),
    at(1, 'cancellation_policy.cancellation_fee.rate'),
    at(1, 'cancellation_policy.cancellation_fee.type'),
    at(1, 'creative_policy.provenance_required'),
  ]);
});

describe('measures that exclude each other', () => {
  it.each<[string, object, string]>([
    ['a least width above the width', { width: 300, min_width: 500 }, 'min_width: is 500, above width, which is 300'],
    ['a least height above the height', { height: 250, min_height: 251 }, 'min_height: is 251, above height'],
    ['a shape that the sides do not have', { width: 300, height: 250, aspect_ratio: '16:9' }, 'aspect_ratio: 300×250'],
    ['a least length above the most', { min_duration_ms: 9000, max_duration_ms: 6000 }, 'min_duration_ms: is 9000'],
    ['a length above the most', { duration_ms: 30_000, max_duration_ms: 15_000 }, 'duration_ms: is 30000, above max_'],
    ['a least bitrate above the most', { min_bitrate_kbps: 2, max_bitrate_kbps: 1 }, 'min_bitrate_kbps: is 2'],
  ])('are a mistake: %s', async (_what, measures, said) => {
    const mistakes = await mistakesAfter(({ formats: [format] }) => {
      Object.assign(format ?? {}, { assets: { image: { kind: 'image', required: true, ...measures } } });
    });
    expect(mistakes).toEqual([expect.stringContaining(`formats.json [0].assets.image.${said}`)]);
  });

  it('are a mistake in the dimensions of a slot, too', async () => {
    const dimensions = { width: 900, min_width: 320, max_width: 800 };
    const mistakes = await mistakesAfter(({ formats: [format] }) => Object.assign(format ?? {}, { dimensions }));
    expect(mistakes).toEqual([expect.stringContaining('formats.json [0].dimensions.width: is 900, above max_width')]);
  });

  it('are none where they agree, or differ by what is allowed', async () => {
    const agreeing = { width: 300, min_width: 300, height: 250, aspect_ratio: '6:5', duration_ms: 15_200 };
    const mistakes = await mistakesAfter(({ formats: [format] }) => {
      const video = { kind: 'video', required: true, ...agreeing, max_duration_ms: 15_000 };
      Object.assign(format ?? {}, { assets: { video } });
    });
    expect(mistakes).toEqual([]);
  });
});

describe('a media type of a format', () => {
  const mistakesWith = (mime_type: string) =>
    mistakesAfter(({ formats: [format] }) => {
      Object.assign(format ?? {}, { assets: { image: { kind: 'image', required: true, mime_types: [mime_type] } } });
    });

  it.each([
    ['image/jpg', 'did you mean image/jpeg?'],
    ['image/jepg', 'did you mean image/jpeg?'],
    ['audio/mp3', 'did you mean audio/mpeg?'],
    ['video/mov', 'did you mean video/quicktime?'],
    ['application/x-zip-compressed', 'did you mean application/zip?'],
    ['cinema/hologram', 'send one such as image/png'],
    ['jpeg', 'must be a media type, such as image/png'],
  ])('that nothing can be, %s, is a mistake that says which is meant', async (mime_type, said) => {
    const mistakes = await mistakesWith(mime_type);
    expect(mistakes).toEqual([expect.stringContaining('formats.json [0].assets.image.mime_types[0]')]);
    expect(mistakes[0]).toContain(said);
  });

  it.each(['image/avif', 'video/h264', 'application/vnd.apple.mpegurl', 'application/x-shockwave-flash', 'text/vtt'])(
    'that is one, %s, is none',
    async (mime_type) => {
      expect(await mistakesWith(mime_type)).toEqual([]);
    },
  );
});

it('files that are missing, are no JSON or hold no list are named', async () => {
  const said = await withEditedCatalog(
    (files) => {
      Object.assign(files, { formats: {} });
    },
    async (folder) => {
      await writeFile(join(folder, 'products.json'), '[{,]');
      await rm(join(folder, 'publisher.json'));
      return loadCatalog(folder, { baseUrl }).catch(String);
    },
  );
  expect(said).toContain('products.json: not JSON');
  expect(said).toContain('publisher.json: is missing');
  expect(said).toContain('formats.json: must be a list');
});

it('the schemas of what is answered can be published as JSON Schema', () => {
  expect(z.toJSONSchema(Product)).toMatchObject({
    type: 'object',
    required: expect.arrayContaining(['pricing_options']) as object,
  });
  expect(z.toJSONSchema(Format)).toMatchObject({ type: 'object' });
});
