import type { Child, Markup } from '../html/markup.ts';

/** A column: its heading, and what stands there of a row. */
export interface Column<Row> {
  heading: string;
  cell: (row: Row) => Child;
  /** Amounts and counts. */
  isNumber?: boolean;
  /** Words, which are not squeezed. */
  isWide?: boolean;
  /** A mark, which takes no more room than it needs. */
  isNarrow?: boolean;
}

interface TableProps<Row> {
  /** What it lists, for those who do not see it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Why there may be none, and what would fill it. */
  empty: Child;
}

/** Rows under headings; of none, why. */
export function Table<Row>({ caption, columns, rows, empty }: TableProps<Row>): Markup {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={caption}>
      <table>
        <thead>
          <tr>
            {columns.map(({ heading, isNumber = false }) => (
              <th scope="col" class={isNumber && 'num'}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map(({ cell, ...column }) => (
                <td class={classOf(column)}>{cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf({ isNumber, isWide, isNarrow }: Omit<Column<never>, 'cell'>): string | false {
  if (isNumber === true) return 'num';
  if (isWide === true) return 'wide';
  return isNarrow === true && 'narrow';
}

/** Names and values; those without a value are left out. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: Child])[] }): Markup {
  return (
    <dl>
      {of
        .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}
