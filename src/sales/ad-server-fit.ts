import { z } from 'zod';
import type { JsonObject } from '../platform/json-object.ts';
import type { Description } from './ad-server/description.ts';
import type { InventoryItem } from './ad-server/inventory.ts';
import { configOf } from './catalog.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogProblem } from './catalog-file.ts';
import { formatKey } from './format/format.ts';
import { inventoryProblem, namedInventory } from './inventory-fit.ts';
import type { Product } from './product/product.ts';
import type { LineTargeting } from './targeting/line-targeting.ts';
import { offeredBy } from './targeting/offered-targeting.ts';

/** What is to fit together. */
export interface FitParts {
  catalog: Catalog;
  ad_server_id: string;
  description: Description;
  /** What the ad server has; absent where it was not asked, since nothing names any of it. */
  inventory?: readonly InventoryItem[];
  /** How many times faster than real time this agent plays flights. */
  simSpeed: number;
}

type Note = (path: string, message: string) => void;

/**
 * Everything that the catalog or the settings promise and the ad server cannot do, each with file, place and remedy; the places
 * are those of a catalog whose files had no mistakes. Pure.
 */
export function misfitsOf({ catalog, ad_server_id, description, inventory, simSpeed }: FitParts): CatalogProblem[] {
  const problems: CatalogProblem[] = [];
  if (description.clock_speed !== simSpeed) {
    const speeds = `is ${simSpeed}, and the ad server's clock runs at ${description.clock_speed}`;
    problems.push({ file: 'settings', path: 'SIM_SPEED', message: `${speeds}; set both to the same` });
  }
  if (!description.pacing.includes('even')) {
    const message = 'has no even, by which every package is paced; have it enabled there';
    problems.push({ file: `ad server ${ad_server_id}`, path: 'pacing', message });
  }
  const readConfig = configReader(description);
  if (readConfig === undefined) {
    const message = 'is a JSON Schema that this agent cannot read; have it mended at the ad server';
    problems.push({ file: `ad server ${ad_server_id}`, path: 'product_config_schema', message });
  }
  const productConfig = configOf(catalog, ad_server_id);
  [...catalog.products.values()].forEach((product, index) => {
    const note: Note = (path, message) => {
      const whole = `${message} (product ${product.product_id})`;
      problems.push({ file: 'products.json', path: `[${index}].${path}`, message: whole });
    };
    checkPricing(product, description, note);
    checkTargeting(product, description, note);
    const isWritten = catalog.implementation_configs.get(product.product_id)?.[ad_server_id] !== undefined;
    const config = productConfig(product.product_id);
    const mistakes = readConfig?.(config) ?? [];
    checkConfig({ ad_server_id, isWritten, mistakes }, note);
    for (const named of inventory === undefined ? [] : namedInventory(description.product_config_schema, config)) {
      const problem = inventoryProblem(named, inventory ?? []);
      if (problem !== undefined) note(`implementation_config.${ad_server_id}${named.path}`, problem);
    }
  });
  return [...problems, ...formatMisfits(catalog, description)];
}

function checkPricing(
  { pricing_options, delivery_type }: Product,
  { currencies, pricing }: Description,
  note: Note,
): void {
  pricing_options.forEach(({ currency, pricing_model }, i) => {
    const at = `pricing_options[${i}]`;
    if (currencies !== 'any' && !currencies.includes(currency)) {
      note(`${at}.currency`, `the ad server does not sell in ${currency}; ${instead(currencies)} or drop the option`);
    }
    const model = pricing.find((one) => one.model === pricing_model);
    if (model === undefined) {
      const models = pricing.map((one) => one.model);
      note(
        `${at}.pricing_model`,
        `the ad server does not sell by ${pricing_model}; ${instead(models)} or drop the option`,
      );
    } else if (!model.delivery_types.includes(delivery_type)) {
      const message = `the ad server does not sell ${delivery_type} by ${pricing_model}`;
      note(`${at}.pricing_model`, `${message}; change delivery_type, or drop the option`);
    }
  });
}

