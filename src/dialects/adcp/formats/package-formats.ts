import { AppError } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { Product } from '../../../sales/product/product.ts';
import type { AdcpPackage } from '../create-media-buy/schema.ts';
import { formatRefKey } from '../refs.ts';
import { optionNamed } from './creative-format.ts';
import type { TakenWhere } from './creative-format.ts';
import { productOptions } from './format-options.ts';
import type { FormatOption } from './format-options.ts';

/** One way to name formats, and which of the product's it comes to, by key. */
interface Route {
  field: 'format_option_refs' | 'format_ids' | 'format_kind';
  keys: () => Set<string>;
}

/**
 * Holds the formats that a package names, whichever way, against what its product takes. They are told again, and nothing is narrowed by
 * them. What names no product is left to the task. Of several ways, 3.1 looks at the first alone; 3.2 wants all to say the same.
 * @param at where the package stands, such as `packages[0].`.
 * @throws {AppError} `UNSUPPORTED_FEATURE` for what the product does not take; `CONFLICTING_SELECTORS`.
 */
export function assertFormatsTaken(one: AdcpPackage, at: string, where: TakenWhere): void {
  const { product, release } = where;
  if (product === undefined || release === '3.0') return;
  const routes = routesOf(one, at, { ...where, product });
  const [first, ...others] = release === '3.1' ? routes.slice(0, 1) : routes;
  if (first === undefined) return;
  const keys = first.keys();
  for (const { field, keys: meant } of others) {
    const same = meant();
    if (same.size === keys.size && [...same].every((key) => keys.has(key))) continue;
    const message = `${at}${field}: names other formats than ${first.field}`;
    throw new AppError('CONFLICTING_SELECTORS', message, {
      field: `${at}${field}`,
      suggestion: `send ${first.field} alone`,
    });
  }
}

/** The ways that a package takes, the one that counts first. */
function routesOf(one: AdcpPackage, at: string, where: TakenWhere & { product: Product }): Route[] {
  const { format_option_refs: refs, format_kind: kind, params, format_ids } = one;
  const options = productOptions(where.product, where.catalog, where.release);
  const routes: Route[] = [];
  if (refs && refs.length > 0) {
    const optionAt = (i: number, ref: (typeof refs)[number]) =>
      optionNamed(options, ref, `${at}format_option_refs[${i}]`, where);
    routes.push({ field: 'format_option_refs', keys: () => new Set(refs.map((ref, i) => keyOf(optionAt(i, ref)))) });
  }
  if (format_ids && format_ids.length > 0) {
    routes.push({ field: 'format_ids', keys: () => idsTaken(format_ids, at, where) });
  }
  if (kind !== undefined && kind !== null) {
    const ofKind = options.filter(({ format_kind }) => format_kind === kind);
    routes.push({
      field: 'format_kind',
      keys: () => satisfied(ofKind, params ?? {}, `${at}format_kind`, options, where),
    });
  }
  return routes;
}

function idsTaken(
  ids: NonNullable<AdcpPackage['format_ids']>,
  at: string,
  { product }: { product: Product },
): Set<string> {
  const taken = new Set(product.format_ids.map(formatRefKey));
  const strange = ids.findIndex((id) => !taken.has(formatRefKey(id)));
  if (strange === -1) return new Set(ids.map(formatRefKey));
  const known = product.format_ids.map(({ id }) => id);
  throw refused(`${at}format_ids[${strange}]`, `product ${product.product_id} does not take it`, known);
}

function satisfied(
  ofKind: readonly FormatOption[],
  params: JsonObject,
  field: string,
  options: readonly FormatOption[],
  { product: { product_id } }: { product: Product },
): Set<string> {
  const meant = ofKind.filter((option) => satisfies(params, option));
  if (meant.length > 0) return new Set(meant.map(keyOf));
  if (ofKind.length > 0) {
    const known = ofKind.map(({ format_option_id }) => format_option_id);
    throw refused(field, `its params are not those of any option of product ${product_id}`, known);
  }
  const kinds = [...new Set(options.map(({ format_kind }) => format_kind))];
  throw refused(field, `product ${product_id} does not take this kind`, kinds);
}

/** What an option fixes must be said, and be the same; what it bounds must lie within. Pure. */
function satisfies(said: JsonObject, { params }: FormatOption): boolean {
  return Object.entries(params).every(([name, wanted]) => {
    if (FIXED.includes(name)) return said[name] === wanted;
    const bound = /^(min|max)_(width|height)$/.exec(name);
    if (bound === null) return true;
    const told = said[bound[2] ?? ''] ?? said[name];
    return typeof told === 'number' && (bound[1] === 'min' ? told >= Number(wanted) : told <= Number(wanted));
  });
}

const FIXED = ['width', 'height', 'aspect_ratio', 'duration_ms_exact'];

function keyOf({ format_id }: FormatOption): string {
  return formatRefKey(format_id);
}

function refused(field: string, why: string, known: readonly string[]): AppError {
  const suggestion = known.length === 0 ? 'leave it out' : `one of ${known.join(', ')}`.slice(0, 500);
  return new AppError('UNSUPPORTED_FEATURE', `${field}: ${why}`, { field, suggestion });
}
