import { z } from 'zod';
import type { JsonObject } from '../../platform/json-object.ts';
import { MOST_COUNTED } from '../../runtime/list.ts';

/** How the public protocol asks for a page. */
export const Pagination = z.looseObject({
  max_results: z.int().min(1).max(100).optional(),
  cursor: z.string().max(2048).optional(),
});

/** The same in our own fields. Pure. */
export function pageAsked(pagination: z.infer<typeof Pagination> | undefined): JsonObject {
  const { max_results, cursor } = pagination ?? {};
  return { ...(max_results !== undefined && { limit: max_results }), ...(cursor !== undefined && { cursor }) };
}

/** The end of a page of our own in public words. `total`: only where it is exact. Pure. */
export function pagination(page: JsonObject, total?: number): JsonObject {
  const { has_more = false, cursor } = page;
  return {
    has_more,
    ...(cursor !== undefined && { cursor }),
    ...(total !== undefined && { total_count: total }),
  };
}

/** A total where it is exact: {@link MOST_COUNTED} stands for more, too. Pure. */
export function exactOnly(total: number): number | undefined {
  return total < MOST_COUNTED ? total : undefined;
}

/** A total for where there must be one; where it is not exact, `total_relation` says that there are so many or more. Pure. */
export function totalMatching(total_matching: number): JsonObject {
  return { total_matching, ...(exactOnly(total_matching) === undefined && { total_relation: 'gte' }) };
}
