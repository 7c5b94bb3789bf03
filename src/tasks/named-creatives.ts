import type { Creative } from '../sales/creative/creative.ts';
import { misfitOf } from '../sales/creative/fit.ts';
import type { Product } from '../sales/product/product.ts';
import { unknownNames } from './own-rows.ts';
import type { Problem } from '../platform/errors.ts';

/** Creatives by id: the caller's, and those that come with the request. */
export type Library = ReadonlyMap<string, Pick<Creative, 'creative_id' | 'status' | 'format_id'>>;

/**
 * What is wrong with the creatives that a package names: not the caller's, archived, or of a format that its product does
 * not take (rules B6, B11, B13). `at` is the place of the list in the request. Pure.
 */
export function namedCreativeProblems(
  creative_ids: readonly string[],
  at: readonly PropertyKey[],
  library: Library,
  product: Product | undefined,
): Problem[] {
  const named = creative_ids.map((id, i) => ({ id, path: [...at, i] }));
  return [
    ...unknownNames('CREATIVE_NOT_FOUND', named, library),
    ...named.flatMap(({ id, path }) => misfitProblems(library.get(id), path, product)),
  ];
}

/** Why a creative may not be in a package of this product, at its place in the request. Pure. */
export function misfitProblems(
  creative: Parameters<typeof misfitOf>[0] | undefined,
  path: readonly PropertyKey[],
  product: Product | undefined,
): Problem[] {
  const misfit = creative && misfitOf(creative, product);
  return misfit === undefined ? [] : [{ ...misfit, path }];
}
