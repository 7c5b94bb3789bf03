import { listSetAside } from '../../operator/rows/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import { Pages } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { Said, When } from '../parts/words.tsx';

/** Stored rows that this release cannot read: they are left out of everything until one can. */
export const setAsidePage: ConsolePage = {
  path: '/set-aside',
  list: { of: listSetAside, rows: 'rows' },
  async show({ query, read, now }) {
    const { rows, cursor } = await read(listSetAside, { query });
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/settings">Settings</a>
          {' / rows set aside'}
        </p>
        <h1>Rows set aside</h1>
        <p>
          These are stored and cannot be read by this release, so that they are left out of lists and of work. Nothing
          changes them, and each start looks at them again: a release that can read them takes them up.
        </p>
        <Table
          caption="Rows set aside, newest first"
          rows={rows}
          empty="There are none: every row that was met could be read."
          columns={[
            { heading: 'Collection', cell: (one) => <span class="id">{one.collection_name}</span> },
            { heading: 'Key', isWide: true, cell: (one) => <bdi class="id">{one.key}</bdi> },
            { heading: 'What is wrong', isWide: true, cell: (one) => <Said>{one.problems.join('; ')}</Said> },
            { heading: 'Met', cell: (one) => <When at={one.noted_at} now={now} /> },
          ]}
        />
        <Pages path="/set-aside" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Rows set aside', body };
  },
};
