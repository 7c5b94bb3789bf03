import { listBuyers } from '../../operator/buyers/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import { Pages, Tabs } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { IdLink, pageOfId, State, Said, When } from '../parts/words.tsx';

/** Organizations, newest first. */
export const buyersPage: ConsolePage = {
  path: '/buyers',
  menu: 'Buyers',
  list: { of: listBuyers, rows: 'buyers' },
  async show({ query, read, now }) {
    const { state = 'active' } = query;
    const { buyers, cursor } = await read(listBuyers, { query: { ...query, state } });
    const body = (
      <>
        <h1>Buyers</h1>
        <Tabs
          label="Which buyers"
          path="/buyers"
          name="state"
          choices={['active', 'suspended', 'prospect']}
          chosen={state}
        />
        <Table
          caption="Buyers"
          rows={buyers}
          empty="There are none. Make one: npm run agent -- buyers add NAME"
          columns={[
            { heading: 'Buyer', cell: (one) => <Said>{one.name}</Said> },
            {
              heading: 'Organization',
              cell: (one) => <IdLink of={one.organization_id} to={pageOfId('/buyers', one.organization_id)} />,
            },
            { heading: 'Domain', cell: (one) => <Said>{one.corporate_domain}</Said> },
            { heading: 'State', cell: (one) => <State of={one.suspended_at === null ? one.state : 'suspended'} /> },
            { heading: 'Since', cell: (one) => <When at={one.created_at} now={now} /> },
          ]}
        />
        <Pages path="/buyers" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Buyers', body };
  },
};
