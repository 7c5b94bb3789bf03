import { listApprovals } from '../../operator/approvals/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import { Pages, Tabs } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { IdLink, Money, pageOfId, State, Said, When } from '../parts/words.tsx';

const CHOICES = ['open', 'approved', 'rejected', 'superseded', 'all'] as const;

/** What waits for a person, the longest first. */
export const approvalsPage: ConsolePage = {
  path: '/approvals',
  menu: 'Approvals',
  topics: ['approvals'],
  list: { of: listApprovals, rows: 'approvals' },
  async show({ query, read, now }) {
    const { status = 'open' } = query;
    const { approvals, cursor } = await read(listApprovals, { query: { ...query, status } });
    const body = (
      <>
        <h1>Approvals</h1>
        <Tabs label="Which approvals" path="/approvals" name="status" choices={CHOICES} chosen={status} />
        <Table
          caption="Approvals"
          rows={approvals}
          empty={
            status === 'open'
              ? 'Nothing waits. What is over a threshold comes here: APPROVAL_OVER, by currency.'
              : 'There are none.'
          }
          columns={[
            {
              heading: 'Approval',
              cell: (one) => <IdLink of={one.approval_id} to={pageOfId('/approvals', one.approval_id)} />,
            },
            { heading: 'Asked', cell: (one) => <When at={one.requested_at} now={now} /> },
            { heading: 'Buyer', cell: (one) => <Said>{one.buyer.name ?? one.buyer.organization_id}</Said> },
            { heading: 'What', cell: (one) => one.operation.replaceAll('_', ' ') },
            {
              heading: 'Budget',
              isNumber: true,
              cell: (one) => <Money of={one.money.total_budget} currency={one.money.currency} />,
            },
            {
              heading: 'Change',
              isNumber: true,
              cell: (one) => <Money of={one.money.change} currency={one.money.currency} />,
            },
            { heading: 'Why', cell: (one) => <Said>{one.why}</Said> },
            { heading: 'State', cell: (one) => <State of={one.status} /> },
          ]}
        />
        <Pages path="/approvals" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Approvals', body };
  },
};
