import type { RawRow } from '../store-driver.ts';

/** The row in a stored body; undefined for one that is no JSON object. */
export function parseBody(body: unknown): RawRow['row'] {
  try {
    const value: unknown = JSON.parse(String(body));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
