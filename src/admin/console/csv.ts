/**
 * Rows as CSV (RFC 4180) under the names of all their fields; those of an object within stand by `its.name`, lists as JSON. No text is
 * taken for a formula by a program that opens the file: one that would be begins with `'`. Pure.
 */
export function csvOf(rows: readonly object[]): string {
  const flat = rows.map((row) => new Map(fieldsOf(row)));
  const names = [...new Set(flat.flatMap((row) => [...row.keys()]))];
  const lines = [names.map(cellOf), ...flat.map((row) => names.map((name) => cellOf(row.get(name))))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

function fieldsOf(row: object, before = ''): [string, unknown][] {
  return Object.entries(row).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? fieldsOf(value, `${before}${name}.`)
      : [[`${before}${name}`, value]],
  );
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${FORMULA.test(text) ? "'" : ''}${text.replaceAll('"', '""')}"`;
}

/** How a formula begins, also behind blanks, and in full width. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@|\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;
