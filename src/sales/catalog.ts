import type { JsonObject } from '../platform/json-object.ts';
import { checkCatalog } from './catalog-checks.ts';
import type { CatalogDraft } from './catalog-checks.ts';
import { problemLine, readCatalogFile, readItems, readValue } from './catalog-file.ts';
import type { CatalogItem, CatalogProblem } from './catalog-file.ts';
import { Format, formatKey } from './format/format.ts';
import type { FormatId } from './format/format.ts';
import { productEntry, toProduct } from './product/product-entry.ts';
import type { Product } from './product/product.ts';
import { Property } from './property/property.ts';
import { SellingPublisher } from './publisher/publisher.ts';

/** All that is for sale. Frozen: a changed file is a new catalog. Maps keep the order of the files. */
export interface Catalog {
  readonly publisher: SellingPublisher;
  /** By `product_id`. */
  readonly products: ReadonlyMap<string, Product>;
  /** By {@link formatKey}; see {@link formatOf}. */
  readonly formats: ReadonlyMap<string, Format>;
  /** By `property_id`. */
  readonly properties: ReadonlyMap<string, Property>;
  /** `implementation_config` of the products that have one, by `product_id`; see {@link configOf}. Told to no buyer. */
  readonly implementation_configs: ReadonlyMap<string, Readonly<Record<string, JsonObject>>>;
  /** The domains that properties belong to, sorted (rule C.tasks.lists). */
  readonly publisher_domains: readonly string[];
}

/** What of a folder is read. */
export const CATALOG_FILES = ['publisher.json', 'properties.json', 'formats.json', 'products.json'] as const;

export interface CatalogOptions {
  /** The agent's public URL; takes the place of `{base_url}` in the files. */
  baseUrl: string;
}

/**
 * Loads the {@link CATALOG_FILES} of a folder and checks that they fit together.
 * @throws {CatalogError} with every mistake of every file at once.
 */
export async function loadCatalog(dir: string, { baseUrl }: CatalogOptions): Promise<Catalog> {
  const problems: CatalogProblem[] = [];
  const read = (file: (typeof CATALOG_FILES)[number]) => readCatalogFile(dir, file, baseUrl, problems);
  const publisherJson = await read('publisher.json');
  const publisher =
    publisherJson === undefined ? undefined : readValue(publisherJson, 'publisher.json', SellingPublisher, problems);
  const defaults = { currency: publisher?.default_currency ?? 'USD', agentUrl: baseUrl.replace(/\/+$/, '') };
  const draft: CatalogDraft = {
    publisher,
    properties: readItems(await read('properties.json'), 'properties.json', Property, problems),
    formats: readItems(await read('formats.json'), 'formats.json', Format, problems),
    products: readItems(await read('products.json'), 'products.json', productEntry(defaults), problems),
  };
  checkCatalog(draft, problems);
  if (publisher === undefined || problems.length > 0) throw new CatalogError(dir, problems);
  return build(publisher, draft);
}

/** The format a product or a creative names, from any agent the catalog knows. */
export function formatOf(catalog: Catalog, format_id: FormatId): Format | undefined {
  return catalog.formats.get(formatKey(format_id));
}

/** What an ad server is to know of a product, as the seller wrote it; `{}` where that is nothing. */
export function configOf(
  { implementation_configs }: Pick<Catalog, 'implementation_configs'>,
  ad_server_id: string,
): (product_id: string) => JsonObject {
  return (product_id) => implementation_configs.get(product_id)?.[ad_server_id] ?? {};
}

/** The mistakes of a catalog, a line each. */
export class CatalogError extends Error {
  readonly problems: readonly CatalogProblem[];

  constructor(dir: string, problems: readonly CatalogProblem[]) {
    const lines = problems.map((problem) => `  ${problemLine(problem)}`);
    super(
      `the catalog in ${dir} has ${problems.length} ${problems.length === 1 ? 'mistake' : 'mistakes'}\n${lines.join('\n')}`,
    );
    this.name = 'CatalogError';
    this.problems = problems;
  }
}

function build(publisher: SellingPublisher, draft: CatalogDraft): Catalog {
  const properties = valuesOf(draft.properties);
  const entries = valuesOf(draft.products);
  const products = entries.map((entry) => toProduct(entry, properties));
  const configs = entries.flatMap(({ product_id, implementation_config: config }) =>
    config === undefined ? [] : [[product_id, config] as const],
  );
  return deepFreeze({
    publisher,
    properties: new Map(properties.map((property) => [property.property_id, property])),
    formats: new Map(valuesOf(draft.formats).map((format) => [formatKey(format.format_id), format])),
    products: new Map(products.map((product) => [product.product_id, product])),
    implementation_configs: new Map(configs),
    publisher_domains: [...new Set(properties.map((property) => property.publisher_domain))].sort(),
  });
}

function valuesOf<T>(items: readonly CatalogItem<T>[]): T[] {
  return items.flatMap(({ value }) => (value === undefined ? [] : [value]));
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of value instanceof Map ? value.values() : Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
