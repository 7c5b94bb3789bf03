import type { JsonObject } from '../../../platform/json-object.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import { formatKey } from '../../../sales/format/format.ts';
import type { Format, FormatId } from '../../../sales/format/format.ts';
import type { Product } from '../../../sales/product/product.ts';
import type { Release } from '../release.ts';
import { kindOf, paramsOf } from './canonical-kind.ts';
import type { CanonicalKind } from './canonical-kind.ts';

/** A format of ours as a canonical one. */
export interface FormatOption {
  /** Names one format of the catalog, and so of each product that takes it. */
  format_option_id: string;
  format_kind: CanonicalKind;
  params: JsonObject;
  format_id: FormatId;
}

/** Catalogs are frozen, and all that is answered of products asks this. */
const known = new WeakMap<Catalog, Map<Release, readonly FormatOption[]>>();

/** The formats of the catalog that are canonical ones in a release, in its order. Pure. */
export function catalogOptions(catalog: Catalog, release: Release): readonly FormatOption[] {
  const made = known.get(catalog) ?? new Map<Release, readonly FormatOption[]>();
  const options = made.get(release) ?? optionsOf(catalog, release);
  known.set(catalog, made.set(release, options));
  return options;
}

function optionsOf({ formats }: Catalog, release: Release): FormatOption[] {
  const all = [...formats.values()];
  const count = new Map<string, number>();
  for (const { format_id } of all) count.set(format_id.id, (count.get(format_id.id) ?? 0) + 1);
  return all.flatMap((format) => {
    const format_kind = kindOf(format, release);
    if (format_kind === undefined) return [];
    const format_option_id = optionId(format, count.get(format.format_id.id) ?? 0);
    return [{ format_option_id, format_kind, params: paramsOf(format, format_kind), format_id: format.format_id }];
  });
}

/** The same of a product; what is none of these is in its `format_ids` alone. Pure. */
export function productOptions(
  { format_ids }: Pick<Product, 'format_ids'>,
  catalog: Catalog,
  release: Release,
): FormatOption[] {
  const options = new Map(catalogOptions(catalog, release).map((option) => [formatKey(option.format_id), option]));
  return format_ids.flatMap((format_id) => options.get(formatKey(format_id)) ?? []);
}

/** How a creative names its format in a release that knows canonical ones; undefined where that is none of these. Pure. */
export function canonicalName(format_id: FormatId, catalog: Catalog, release: Release): JsonObject | undefined {
  const key = formatKey(format_id);
  const option = catalogOptions(catalog, release).find((one) => formatKey(one.format_id) === key);
  if (option === undefined) return undefined;
  const { format_kind, format_option_id } = option;
  return { format_kind, format_option_ref: { scope: 'product', format_option_id } };
}

/** An option in public words. Pure. */
export function publicOption({ format_option_id, format_kind, params, format_id }: FormatOption): JsonObject {
  return { format_option_id, format_kind, params, v1_format_ref: [format_id] };
}

/** Its id at the agent that defines it; beside it that agent, where several call one so. */
function optionId({ format_id: { agent_url, id } }: Format, count: number): string {
  return count > 1 ? `${id}@${new URL(agent_url).host}` : id;
}
