import type { JsonObject } from '../../../platform/json-object.ts';
import { filterProducts, ProductFilters } from '../../../sales/product/filters.ts';
import type { Product } from '../../../sales/product/product.ts';
import { ourFilters, passes, unmetFilters } from './filters.ts';
import type { Selling } from './filters.ts';
import type { ProductFiltersAsked } from './schema.ts';

/**
 * What became of the products by each filter: how many would be told if not for that one alone. A filter that leaves out none by itself
 * is not named; nothing where no filter leaves out any. Each filter is held against each product a few times at most. Pure.
 */
export function filterDiagnostics(filters: ProductFiltersAsked, sold: Selling): JsonObject | undefined {
  const all = [...sold.catalog.products.values()];
  const passing = (asked: ProductFiltersAsked) => new Set(passingAll(asked, sold));
  const alone = Object.entries(filters).map(([name, value]) => ({ name, value, passed: passing({ [name]: value }) }));
  const { start_date, end_date, min_exposures } = filters;
  const flight = { start_date, end_date, min_exposures };
  const inFlight = passing(flight);
  const without = FLIGHT.map((name) => ({ name, passed: passing({ ...flight, [name]: undefined }) }));
  const counts = new Map<string, number>();
  let isAnyLeftOut = false;
  for (const product of all) {
    const failed = alone.filter(({ name, passed }) => !isOfFlight(name) && !passed.has(product));
    const isFlown = inFlight.has(product);
    if (failed.length > 0 || !isFlown) isAnyLeftOut = true;
    if (failed.length > (isFlown ? 1 : 0)) continue;
    const only = isFlown ? failed : without.filter(({ passed }) => passed.has(product));
    for (const { name } of only) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (!isAnyLeftOut) return undefined;
  const excluded_by = alone.flatMap(({ name, value, passed }): [string, JsonObject][] => {
    const count = counts.get(name) ?? 0;
    return count === 0 && passed.size === all.length ? [] : [[name, { count, ...valuesOf(value) }]];
  });
  const unmet_filters = unmetFilters(filters);
  return {
    ...{ semantics: 'only', total_candidates: all.length, excluded_by: Object.fromEntries(excluded_by) },
    ...(unmet_filters.length > 0 && { unmet_filters }),
  };
}

/** The days of a flight and what is to be shown on them, which may leave out something together alone. */
const FLIGHT = ['start_date', 'end_date', 'min_exposures'] as const;

function isOfFlight(name: string): boolean {
  return FLIGHT.some((one) => one === name);
}

function passingAll(filters: ProductFiltersAsked, sold: Selling): Product[] {
  if (unmetFilters(filters).length > 0) return [];
  const ours = filterProducts(sold.catalog, ProductFilters.parse(ourFilters(filters)));
  return ours.filter((product) => passes(product, filters, sold));
}

/** What was asked for, where that is a list of names. */
function valuesOf(value: unknown): { values?: string[] } {
  const isNames = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isNames ? { values: value } : {};
}
