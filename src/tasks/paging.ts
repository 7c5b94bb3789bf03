import { z } from 'zod';
import { decodeCursor, encodeCursor } from '../platform/store/collection-cursor.ts';

/** What every list accepts (rule B8). */
export const pageFields = {
  limit: z.int('must be a whole number').min(1, 'must be 1 to 100').max(100, 'must be 1 to 100').default(50),
  cursor: z
    .string()
    .max(2048, 'must be at most 2048 characters')
    .optional()
    .describe('The cursor of the page before, with the same filters.'),
};

/** What every list answers: `cursor` exactly when `has_more` (rule B8). */
export const pageView = { has_more: z.boolean(), cursor: z.string().optional() };

/** The two fields of {@link pageView}. */
export function pageEnd(cursor: string | undefined): { has_more: boolean; cursor?: string } {
  return cursor === undefined ? { has_more: false } : { has_more: true, cursor };
}

/**
 * A page of a list that is in memory. `of` is what the list was asked by, which a cursor holds for; `keyOf` names an item.
 * A cursor whose item is gone goes on at its place.
 * @throws {AppError} `INVALID_REQUEST`, field `cursor`, for a cursor that this list did not give.
 */
export function pageOf<T>(
  items: readonly T[],
  { limit, cursor, of, keyOf }: { limit: number; cursor: string | undefined; of: unknown; keyOf: (item: T) => string },
): { items: T[]; cursor?: string } {
  const start = cursor === undefined ? 0 : placeAfter(items, decodeCursor(of, cursor), keyOf);
  const page = items.slice(start, start + limit);
  const last = page.at(-1);
  if (last === undefined || start + limit >= items.length) return { items: page };
  return { items: page, cursor: encodeCursor(of, { value: start + limit - 1, key: keyOf(last) }) };
}

function placeAfter<T>(
  items: readonly T[],
  { value, key }: { value: unknown; key: string },
  keyOf: (item: T) => string,
): number {
  const found = items.findIndex((item) => keyOf(item) === key);
  return found === -1 ? Number(value) : found + 1;
}
