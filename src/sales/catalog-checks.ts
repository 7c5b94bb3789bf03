import type { CatalogItem, CatalogProblem } from './catalog-file.ts';
import { formatKey } from './format/format.ts';
import type { Format } from './format/format.ts';
import { sharesChannel } from './product/product-entry.ts';
import type { ProductEntry } from './product/product-entry.ts';
import type { Property } from './property/property.ts';
import type { SellingPublisher } from './publisher/publisher.ts';

/** The files of a catalog as read, before anything is known to fit together. */
export interface CatalogDraft {
  publisher: SellingPublisher | undefined;
  properties: readonly CatalogItem<Property>[];
  formats: readonly CatalogItem<Format>[];
  products: readonly CatalogItem<ProductEntry>[];
}

type Note = (file: string, path: string, message: string) => void;

/** What does not fit together: ids used twice, and names of things that are nowhere. */
export function checkCatalog(draft: CatalogDraft, problems: CatalogProblem[]): void {
  const note: Note = (file, path, message) => problems.push({ file, path, message });
  if (draft.publisher !== undefined && !draft.publisher.domains.includes(draft.publisher.primary_domain)) {
    note('publisher.json', 'primary_domain', `${draft.publisher.primary_domain} is not among domains`);
  }
  checkProperties(draft, note);
  noteRepeats(draft.formats, (format) => formatKey(format.format_id), 'formats.json', 'format_id', note);
  noteRepeats(draft.products, (product) => product.product_id, 'products.json', 'product_id', note);
  checkProducts(draft, note);
}

function checkProperties({ properties, publisher }: CatalogDraft, note: Note): void {
  const file = 'properties.json';
  noteRepeats(properties, (property) => property.property_id, file, 'property_id', note);
  const owners = new Map<string, string>();
  for (const { index, value } of properties) {
    if (value === undefined) continue;
    if (publisher !== undefined && !publisher.domains.includes(value.publisher_domain)) {
      note(file, `[${index}].publisher_domain`, `${value.publisher_domain} is not among the domains of publisher.json`);
    }
    value.identifiers.forEach((identifier, i) => {
      const key = `${identifier.type} ${identifier.value}`;
      const owner = owners.get(key);
      if (owner !== undefined) note(file, `[${index}].identifiers[${i}]`, `${key} already identifies ${owner}`);
      else owners.set(key, value.property_id);
    });
  }
}

function checkProducts(draft: CatalogDraft, note: Note): void {
  const formats = namesOf(draft.formats, (format) => formatKey(format.format_id), rawFormatKey);
  const propertyIds = namesOf(draft.properties, (property) => property.property_id, rawPropertyId);
  const properties = draft.properties.flatMap(({ value }) => value ?? []);
  const allPropertiesRead = properties.length === draft.properties.length;
  for (const { index, parts: product } of draft.products) {
    const { product_id, format_ids = [], channels } = product;
    const at = (path: string, message: string) => {
      const whose = product_id === undefined ? '' : ` (product ${product_id})`;
      note('products.json', `[${index}].${path}`, `${message}${whose}`);
    };
    const keys = format_ids.map(formatKey);
    format_ids.forEach(({ agent_url, id }, i) => {
      const key = keys[i] ?? '';
      if (!formats.has(key)) at(`format_ids[${i}]`, `formats.json has no format ${id} of ${agent_url}`);
      if (keys.indexOf(key) < i) at(`format_ids[${i}]`, `names format ${id} twice`);
    });
    product.property_ids?.forEach((id, i) => {
      const property = properties.find(({ property_id }) => property_id === id);
      if (!propertyIds.has(id)) at(`property_ids[${i}]`, `properties.json has no property ${id}`);
      else if (channels && property !== undefined && !sharesChannel({ channels }, property)) {
        at(`property_ids[${i}]`, `property ${id} carries none of the product's channels`);
      }
    });
    if (channels && allPropertiesRead) {
      product.property_tags?.forEach((tag, i) => {
        const isCarried = properties.some(({ tags, ...of }) => tags.includes(tag) && sharesChannel({ channels }, of));
        if (!isCarried) at(`property_tags[${i}]`, `no property tagged ${tag} carries the product's channels`);
      });
    }
    const options = product.pricing_options?.map(({ pricing_option_id }) => pricing_option_id) ?? [];
    options.forEach((id, i) => {
      if (options.indexOf(id) < i) at(`pricing_options[${i}].pricing_option_id`, `uses ${id} twice`);
    });
  }
}

function noteRepeats<T>(
  items: readonly CatalogItem<T>[],
  keyOf: (value: T) => string,
  file: string,
  field: string,
  note: Note,
): void {
  const first = new Map<string, number>();
  for (const { index, value } of items) {
    if (value === undefined) continue;
    const earlier = first.get(keyOf(value));
    if (earlier === undefined) first.set(keyOf(value), index);
    else note(file, `[${index}].${field}`, `${keyOf(value)} is used already, by [${earlier}]`);
  }
}

/** The names that exist, those of items with mistakes of their own included: a mistake is to be reported once. */
function namesOf<T>(items: readonly CatalogItem<T>[], of: (value: T) => string, ofRaw: (raw: unknown) => unknown) {
  return new Set(items.map(({ raw, value }) => (value === undefined ? ofRaw(raw) : of(value))));
}

function rawPropertyId(raw: unknown): unknown {
  return fieldOf(raw, 'property_id');
}

function rawFormatKey(raw: unknown): string | undefined {
  const format_id = fieldOf(raw, 'format_id');
  const [agent_url, id] = [fieldOf(format_id, 'agent_url'), fieldOf(format_id, 'id')];
  return typeof agent_url === 'string' && typeof id === 'string' ? formatKey({ agent_url, id }) : undefined;
}

function fieldOf(raw: unknown, field: string): unknown {
  return typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>)[field] : undefined;
}
