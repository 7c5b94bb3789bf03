import { AccountStatus } from '../../../sales/account/account.ts';
import { listBuyerAccounts } from '../../operator/buyer-accounts/operations.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import { BuyerLink } from '../parts/buyer-of.tsx';
import { Pages, Tabs } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { IdLink, pageOfId, Said, State, When } from '../parts/words.tsx';

/** The accounts that buyers buy under, newest first; of one buyer, in one state. */
export const buyerAccountsPage: ConsolePage = {
  path: '/buyer-accounts',
  menu: 'Accounts',
  list: { of: listBuyerAccounts, rows: 'accounts', query: asked },
  async show(call) {
    const { query, read, now } = call;
    const { organization_id, status = 'all' } = query;
    const { accounts, cursor } = await read(listBuyerAccounts, { query: asked(query) });
    const body = (
      <>
        <h1>Accounts</h1>
        {organization_id !== undefined && (
          <p class="note">
            {'Of '}
            <IdLink of={organization_id} to={pageOfId('/buyers', organization_id)} />
            {' alone. '}
            <a href="/admin/buyer-accounts">Show all</a>
          </p>
        )}
        <Tabs
          label="Which accounts"
          path="/buyer-accounts"
          name="status"
          choices={['all', ...AccountStatus.options]}
          chosen={status}
          none="all"
          keeping={{ organization_id }}
        />
        <Table
          caption="Accounts"
          rows={accounts}
          empty={
            status === 'all'
              ? 'There are none. Buyers make them by sync_accounts, or by buying for a brand in the public protocol.'
              : `No account is ${status.replaceAll('_', ' ')}.`
          }
          columns={[
            {
              heading: 'Account',
              cell: (one) => <IdLink of={one.account_id} to={pageOfId('/buyer-accounts', one.account_id)} />,
            },
            { heading: 'Name', cell: (one) => <Said>{one.name}</Said> },
            {
              heading: 'Buyer',
              cell: (one) => <BuyerLink of={one} />,
            },
            { heading: 'State', cell: (one) => <State of={one.status} /> },
            { heading: 'Billed to', cell: (one) => <Said>{one.operator}</Said> },
            { heading: 'Sandbox', cell: (one) => (one.sandbox ? 'yes' : '') },
            { heading: 'Made', cell: (one) => <When at={one.created_at} now={now} /> },
          ]}
        />
        <Pages path="/buyer-accounts" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Accounts', body };
  },
};

function asked({ status, ...query }: PageCall['query']): Record<string, string | undefined> {
  return { ...query, status: status === 'all' ? undefined : status };
}
