import { addBuyer, listBuyers } from '../../operator/buyers/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { BuyerLink } from '../parts/buyer-of.tsx';
import { LineField } from '../parts/fields.tsx';
import { Pages, Tabs } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { IdLink, pageOfId, State, Said, When } from '../parts/words.tsx';

/** Why a tab may be empty, and what would fill it. */
const WHY_NONE: Readonly<Record<string, string>> = {
  active: 'There is none yet. An admin adds one below, and makes its API key on its page.',
  suspended: 'None is suspended. A buyer is suspended on its own page.',
  prospect: 'The registry knows no organization that nobody has signed up for.',
};

/** Organizations, newest first. */
export const buyersPage: ConsolePage = {
  path: '/buyers',
  menu: 'Buyers',
  list: { of: listBuyers, rows: 'buyers' },
  async show(call) {
    const { query, read, now } = call;
    const { state = 'active' } = query;
    const { buyers, cursor } = await read(listBuyers, { query: { ...query, state } });
    const body = (
      <>
        <h1>Buyers</h1>
        <p>
          All organizations that this agent knows, sellers of the registry, too. Each buys with an API key, which its
          page makes, or with one of its people signed in.
        </p>
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
          empty={WHY_NONE[state] ?? 'There are none.'}
          columns={[
            {
              heading: 'Organization',
              isWide: true,
              cell: (one) => <BuyerLink of={{ organization_id: one.organization_id, organization_name: one.name }} />,
            },
            { heading: 'Kind', cell: (one) => one.company_type },
            {
              heading: 'Id',
              cell: (one) => <IdLink of={one.organization_id} to={pageOfId('/buyers', one.organization_id)} />,
            },
            { heading: 'Domain', cell: (one) => <Said>{one.corporate_domain}</Said> },
            { heading: 'State', cell: (one) => <State of={one.suspended_at === null ? one.state : 'suspended'} /> },
            { heading: 'Since', cell: (one) => <When at={one.created_at} now={now} /> },
          ]}
        />
        <p>
          <a href="/admin/grants">Applications that people let in</a>
          {', for all buyers at once.'}
        </p>
        <Pages path="/buyers" query={query} cursor={cursor} />
        <div class="forms more">
          <ActionForm call={call} operation={addBuyer} of={{}} label="Add">
            <h2>Add a buyer</h2>
            <p>An organization without people and keys; its page makes its first key.</p>
            <LineField name="name" label="Name" isNeeded />
          </ActionForm>
        </div>
      </>
    );
    return { title: 'Buyers', body };
  },
};
