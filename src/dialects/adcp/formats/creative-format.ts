import { AppError, invalidRequest } from '../../../platform/errors.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import { readCreative } from '../../../sales/creative/read-creative.ts';
import type { FormatId } from '../../../sales/format/format.ts';
import type { Product } from '../../../sales/product/product.ts';
import type { AdcpCreative } from '../create-media-buy/schema.ts';
import { ourCreative } from '../creatives.ts';
import type { formatNamer } from '../creatives.ts';
import type { Release } from '../release.ts';
import { catalogOptions, productOptions } from './format-options.ts';
import type { FormatOption } from './format-options.ts';
import type { FormatOptionRef } from './format-ref.ts';

/** Where a creative is taken, and by which names of formats. */
export interface TakenWhere {
  catalog: Catalog;
  release: Release;
  nameFormat: ReturnType<typeof formatNamer>;
  /** The product of the package that it comes with; absent for the library, which takes what any product does. */
  product?: Product | undefined;
}

/**
 * The format that a creative is meant to be of, by the canonical kind that it names; undefined for one that names a format itself.
 * @param at where it stands, such as `creatives[0].`.
 * @throws {AppError} `UNSUPPORTED_FEATURE` for a kind or an option that is not taken, or that leaves open which one is meant.
 */
export function canonicalFormat(creative: AdcpCreative, at: string, where: TakenWhere): FormatId | undefined {
  const { format_id, format_kind, format_option_ref } = creative;
  if (where.release === '3.0' || format_kind === undefined) return undefined;
  if (format_id !== undefined) throw invalidRequest(`${at}format_kind`, 'send either this or format_id');
  const taken = takenOptions(where);
  const ofKind = taken.filter((option) => option.format_kind === format_kind);
  if (ofKind.length === 0) {
    const kinds = [...new Set(taken.map((option) => option.format_kind))].join(', ');
    throw refused(`${at}format_kind`, `${shown(format_kind)} is not taken ${whereTaken(where)}`, kinds);
  }
  if (format_option_ref !== undefined) {
    const option = optionNamed(taken, format_option_ref, `${at}format_option_ref`, where);
    if (option.format_kind === format_kind) return option.format_id;
    throw invalidRequest(`${at}format_kind`, `option ${option.format_option_id} is of kind ${option.format_kind}`);
  }
  const [only, ...others] = ofKind.length === 1 ? ofKind : ofKind.filter((option) => fits(creative, option, where));
  if (only !== undefined && others.length === 0) return only.format_id;
  const why =
    only === undefined
      ? 'the assets fit none of the options of this kind'
      : 'the assets fit several options of this kind; say which by format_option_ref';
  throw refused(`${at}format_kind`, why, (only === undefined ? ofKind : [only, ...others]).map(idOf).join(', '));
}

/** @throws {AppError} `UNSUPPORTED_FEATURE` for one that is not there. */
export function optionNamed(
  options: readonly FormatOption[],
  { scope, format_option_id }: FormatOptionRef,
  field: string,
  where: Pick<TakenWhere, 'product'>,
): FormatOption {
  const named =
    scope === 'product' ? options.find((option) => option.format_option_id === format_option_id) : undefined;
  if (named !== undefined) return named;
  const why =
    scope === 'product'
      ? `${shown(format_option_id)} is no format option ${whereTaken(where)}`
      : 'format options are those of products here, and no publisher’s own; send scope product';
  throw refused(field, why, options.map(idOf).join(', '));
}

function takenOptions({ product, catalog, release }: TakenWhere): readonly FormatOption[] {
  return product === undefined ? catalogOptions(catalog, release) : productOptions(product, catalog, release);
}

/** Whether a creative passes as one of the option's format. */
function fits(creative: AdcpCreative, { format_id }: FormatOption, { catalog, nameFormat }: TakenWhere): boolean {
  return readCreative(ourCreative({ ...creative, format_id }, nameFormat), [], catalog).ok;
}

function whereTaken({ product }: Pick<TakenWhere, 'product'>): string {
  return product === undefined ? 'here' : `by product ${product.product_id}`;
}

function refused(field: string, why: string, taken: string): AppError {
  const suggestion = taken === '' ? 'send format_id' : `one of ${taken}`.slice(0, 500);
  return new AppError('UNSUPPORTED_FEATURE', `${field}: ${why}`, { field, suggestion });
}

function idOf({ format_option_id }: FormatOption): string {
  return format_option_id;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}
