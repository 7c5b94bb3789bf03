import { z } from 'zod';
import { fittingParts } from '../../platform/fitting-parts.ts';
import type { FittingParts } from '../../platform/fitting-parts.ts';
import { isObject } from '../../platform/json-object.ts';
import { UpdateMediaBuyRequest, Updates } from './schema.ts';

/** A request of which parts may be missing; a whole one is one, too. */
const UpdateParts = UpdateMediaBuyRequest.partial().extend({ updates: Updates.optional() });
export type UpdateParts = z.infer<typeof UpdateParts>;

/**
 * What can be judged of an update that does not fit the schema (rule B12.details). Dates are judged together, or not at all: one
 * alone would be held against that of the buy, which is to change, too.
 */
export function fittingPartsOfUpdate(request: unknown): FittingParts<UpdateParts> | undefined {
  const fitting = fittingParts(UpdateParts, request);
  const asked = isObject(request) ? request['updates'] : undefined;
  const { updates } = fitting?.parts ?? {};
  if (fitting === undefined || updates === undefined || !isObject(asked)) return fitting;
  const isLost = (['start_time', 'end_time'] as const).some(
    (name) => asked[name] !== undefined && updates[name] === undefined,
  );
  if (!isLost) return fitting;
  const { start_time: _start, end_time: _end, ...others } = updates;
  return { ...fitting, parts: { ...fitting.parts, updates: others } };
}
