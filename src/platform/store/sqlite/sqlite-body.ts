import type { Scalar } from '../collection.ts';
import type { PlacedRow } from '../collection-page.ts';
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

/**
 * The rows in records of a key, a body and a place. A body is read as JSON once its row is asked for, each time anew, so that others may have
 * their turn between long ones. One that is no JSON becomes a row with nothing but its key.
 */
export function placedRows(keyField: string, records: readonly Record<string, unknown>[]): PlacedRow[] {
  return records.map(
    ({ key, body, place }) => new PlacedBody(keyField, key as string, body, (place ?? null) as Scalar),
  );
}

/** A class, since an accessor of each object's own costs as much as to read a short row. */
class PlacedBody implements PlacedRow {
  readonly key: string;
  readonly place: Scalar;
  private readonly keyField: string;
  private readonly body: unknown;

  constructor(keyField: string, key: string, body: unknown, place: Scalar) {
    this.key = key;
    this.place = place;
    this.keyField = keyField;
    this.body = body;
  }

  get row(): unknown {
    const row = parseBody(this.body);
    return row !== undefined && this.keyField in row ? row : { ...row, [this.keyField]: this.key };
  }
}
