import type { Catalog } from '../catalog.ts';
import { formatKey } from '../format/format.ts';
import type { PricingOption } from './pricing-option.ts';
import type { Product } from './product.ts';

/** The sides of a product that a brief may speak of: how much a word there counts, and what a reason calls it. */
export const ASPECTS = {
  name: { weight: 3, called: 'name' },
  channels: { weight: 3, called: 'channels' },
  audiences: { weight: 2.5, called: 'audiences' },
  topics: { weight: 2.5, called: 'topics' },
  places: { weight: 2, called: 'places' },
  formats: { weight: 1.5, called: 'formats' },
  properties: { weight: 1.5, called: 'properties' },
  buying: { weight: 1.5, called: 'terms' },
  devices: { weight: 1, called: 'devices' },
  description: { weight: 1, called: 'description' },
} as const;

export type Aspect = keyof typeof ASPECTS;

export const ASPECT_WEIGHTS = Object.fromEntries(
  Object.entries(ASPECTS).map(([aspect, { weight }]) => [aspect, weight]),
) as Record<Aspect, number>;

/** Everything a product says, by aspect. */
export function aspectsOf(product: Product, catalog: Catalog): Record<Aspect, string> {
  const { targeting } = product;
  const formats = product.format_ids.flatMap((id) => catalog.formats.get(formatKey(id)) ?? []);
  const properties = product.publisher_properties.flatMap(({ property_ids }) =>
    property_ids.flatMap((id) => catalog.properties.get(id) ?? []),
  );
  return {
    name: product.name,
    channels: product.channels.join(' '),
    audiences: targeting.audiences.map(({ name, description }) => `${name}. ${description}`).join(' '),
    topics: targeting.topics.join(', '),
    places: [
      ...targeting.geo.countries.map((country) => `${country} ${nameOf('region', country)}`),
      ...(targeting.geo.cities ?? []),
      ...targeting.languages.map((language) => nameOf('language', language)),
    ].join(', '),
    formats: formats.map((format) => `${format.type} ${format.name}`).join(', '),
    properties: properties
      .map(({ name, tags, property_type }) => `${name}, ${property_type} ${tags.join(', ')}`)
      .join('; '),
    buying: [
      product.delivery_type === 'guaranteed' ? 'guaranteed' : 'non-guaranteed',
      ...product.pricing_options.map(saysOf),
    ].join(', '),
    devices: targeting.devices.join(', '),
    description: product.description,
  };
}

const names = {
  region: new Intl.DisplayNames('en', { type: 'region' }),
  language: new Intl.DisplayNames('en', { type: 'language' }),
};

function nameOf(kind: keyof typeof names, code: string): string {
  return names[kind].of(code) ?? code;
}

function saysOf(option: PricingOption): string {
  const words = { cpm: 'cpm fixed price', 'cpm-auction': 'cpm auction', 'flat-fee': 'flat fee sponsorship' };
  return `${words[option.pricing_model]} ${option.currency} ${option.description ?? ''}`;
}
