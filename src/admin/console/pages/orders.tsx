import { listDrift, listOrders, lookAtOrders } from '../../operator/orders/operations.ts';
import type { OrderView, WaitingView } from '../../operator/orders/order-view.ts';
import type { ConsolePage } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { BuyerLink } from '../parts/buyer-of.tsx';
import { Pages } from '../parts/paging.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Table } from '../parts/table.tsx';
import { Count, IdLink, pageOfId, Said, State, When } from '../parts/words.tsx';

const TABS = { waiting: '/orders', 'otherwise there': '/orders/drift' } as const;

/** Address of an order's page, below `/admin`. Pure. */
export function pageOfOrder(media_buy_id: string): string {
  return pageOfId('/orders', media_buy_id);
}

/** What the ad server has still to be told, and whether it can be reached. */
export const ordersPage: ConsolePage = {
  path: '/orders',
  topics: ['buys'],
  list: { of: listOrders, rows: 'orders' },
  async show(call) {
    const { query, read, now } = call;
    const { orders, ad_servers, cursor } = await read(listOrders, { query });
    const body = (
      <>
        <BuysCrumbs />
        <h1>Orders at the ad server</h1>
        <PageTabs label="Which orders" of={TABS} chosen="waiting" />
        <Table
          caption="Ad servers"
          rows={ad_servers}
          empty="None is connected. One stands here once this agent was started with it: by AD_SERVER, or AD_SERVERS_FILE."
          columns={[
            { heading: 'Ad server', cell: (one) => <Said>{one.id}</Said> },
            { heading: 'State', cell: (one) => <State of={one.state === 'closed' ? 'answering' : 'failing'} /> },
            { heading: 'Since', cell: (one) => one.since !== null && <When at={one.since} now={now} /> },
            { heading: 'Orders waiting', isNumber: true, cell: (one) => <Count of={one.orders_waiting} /> },
            {
              heading: 'Asked again',
              cell: (one) => one.probe_due_at !== null && <When at={one.probe_due_at} now={now} />,
            },
            { heading: 'Last fault', isWide: true, cell: (one) => <Said>{one.last_fault}</Said> },
          ]}
        />
        <h2>What waits for it</h2>
        <Table
          caption="Orders that wait, in the order in which they are told"
          rows={orders}
          empty="Nothing waits: all that was sold, changed or ended is known to the ad server."
          columns={[
            { heading: 'Media buy', cell: (one) => <OrderLink of={one} /> },
            { heading: 'Buyer', cell: (one) => <BuyerLink of={one} /> },
            { heading: 'State', cell: (one) => <State of={one.status} /> },
            { heading: 'Waits with', cell: ({ waiting }) => waiting !== null && waitsWith(waiting) },
            { heading: 'Since', cell: ({ waiting }) => waiting !== null && <When at={waiting.since} now={now} /> },
            { heading: 'Tries', isNumber: true, cell: ({ waiting }) => waiting?.tries },
            {
              heading: 'Told again',
              cell: ({ waiting }) => waiting?.next_try_at != null && <When at={waiting.next_try_at} now={now} />,
            },
            { heading: 'Why', isWide: true, cell: ({ waiting }) => <Said>{waiting?.last_fault?.message}</Said> },
          ]}
        />
        <Pages path="/orders" query={query} cursor={cursor} />
        <div class="forms more">
          <ActionForm call={call} operation={lookAtOrders} of={{}} label="Look at all soon">
            <p>Every order that runs is compared with what stands at the ad server, as is done every hour anyway.</p>
          </ActionForm>
        </div>
      </>
    );
    return { title: 'Orders', body };
  },
};

/** Orders that a person at the ad server has touched, or that stand otherwise there than they were told. */
export const driftPage: ConsolePage = {
  path: '/orders/drift',
  list: { of: listDrift, rows: 'orders' },
  async show({ query, read, now }) {
    const { orders, cursor } = await read(listDrift, { query });
    const body = (
      <>
        <BuysCrumbs />
        <h1>Orders at the ad server</h1>
        <PageTabs label="Which orders" of={TABS} chosen="otherwise there" />
        <Table
          caption="Orders that stand otherwise at the ad server, the longest first"
          rows={orders}
          empty="None does: whatever was last seen there stands as it was told."
          columns={[
            {
              heading: 'Media buy',
              cell: (one) => <IdLink of={one.media_buy_id} to={pageOfOrder(one.media_buy_id)} />,
            },
            { heading: 'Since', cell: (one) => one.drift_since !== null && <When at={one.drift_since} now={now} /> },
            { heading: 'Last looked at', cell: (one) => <When at={one.looked_at} now={now} /> },
            { heading: 'Differences', isNumber: true, cell: (one) => <Count of={one.differences.length} /> },
            {
              heading: 'Changed by a person there',
              isWide: true,
              cell: (one) => (
                <Said>{one.by_hand.map(({ package_id, state }) => `${package_id}: ${state}`).join(', ')}</Said>
              ),
            },
          ]}
        />
        <Pages path="/orders/drift" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Orders that stand otherwise', body };
  },
};

function BuysCrumbs(): Markup {
  return (
    <p class="crumbs">
      <a href="/admin/buys">Media buys</a>
      {' / orders'}
    </p>
  );
}

function OrderLink({ of: { media_buy_id, buyer_ref } }: { of: OrderView }): Markup {
  return (
    <a href={`/admin${pageOfOrder(media_buy_id)}`}>
      <Said>{buyer_ref}</Said>
    </a>
  );
}

const WORDS: Readonly<Record<WaitingView['kind'], string>> = {
  hold: 'inventory to be kept',
  run: 'its start',
  update: 'a change',
  release: 'the end of a hold',
  system: 'a change of the seller’s own',
  pause: 'a pause',
  end: 'its end',
};

/** In words. Pure. */
export function waitsWith({ kind, given_up }: WaitingView): string {
  return given_up ? `${WORDS[kind]}, given up` : WORDS[kind];
}
