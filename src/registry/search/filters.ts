import { z } from 'zod';
import { facetTerm, searchWords, wordTerm } from '../../directory/search/search-terms.ts';
import type { Facet } from '../../directory/search/search-terms.ts';
import type { WantedTerms } from '../../directory/search/find-entries.ts';
import { MediaChannel } from '../../directory/search/media-channel.ts';
import { AppError } from '../../platform/errors.ts';
import { isCountry } from '../../platform/country.ts';
import { DomainParam } from '../domain-query.ts';

/** Values of one filter, any of which will do. */
const MOST_VALUES = 10;
/** Words of one search; of those behind them nothing is asked. */
const MOST_WORDS = 10;

const values = (what: string) =>
  z
    .string()
    .max(1000)
    .transform((text) => [...new Set(text.split(',').map((one) => one.trim()))].filter((one) => one !== ''))
    .refine(
      (list) => list.length > 0 && list.length <= MOST_VALUES,
      `send 1 to ${MOST_VALUES} ${what}, parted by commas`,
    );

const Channels = values('channels').superRefine((list, context) => {
  const strange = list.find((one) => !MediaChannel.safeParse(one).success);
  if (strange !== undefined)
    context.addIssue({
      code: 'custom',
      message: `${JSON.stringify(strange.slice(0, 40))} is none of ${MediaChannel.options.join(', ')}`,
    });
});

const Countries = values('countries')
  .transform((list) => list.map((one) => one.toUpperCase()))
  .superRefine((list, context) => {
    const strange = list.find((one) => !isCountry(one));
    if (strange !== undefined)
      context.addIssue({
        code: 'custom',
        message: `${JSON.stringify(strange.slice(0, 40))} is no country: send codes of ISO 3166-1 alpha-2, such as US`,
      });
  });

/** Filters that agents and publishers share. All that are sent must hold. */
export const SharedFilters = {
  q: z
    .string()
    .max(300)
    .refine((text) => searchWords(text).length > 0, 'send a word, of letters or digits')
    .optional()
    .describe('Words that it has: each of them whole, and of the last one the beginning'),
  channels: Channels.optional().describe('One of these channels, parted by commas'),
  countries: Countries.optional().describe('One of these countries, by ISO 3166-1 alpha-2, parted by commas'),
  markets: Countries.optional().describe("The same, by the public registry's name"),
  domain: DomainParam.optional(),
  verified: z.enum(['true', 'false']).optional(),
};

export const PropertyFilters = {
  property_types: values('types').optional().describe('A property of one of these types, parted by commas'),
  tags: values('tags').optional().describe('A property with one of these tags, parted by commas'),
};

/** What was sent of {@link SharedFilters} and {@link PropertyFilters}, and a role. */
export interface Filters {
  q?: string | undefined;
  type?: string | undefined;
  channels?: string[] | undefined;
  countries?: string[] | undefined;
  markets?: string[] | undefined;
  domain?: string | undefined;
  verified?: 'true' | 'false' | undefined;
  property_types?: string[] | undefined;
  tags?: string[] | undefined;
}

/**
 * What filters ask for; undefined: for everything.
 * @throws {AppError} `INVALID_REQUEST`, field `markets`, beside `countries`.
 */
export function askedBy(filters: Filters): WantedTerms | undefined {
  if (filters.countries !== undefined && filters.markets !== undefined)
    throw new AppError('INVALID_REQUEST', 'markets: send it or countries, not both', { field: 'markets' });
  const words = searchWords(filters.q ?? '').slice(0, MOST_WORDS);
  const last = words.pop();
  const groups = FACETS.map(([facet, name]) => [filters[name] ?? []].flat().map((value) => facetTerm(facet, value)));
  const asked = [...words.map((word) => [wordTerm(word)]), ...groups.filter((group) => group.length > 0)];
  if (asked.length === 0 && last === undefined) return undefined;
  return { groups: asked, ...(last !== undefined && { begins: wordTerm(last) }) };
}

/** Names of the filters that were sent. */
export function filtersIn(filters: Filters): string[] {
  return (['q', ...FACETS.map(([, name]) => name)] as const).filter((name) => filters[name] !== undefined);
}

const FACETS: readonly (readonly [Facet, Exclude<keyof Filters, 'q'>])[] = [
  ['role', 'type'],
  ['channel', 'channels'],
  ['country', 'countries'],
  ['country', 'markets'],
  ['domain', 'domain'],
  ['verified', 'verified'],
  ['property_type', 'property_types'],
  ['tag', 'tags'],
];
