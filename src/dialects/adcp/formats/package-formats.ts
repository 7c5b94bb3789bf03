import { AppError } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { AdcpPackage } from '../create-media-buy/schema.ts';
import { formatRefKey } from '../refs.ts';
import { optionNamed } from './creative-format.ts';
import type { TakenWhere } from './creative-format.ts';
import { productOptions } from './format-options.ts';
import type { FormatOption } from './format-options.ts';

/**
 * Holds the formats that a package names, whichever way, against what its product takes. They are told again, and nothing is narrowed by
 * them. What names no product is left to the task.
 * @param at where the package stands, such as `packages[0].`.
 * @throws {AppError} `UNSUPPORTED_FEATURE` for what the product does not take.
 */
export function assertFormatsTaken(one: AdcpPackage, at: string, where: TakenWhere): void {
  const { product, release, catalog } = where;
  if (product === undefined || release === '3.0') return;
  const options = productOptions(product, catalog, release);
  const { format_option_refs: refs, format_kind: kind, params, format_ids } = one;
  if (refs && refs.length > 0) {
    refs.forEach((ref, i) => optionNamed(options, ref, `${at}format_option_refs[${i}]`, where));
    return;
  }
  if (format_ids && format_ids.length > 0) {
    const taken = new Set(product.format_ids.map(formatRefKey));
    const strange = format_ids.findIndex((id) => !taken.has(formatRefKey(id)));
    if (strange === -1) return;
    throw refused(`${at}format_ids[${strange}]`, `product ${product.product_id} does not take it`, [
      ...product.format_ids.map(({ id }) => id),
    ]);
  }
  if (kind === undefined || kind === null) return;
  const ofKind = options.filter(({ format_kind }) => format_kind === kind);
  if (ofKind.some((option) => satisfies(params ?? {}, option))) return;
  const why =
    ofKind.length === 0
      ? `product ${product.product_id} does not take this kind`
      : `its params are not those of any option of product ${product.product_id}`;
  const known = ofKind.length === 0 ? options.map(({ format_kind }) => format_kind) : ofKind.map(describeOption);
  throw refused(`${at}format_kind`, why, [...new Set(known)]);
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

function describeOption({ format_option_id }: FormatOption): string {
  return format_option_id;
}

function refused(field: string, why: string, known: readonly string[]): AppError {
  const suggestion = known.length === 0 ? 'leave it out' : `one of ${known.join(', ')}`.slice(0, 500);
  return new AppError('UNSUPPORTED_FEATURE', `${field}: ${why}`, { field, suggestion });
}