/** Where an axis of the ad server's stands in a product. */
const PLACES = {
  countries: 'geo.countries',
  regions: 'geo.regions',
  devices: 'devices',
  languages: 'languages',
  audiences: 'audiences',
  dayparts: 'dayparting',
} as const satisfies Partial<Record<keyof LineTargeting, string>>;

function checkTargeting(product: Product, { targeting, cap_units }: Description, note: Note): void {
  const { dayparting, frequency_cap, ...values } = offeredBy(product);
  const promised = { ...values, dayparts: dayparting ? ['any'] : [] };
  for (const [axis, place] of Object.entries(PLACES) as [keyof typeof PLACES, string][]) {
    const able = targeting[axis];
    const at = `targeting.${place}`;
    if (promised[axis].length === 0 || able === true) continue;
    if (able === undefined || able.length === 0) note(at, `the ad server cannot aim by ${axis}; ${remedyOf(axis)}`);
    // What a list of dayparts names is the ad server's own; a product only says that there are some.
    else if (axis !== 'dayparts') {
      const missing = promised[axis].filter((value) => !able.includes(value));
      if (missing.length > 0) note(at, `the ad server cannot aim at ${missing.join(', ')}; take out what it cannot`);
    }
  }
  if (frequency_cap && cap_units.length === 0) {
    note('targeting.frequency_cap', 'the ad server keeps no frequency caps; make it false');
  }
}

function remedyOf(axis: keyof typeof PLACES): string {
  if (axis === 'countries' || axis === 'devices') {
    return 'every order is held to these, so sell the product at another ad server, or leave it out';
  }
  return axis === 'dayparts' ? 'make it false' : 'leave it out';
}

function instead(values: readonly string[]): string {
  return values.length === 0 ? 'have it enabled there,' : `use ${values.join(', ')},`;
}

type ConfigMistake = Pick<CatalogProblem, 'path' | 'message'>;

/** Reads a product's configuration by the ad server's own schema; undefined where that is none. */
function configReader({ product_config_schema }: Description): ((config: JsonObject) => ConfigMistake[]) | undefined {
  try {
    // The configuration is an object whether the schema says so or not; without it, zod would leave the fields unread.
    const schema = z.fromJSONSchema({ type: 'object', ...product_config_schema });
    return (config) => {
      const result = schema.safeParse(config);
      const issues = result.success ? [] : result.error.issues;
      return issues.map(({ path, message }) => ({ path: path.map((step) => `.${String(step)}`).join(''), message }));
    };
  } catch {
    return undefined;
  }
}

interface ConfigRead {
  ad_server_id: string;
  /** Whether the product says anything for this ad server. */
  isWritten: boolean;
  mistakes: readonly ConfigMistake[];
}

function checkConfig({ ad_server_id, isWritten, mistakes }: ConfigRead, note: Note): void {
  const at = `implementation_config.${ad_server_id}`;
  if (isWritten) {
    for (const { path, message } of mistakes) note(at + path, `${message}; write what the ad server's schema asks for`);
  } else if (mistakes.length > 0) {
    const needs = mistakes.map(({ path, message }) => `${path.slice(1) || 'it'}: ${message}`).join('; ');
    note(at, `is missing, and the ad server asks for it (${needs}); add it`);
  }
}

/** Formats of what is sold with an asset of a kind that the ad server does not take. */
function formatMisfits(catalog: Catalog, { creative_kinds }: Description): CatalogProblem[] {
  const { products, formats } = catalog;
  const sold = new Set([...products.values()].flatMap(({ format_ids }) => format_ids.map(formatKey)));
  return [...formats.values()].flatMap(({ format_id, assets }, index) => {
    if (!sold.has(formatKey(format_id))) return [];
    return Object.entries(assets).flatMap(([name, { kind }]) => {
      if (creative_kinds.includes(kind)) return [];
      const message = `the ad server takes no ${kind}; take the asset out, or the format out of every product (format ${format_id.id})`;
      return [{ file: 'formats.json', path: `[${index}].assets.${name}.kind`, message }];
    });
  });
}
