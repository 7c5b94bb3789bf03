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

/** Rows under headings; of none, why. Where the window is narrow, each row is a card that names its columns itself. */
export function Table<Row>({ caption, columns, rows, empty }: TableProps<Row>): Markup {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const isOfCards = !fitsNarrow(columns);
  // What CSS makes a block is no row to a screen reader unless its role says so.
  const role = (name: string) => isOfCards && name;
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={caption}>
      <table role={role('table')} class={isOfCards && 'cards-if-narrow'}>
        <thead role={role('rowgroup')}>
          <tr role={role('row')}>
            {columns.map(({ heading, isNumber = false }) => (
              <th role={role('columnheader')} scope="col" class={isNumber && 'num'}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role={role('rowgroup')}>
          {rows.map((row) => (
            <tr role={role('row')}>
              {columns.map(({ cell, heading, ...column }) => (
                <td role={role('cell')} class={classOf(column)} data-label={isOfCards && heading}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Whether it is narrow as it is: a day, a name or such, and a few numbers. */
function fitsNarrow(columns: readonly Pick<Column<never>, 'isNumber'>[]): boolean {
  return columns.length <= 4 && columns.slice(1).every(({ isNumber }) => isNumber === true);
}

function classOf({ isNumber, isWide, isNarrow }: Omit<Column<never>, 'cell' | 'heading'>): string | false {
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
