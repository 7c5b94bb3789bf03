import type { Store } from '../../platform/store/collection.ts';
import type { Cell, ExportedRow, ExportTable } from './tables.ts';

/** How rows are written: what stands before the first, and each. */
interface LineFormat {
  header: (columns: readonly string[]) => string;
  line: (columns: readonly string[], row: ExportedRow) => string;
}

/** CSV is RFC 4180, safe to open in a spreadsheet; NDJSON has one object a line, as it stands. */
export const LINE_FORMATS = {
  csv: {
    header: (columns) => csvLine(columns),
    line: (columns, row) => csvLine(columns.map((name) => row[name] ?? null)),
  },
  ndjson: {
    header: () => '',
    line: (columns, row) => `${oneLine(Object.fromEntries(columns.map((name) => [name, row[name] ?? null])))}\n`,
  },
} as const satisfies Record<string, LineFormat>;

/** JSON leaves in text what some readers of lines end a line at: C1's next line, and the separators of lines and of paragraphs. */
function oneLine(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[\u0085\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * A table behind a key, as text, a page of the store at a time; from the beginning, `''`, with the header. The next page is read
 * once somebody takes it, and none after the signal.
 */
export async function* exportLines(
  store: Store,
  table: ExportTable,
  { format, after, signal }: { format: LineFormat; after: string; signal: AbortSignal },
): AsyncGenerator<string> {
  if (after === '') yield format.header(table.columns);
  let place: string | undefined = after;
  while (place !== undefined && !signal.aborted) {
    const page = await textAfter(store, table, format, place);
    place = page.next;
    if (page.text !== '') yield page.text;
  }
}

/** The rows themselves are let go before their text waits for the client. */
async function textAfter(store: Store, table: ExportTable, { line }: LineFormat, after: string) {
  const { rows, next } = await table.pageAfter(store, after);
  return { text: rows.map((row) => line(table.columns, row)).join(''), next };
}

function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'object' ? cell.join(' ') : String(cell);
  // A spreadsheet takes what begins so for a formula; it also knows the wide forms.
  const safe = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;
  return /[",;\r\n\t]|^ | $/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
