import { MediaBuyStatus } from '../../../sales/media-buy/media-buy.ts';
import { mayAct } from '../../../directory/operator/operator.ts';
import type { ListedBuyView } from '../../operator/buys/buy-view.ts';
import { holdSeveralBuys } from '../../operator/buys/several.ts';
import { listBuys } from '../../operator/buys/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { BuyerLink } from '../parts/buyer-of.tsx';
import { paceWords } from '../parts/pacing-chart.tsx';
import { BUYER_FIELD, FilterBar } from '../parts/filter-bar.tsx';
import type { FilterField } from '../parts/filter-bar.tsx';
import { Pages, Tabs } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import type { Column } from '../parts/table.tsx';
import { Day, IdLink, Money, pageOfId, State, Said, When } from '../parts/words.tsx';

/** The form that ticked rows belong to: below the list, whose rows stay by themselves while it is refreshed. */
const CHOSEN = 'chosen';

/** Which are meant by what is done to several. */
const CHOICE: Column<ListedBuyView> = {
  heading: 'Choose',
  isNarrow: true,
  cell: ({ media_buy_id }) => (
    <input
      type="checkbox"
      form={CHOSEN}
      name="media_buy_id"
      value={media_buy_id}
      aria-label={`Choose ${media_buy_id}`}
    />
  ),
};

const CHOICES = ['all', ...MediaBuyStatus.options] as const;

const FIELDS: readonly FilterField[] = [
  BUYER_FIELD,
  { name: 'account_id', label: 'Account of that buyer', kind: 'text', hint: 'acc_…' },
  { name: 'po_number', label: 'Purchase order', kind: 'text' },
  { name: 'starts_from', label: 'Flight begins from', kind: 'day' },
  { name: 'starts_until', label: 'Flight begins until', kind: 'day' },
];
const NOTE =
  'When a flight begins goes with the state alone, by days of UTC: the latest first. The others go together, an account with its buyer.';

/** What has been sold, newest first, or by its state. */
export const buysPage: ConsolePage = {
  path: '/buys',
  menu: 'Media buys',
  topics: ['buys'],
  list: { of: listBuys, rows: 'media_buys' },
  async show({ operator, query, read, here, now }) {
    const { status = 'all', organization_id, account_id, po_number, starts_from, starts_until } = query;
    const { media_buys, cursor } = await read(listBuys, { query: { ...query, status } });
    const mayChoose = mayAct(operator.role, holdSeveralBuys.role);
    const chosen = mayChoose ? [CHOICE] : [];
    const body = (
      <>
        <h1>Media buys</h1>
        <p class="quiet">
          {'Also: '}
          <a href="/admin/orders">their orders at the ad server</a>
          {', and '}
          <a href="/admin/performance-feedback">what buyers say of how they did</a>.
        </p>
        <Tabs
          label="Which media buys"
          path="/buys"
          name="status"
          choices={CHOICES}
          chosen={status}
          keeping={{ organization_id, account_id, po_number, starts_from, starts_until }}
        />
        <FilterBar path="/buys" query={query} fields={FIELDS} keeping={{ status: query['status'] }} note={NOTE} />
        <Table
          caption="Media buys"
          rows={media_buys}
          empty={
            status === 'all'
              ? 'No media buy has been made yet. Buyers’ agents make them; the address to give them is that of the agent card.'
              : `No such media buy is ${status}.`
          }
          columns={[
            ...chosen,
            {
              heading: 'Media buy',
              cell: (buy) => <IdLink of={buy.media_buy_id} to={pageOfId('/buys', buy.media_buy_id)} />,
            },
            { heading: 'Buyer', cell: (buy) => <BuyerLink of={buy} /> },
            { heading: 'Reference', cell: (buy) => <Said>{buy.buyer_ref}</Said> },
            ...(media_buys.some(({ po_number }) => po_number !== undefined)
              ? [{ heading: 'PO number', cell: (buy: ListedBuyView) => <Said>{buy.po_number}</Said> }]
              : []),
            {
              heading: 'State',
              cell: (buy) => (
                <>
                  <State of={buy.on_hold === undefined ? buy.status : 'held'} />
                  {buy.health === 'impaired' && (
                    <>
                      {' '}
                      <State of={buy.health} />
                    </>
                  )}
                  <WaitsFor of={buy} />
                </>
              ),
            },
            {
              heading: 'Budget',
              isNumber: true,
              cell: (buy) => <Money of={buy.total_budget} currency={buy.currency} />,
            },
            { heading: 'Spent', isNumber: true, cell: (buy) => <Spent of={buy} /> },
            {
              heading: 'Flight',
              cell: (buy) => (
                <>
                  <Day at={buy.start_time} />
                  {' to '}
                  <Day at={buy.end_time} />
                </>
              ),
            },
            { heading: 'Made', cell: (buy) => <When at={buy.created_at} now={now} /> },
          ]}
        />
        {mayChoose && media_buys.length > 0 && (
          <form class="pick" id={CHOSEN} method="get" action="/admin/buys/several">
            <input type="hidden" name="from" value={here} />
            <button>Hold or release those that are ticked</button>
          </form>
        )}
        <Pages path="/buys" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Media buys', body };
  },
};

/** What it waits for, below how it stands. */
function WaitsFor({ of: { pending_reason, waits_for_ad_server } }: { of: ListedBuyView }): Markup {
  const what = pending_reason?.replaceAll('_', ' ') ?? (waits_for_ad_server ? 'the ad server' : undefined);
  return what === undefined ? <></> : <p class="below">{`waits for ${what}`}</p>;
}

/** What was spent, as a share of the budget, and of one that runs how that stands to an even pace up to the last hour that is recorded. */
function Spent({
  of: { spent, total_budget, currency, status, start_time, end_time, recorded_until },
}: {
  of: ListedBuyView;
}): Markup {
  const percent = total_budget > 0 ? Math.round((spent / total_budget) * 100) : 0;
  const flight = { startMs: Date.parse(start_time), endMs: Date.parse(end_time) };
  const words =
    status === 'active' && paceWords({ budget: total_budget, currency, ...flight }, spent, Date.parse(recorded_until));
  return (
    <>
      <Money of={spent} currency={currency} />
      <svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="6" />
        <rect class="bar" width={Math.min(100, percent)} height="6" />
      </svg>
      <span class="quiet">{`${percent} %${words ? `, ${words}` : ''}`}</span>
    </>
  );
}
