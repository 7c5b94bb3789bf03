import { AppError } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json-object.ts';

/** What counts as saying nothing: clients send such by habit. */
function saysNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/**
 * Refuses what is asked for and would change money or reach, and cannot be done.
 * @param fields by name: why not.
 * @throws {AppError} `UNSUPPORTED_FEATURE`, or the code given, with the field.
 */
export function refuseUnsupported(
  request: JsonObject,
  fields: Readonly<Record<string, string>>,
  {
    at = '',
    code = 'UNSUPPORTED_FEATURE' as const,
  }: { at?: string; code?: 'UNSUPPORTED_FEATURE' | 'TERMS_REJECTED' | 'NOT_CANCELLABLE' } = {},
): void {
  for (const [name, why] of Object.entries(fields)) {
    if (saysNothing(request[name])) continue;
    const field = `${at}${name}`;
    throw new AppError(code, `${field}: ${why}`, { field, suggestion: 'leave it out' });
  }
}
