import type { CatalogItem, CatalogProblem } from './catalog-file.ts';
import { formatKey } from './format/format.ts';
import type { Format, FormatId } from './format/format.ts';
import type { ProductEntry } from './product/product-entry.ts';
import type { Property } from './property/property.ts';
import type { Publisher } from './publisher/publisher.ts';

/** The files of a catalog as read, before anything is known to fit together. */
export interface CatalogDraft {
  publisher: Publisher | undefined;
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
  const formats = namesOf(draft.formats, (format) => [formatKey(format.format_id)], rawFormatKeys);
  const propertyIds = namesOf(draft.properties, (property) => [property.property_id], rawTexts('property_id'));
  const tags = namesOf(draft.properties, (property) => property.tags, rawTexts('tags'));
  for (const { index, value } of draft.products) {
    if (value === undefined) continue;
    const at = (path: string, message: string) => {
      note('products.json', `[${index}].${path}`, `${message} (product ${value.product_id})`);
    };
    const seen = new Set<string>();
    value.format_ids.forEach((format_id, i) => {
      const key = formatKey(format_id);
      if (!formats.has(key))
        at(`format_ids[${i}]`, `formats.json has no format ${format_id.id} of ${format_id.agent_url}`);
      if (seen.has(key)) at(`format_ids[${i}]`, `names format ${format_id.id} twice`);
      seen.add(key);
    });
    value.property_ids?.forEach((id, i) => {
      if (!propertyIds.has(id)) at(`property_ids[${i}]`, `properties.json has no property ${id}`);
    });
    value.property_tags?.forEach((tag, i) => {
      if (!tags.has(tag)) at(`property_tags[${i}]`, `no property in properties.json has the tag ${tag}`);
    });
    const options = value.pricing_options.map((option) => option.pricing_option_id);
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
function namesOf<T>(items: readonly CatalogItem<T>[], of: (value: T) => string[], ofRaw: (raw: unknown) => string[]) {
  return new Set(items.flatMap(({ raw, value }) => (value === undefined ? ofRaw(raw) : of(value))));
}

function rawTexts(field: string): (raw: unknown) => string[] {
  return (raw) => [fieldOf(raw, field)].flat().filter((text) => typeof text === 'string');
}

function rawFormatKeys(raw: unknown): string[] {
  const { agent_url, id } = (fieldOf(raw, 'format_id') ?? {}) as Partial<FormatId>;
  return typeof agent_url === 'string' && typeof id === 'string' ? [formatKey({ agent_url, id })] : [];
}

function fieldOf(raw: unknown, field: string): unknown {
  return typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>)[field] : undefined;
}
