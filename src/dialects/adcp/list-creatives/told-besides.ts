import { z } from 'zod';
import type { JsonObject } from '../../../platform/json-object.ts';
import { refuseUnsupported } from '../unsupported.ts';

/** What of a creative is told besides for who asks. */
const Besides = z.enum(['snapshot', 'items', 'variables']);
/** One of these. */
export type Besides = z.infer<typeof Besides>;

/** How `list_creatives` is asked for it. */
export const BesidesAsked = {
  include_snapshot: z.boolean().optional(),
  include_items: z.boolean().optional(),
  include_variables: z.boolean().optional(),
};

/** What no creative has here to be told. */
const NOT_TOLD = {
  include_pricing: 'creatives have no price of their own here; media buys are priced by their packages',
};

/**
 * What is asked for by itself, or as one of the `fields`. Creatives that were purged need no asking: none is here. `webhook_activity` is
 * left out, by which the protocol says that nothing is told of it here.
 * @throws {AppError} `UNSUPPORTED_FEATURE` for what cannot be told.
 */
export function besidesAsked(request: JsonObject, fields: readonly string[]): Besides[] {
  refuseUnsupported(request, NOT_TOLD);
  return Besides.options.filter((name) => request[`include_${name}`] === true || fields.includes(name));
}

/** The same of a creative: its impressions are not counted over all of its packages, and it has neither items nor variables. Pure. */
export function toldBesides(asked: readonly Besides[]): JsonObject {
  return {
    ...(asked.includes('snapshot') && { snapshot_unavailable_reason: 'SNAPSHOT_UNSUPPORTED' }),
    ...(asked.includes('items') && { items: [] }),
    ...(asked.includes('variables') && { variables: [] }),
  };
}
