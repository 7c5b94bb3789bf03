import { listActions } from '../../operator/actions/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import { Pages } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { State, Said, When } from '../parts/words.tsx';

/** Who did what and when, newest first. */
export const auditPage: ConsolePage = {
  path: '/audit',
  menu: 'Record',
  list: { of: listActions, rows: 'actions' },
  async show({ query, read, now }) {
    const { actions, cursor } = await read(listActions, { query });
    const body = (
      <>
        <h1>Record</h1>
        <p class="quiet">What people did here, by the console, at a terminal and by the operator API.</p>
        <Table
          caption="What operators did, newest first"
          rows={actions}
          empty="Nobody has done anything yet."
          columns={[
            { heading: 'When', cell: (one) => <When at={one.at} now={now} /> },
            { heading: 'Who', cell: (one) => <Said>{one.by}</Said> },
            { heading: 'Role', cell: (one) => one.role ?? '' },
            { heading: 'What', cell: (one) => one.action.replaceAll(/[._]/g, ' ') },
            { heading: 'To what', cell: (one) => <Said>{one.target}</Said> },
            { heading: 'Outcome', cell: (one) => <State of={one.outcome} /> },
            { heading: 'Why not', cell: (one) => one.error_code ?? '' },
            { heading: 'From', cell: (one) => <Said>{one.address}</Said> },
          ]}
        />
        <Pages path="/audit" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Record', body };
  },
};
