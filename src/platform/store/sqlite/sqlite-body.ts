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
 * The rows in records of a key and a body, sorted by a field. A body is read as JSON once its row is asked for, each time anew, so that others may have
 * their turn between long ones. One that is no JSON becomes a row with nothing but its key.
 */
export function placedRows(keyField: string, sortField: string, records: readonly unknown[][]): PlacedRow[] {
  return records.map(([key, body]) => new PlacedBody(keyField, sortField, key as string, body));
}

/** A class, since an accessor of each object's own costs as much as to read a short row. */
class PlacedBody implements PlacedRow {
  readonly key: string;
  private readonly keyField: string;
  private readonly sortField: string;
  private readonly body: unknown;

  constructor(keyField: string, sortField: string, key: string, body: unknown) {
    this.key = key;
    this.keyField = keyField;
    this.sortField = sortField;
    this.body = body;
  }

  /** As SQLite has it: hardly any row is asked for it, so it is not read with each. */
  get place(): Scalar {
    if (this.sortField === this.keyField) return this.key;
    const value = parseBody(this.body)?.[this.sortField] ?? null;
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Scalar);
  }

  get row(): unknown {
    const row = parseBody(this.body);
    return row !== undefined && this.keyField in row ? row : { ...row, [this.keyField]: this.key };
  }
}
