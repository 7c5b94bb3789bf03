import type { JsonObject } from '../../platform/json-object.ts';
import { AXES_NOT_SOLD, TargetingOverlay } from './targeting-overlay.ts';

/**
 * A stored overlay as far as it is understood, and the names of what is not: 0.1.0 kept whatever was sent. What was checked
 * is understood whole. Pure; never throws.
 */
export function readStoredOverlay(stored: JsonObject): { overlay: TargetingOverlay; unread: string[] } {
  const unread: string[] = [];
  const read = Object.entries(stored).flatMap(([axis, value]) => {
    const parsed = axisSchema(axis)?.safeParse(value);
    if (parsed?.success === true) return [[axis, parsed.data] as const];
    unread.push(axis);
    return [];
  });
  return { overlay: Object.fromEntries(read), unread };
}

const notSold: readonly string[] = AXES_NOT_SOLD;

function axisSchema(axis: string) {
  if (notSold.includes(axis) || !Object.hasOwn(TargetingOverlay.shape, axis)) return undefined;
  return TargetingOverlay.shape[axis as keyof typeof TargetingOverlay.shape];
}
