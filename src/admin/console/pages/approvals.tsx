import { listApprovals } from '../../operator/approvals/operations.ts';
import { listSettings } from '../../operator/doctor/operations.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import { BuyerLink } from '../parts/buyer-of.tsx';
import { BUYER_FIELD, FilterBar } from '../parts/filter-bar.tsx';
import type { FilterField } from '../parts/filter-bar.tsx';
import type { Markup } from '../html/markup.ts';
import { WHY_A_PERSON } from './creatives.tsx';
import { Pages, Tabs } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { IdLink, Money, pageOfId, State, Said, When } from '../parts/words.tsx';

const THRESHOLDS = new Set(['APPROVAL_OVER', 'APPROVAL_OVER_USD']);
/** By state, why there may be none; what would come is said besides. */
const WHY_NONE: Readonly<Record<string, string>> = {
  open: 'Nothing waits.',
  approved: 'Nothing has been approved yet: a person does on the page of what is open.',
  rejected: 'Nothing has been rejected: a person does on the page of what is open.',
  superseded: 'None is superseded: one is when what was granted has changed before it was made, and another asks anew.',
  all: 'Nothing has waited for a person yet.',
};
const NONE_CHOSEN =
  'There is none of this buyer, kind and media buy in this state: choose another state, or ask for all.';
const CHOICES = ['open', 'approved', 'rejected', 'superseded', 'all'] as const;

const FIELDS: readonly FilterField[] = [
  BUYER_FIELD,
  {
    ...{ name: 'operation', label: 'What', kind: 'choice' },
    choices: [
      ['create_media_buy', 'a new media buy'],
      ['update_media_buy', 'a change'],
    ],
  },
  { name: 'media_buy_id', label: 'Media buy’s id', kind: 'text' },
];

/** What waits for a person, the longest first. */
export const approvalsPage: ConsolePage = {
  path: '/approvals',
  menu: 'Approvals',
  topics: ['approvals'],
  list: { of: listApprovals, rows: 'approvals' },
  async show({ query, read, now }) {
    const { status = 'open', organization_id, operation, media_buy_id } = query;
    const { approvals, cursor } = await read(listApprovals, { query: { ...query, status } });
    const isChosen = (organization_id ?? operation ?? media_buy_id) !== undefined;
    const empty =
      approvals.length === 0 &&
      (isChosen ? NONE_CHOSEN : <WhyNone status={status} comes={await whatComesHere(read)} />);
    const body = (
      <>
        <h1>Approvals</h1>
        <Tabs
          label="Which approvals"
          path="/approvals"
          name="status"
          choices={CHOICES}
          chosen={status}
          keeping={{ organization_id, operation, media_buy_id }}
        />
        <FilterBar path="/approvals" query={query} fields={FIELDS} keeping={{ status: query['status'] }} />
        <Table
          caption="Approvals"
          rows={approvals}
          empty={empty}
          columns={[
            {
              heading: 'Approval',
              cell: (one) => <IdLink of={one.approval_id} to={pageOfId('/approvals', one.approval_id)} />,
            },
            { heading: 'Asked', cell: (one) => <When at={one.requested_at} now={now} /> },
            {
              heading: 'Buyer',
              cell: ({ buyer }) => (
                <BuyerLink of={{ organization_id: buyer.organization_id, organization_name: buyer.name }} />
              ),
            },
            { heading: 'Reference', cell: (one) => <Said>{one.buyer_ref}</Said> },
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

function WhyNone({ status, comes }: { status: string; comes: string }): Markup {
  return (
    <>
      {`${WHY_NONE[status] ?? ''} ${comes} `}
      <a href="/admin/creatives">Creatives</a>
      {` have a list of their own. ${WHY_A_PERSON}`}
    </>
  );
}

/** Above which totals something comes here, or how to have it so. */
async function whatComesHere(read: PageCall['read']): Promise<string> {
  const { settings } = await read(listSettings);
  const over = settings.filter(({ name, value }) => THRESHOLDS.has(name) && value !== null);
  if (over.length === 0) {
    return 'No threshold is set, so that only what is above an amount of the buyer’s own will: give a buyer such an amount on its page, or start this agent with APPROVAL_OVER=USD:50000, say, for all, and media buys above that come here.';
  }
  return `Media buys come here whose total is above ${over.map(({ name, value }) => `${name}=${value}`).join(', ')}, or in another currency; and by the amounts of its own that a buyer may have.`;
}
