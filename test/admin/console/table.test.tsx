import { describe, expect, it } from 'vitest';
import { Table } from '../../../src/admin/console/parts/table.tsx';
import type { Column } from '../../../src/admin/console/parts/table.tsx';

interface Row {
  name: string;
  spent: number;
}

const NAME: Column<Row> = { heading: 'Name', cell: ({ name }) => name };
const SPENT: Column<Row> = { heading: 'Spent', isNumber: true, cell: ({ spent }) => spent };
const drawn = (columns: readonly Column<Row>[]) =>
  (<Table caption="Buys" rows={[{ name: 'a', spent: 1 }]} empty="None." columns={columns} />).toString();

describe('[O1.pages] a table', () => {
  it('names each value’s column, for the card that its row is where the window is narrow', () => {
    const html = drawn([NAME, { heading: 'Said "so"', cell: ({ name }) => name }]);
    expect(html).toContain('class="cards-if-narrow"');
    expect(html).toContain('<td role="cell" data-label="Name">a</td>');
    expect(html).toContain('data-label="Said &#34;so&#34;">a</td>');
  });

  it('stays one for screen readers, whatever CSS makes of its rows', () => {
    const roles = [...drawn([SPENT, NAME]).matchAll(/<(\w+) role="(\w+)"/g)].map(([, tag, role]) => [tag, role]);
    expect(roles).toEqual([
      ...[
        ['table', 'table'],
        ['thead', 'rowgroup'],
        ['tr', 'row'],
        ['th', 'columnheader'],
        ['th', 'columnheader'],
      ],
      ...[
        ['tbody', 'rowgroup'],
        ['tr', 'row'],
        ['td', 'cell'],
        ['td', 'cell'],
      ],
    ]);
  });

  it('of a name and a few numbers is narrow as it is', () => {
    expect(drawn([NAME, SPENT, SPENT, SPENT])).not.toContain('cards-if-narrow');
    expect(drawn([NAME, SPENT, SPENT, SPENT, SPENT])).toContain('cards-if-narrow');
  });
});
