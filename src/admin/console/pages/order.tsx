import { formatMoney } from '../../../platform/money.ts';
import { giveUpOneOrder, lookAtOneOrder, pushOneOrder, showOrder } from '../../operator/orders/operations.ts';
import type { OrderInFullView } from '../../operator/orders/order-view.ts';
import { isTerminalBuy } from '../../../sales/media-buy/transitions.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { BuyerFact } from '../parts/buyer-of.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { TickField } from '../parts/tick-field.tsx';
import { Count, Data, Day, IdLink, Money, pageOfId, Said, State, When } from '../parts/words.tsx';
import { waitsWith } from './orders.tsx';

/** One order: as told, as held, as last seen at the ad server, and what can be done about it. */
export const orderPage: ConsolePage = {
  path: '/orders/:media_buy_id',
  topics: ['buys'],
  async show(call) {
    const one = await call.read(showOrder, { params: { ...call.params } });
    const { now } = call;
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/buys">Media buys</a>
          {' / '}
          <a href="/admin/orders">orders</a>
          {` / ${one.media_buy_id}`}
        </p>
        <h1>
          <Said>{one.order.name}</Said>
        </h1>
        <Head of={one} now={now} />
        <Actions call={call} of={one} />
        <Lines of={one} />
        <Differences of={one} />
        <OverDelivery of={one} />
        <details>
          <summary>As it is told</summary>
          <Data of={one.order} />
        </details>
      </>
    );
    return { title: `Order ${one.order.name}`, body };
  },
};

function Head({ of: one, now }: { of: OrderInFullView; now: number }): Markup {
  const { waiting, held, order } = one;
  return (
    <Facts
      of={[
        ['Media buy', <IdLink of={one.media_buy_id} to={pageOfId('/buys', one.media_buy_id)} />],
        ['Buyer', <BuyerFact of={one} />],
        ['State of the media buy', <State of={one.status} />],
        ['Ad server', <Said>{order.ad_server_id}</Said>],
        ['Its id there', one.native !== null && <Said>{one.native.order}</Said>],
        ['Told as', `${order.state}, version ${order.version}`],
        ['Held there', held === null ? 'not yet' : `${held.state}, version ${held.version}`],
        [
          'Waits with',
          waiting !== null && (
            <>
              {`${waitsWith(waiting)}, since `}
              <When at={waiting.since} now={now} />
            </>
          ),
        ],
        ['Tries without an answer', waiting !== null && String(waiting.tries)],
        ['Told again', waiting?.next_try_at != null && <When at={waiting.next_try_at} now={now} />],
        ['Why not yet', waiting?.last_fault != null && <Said>{waiting.last_fault.message}</Said>],
        [
          'Task that waits',
          waiting?.task_id != null && <IdLink of={waiting.task_id} to={pageOfId('/tasks', waiting.task_id)} />,
        ],
        ['Last looked at', <When at={one.looked_at} now={now} />],
        ['Looked at again', one.look_due_at !== null && <When at={one.look_due_at} now={now} />],
        ['Otherwise there since', one.drift_since !== null && <When at={one.drift_since} now={now} />],
      ]}
    />
  );
}

/** What a forced end means. */
const WITHOUT_IT =
  'The ad server never answers again: do not wait for it. The task that waits fails at once, and what stands at the ad server is not known.';

/** Whether anything that waits may be given up is the operation's to say: the page offers it where something waits. */
function Actions({
  call,
  of: { media_buy_id, status, waiting, held },
}: {
  call: PageCall;
  of: OrderInFullView;
}): Markup {
  const of = { media_buy_id };
  return (
    <>
      <RoleNote call={call} role={lookAtOneOrder.role} />
      <div class="forms">
        <ActionForm call={call} operation={lookAtOneOrder} of={of} label="Look at it now">
          <p>The ad server is asked how the order stands there.</p>
        </ActionForm>
        {held !== null && (
          <ActionForm call={call} operation={pushOneOrder} of={of} label="Tell it anew">
            <p>What a person has done to it at the ad server is undone: it becomes what was told.</p>
          </ActionForm>
        )}
        {waiting !== null && !waiting.given_up && (
          <ActionForm call={call} operation={giveUpOneOrder} of={of} label="Give it up" isFinal phrase={media_buy_id}>
            <p>
              Its end is told instead; once the ad server has confirmed that, the media buy is canceled and the task
              that waits fails. Nothing brings it back.
            </p>
            <WordsField name="reason" label="Reason" hint="The buyer is told it." isNeeded />
            <TickField name="force">{WITHOUT_IT}</TickField>
          </ActionForm>
        )}
        {waiting?.given_up === true && !isTerminalBuy(status) && (
          <ActionForm call={call} operation={giveUpOneOrder} of={of} label="Wait no more" isFinal phrase={media_buy_id}>
            <p>It has been given up, and its end waits for the ad server. The buyer was told the reason.</p>
            <WordsField name="reason" label="Reason" hint="For the record." isNeeded />
            <TickField name="force" isNeeded>
              {WITHOUT_IT}
            </TickField>
          </ActionForm>
        )}
      </div>
    </>
  );
}

function Lines({ of: { order, lines, native } }: { of: OrderInFullView }): Markup {
  const seen = new Map(lines.map((line) => [line.package_id, line]));
  return (
    <>
      <h2>Lines</h2>
      <Table
        caption="Lines, as told and as last seen"
        rows={order.lines}
        empty="It has none."
        columns={[
          { heading: 'Line', cell: (line) => <Said>{line.name}</Said> },
          { heading: 'Id there', cell: ({ package_id }) => idOf(native?.lines[package_id]) },
          {
            heading: 'Budget',
            isNumber: true,
            cell: (line) => <Money of={formatMoney(line.budget_minor, order.currency)} currency={order.currency} />,
          },
          {
            heading: 'Runs',
            cell: (line) => (
              <>
                <Day at={line.start} />
                {' to '}
                <Day at={line.end} />
              </>
            ),
          },
          { heading: 'Told as', cell: (line) => <State of={line.state} /> },
          {
            heading: 'Stands there as',
            cell: ({ package_id }) => {
              const line = seen.get(package_id);
              return (
                line !== undefined && (
                  <>
                    <State of={line.state} />
                    {line.by_hand && ' by a person there'}
                  </>
                )
              );
            },
          },
          { heading: 'Lacks', cell: ({ package_id }) => seen.get(package_id)?.missing.join(', ') },
          {
            heading: 'Impressions there',
            isNumber: true,
            cell: ({ package_id }) => {
              const counts = seen.get(package_id)?.counts;
              return counts !== undefined && <Count of={counts.impressions} />;
            },
          },
        ]}
      />
    </>
  );
}

function idOf(id: string | undefined): Markup {
  return id === undefined ? <></> : <IdLink of={id} />;
}

function Differences({ of: { differences } }: { of: OrderInFullView }): Markup {
  return (
    <>
      <h2>Otherwise there</h2>
      <Table
        caption="What stands otherwise at the ad server"
        rows={differences}
        empty="Nothing, as last seen."
        columns={[
          { heading: 'What', cell: ({ pointer }) => <span class="id">{pointer}</span> },
          { heading: 'As told', isWide: true, cell: ({ ours }) => <Said>{JSON.stringify(ours)}</Said> },
          { heading: 'As seen', isWide: true, cell: ({ theirs }) => <Said>{JSON.stringify(theirs)}</Said> },
        ]}
      />
    </>
  );
}

function OverDelivery({ of: { over_delivery, order } }: { of: OrderInFullView }): Markup {
  if (over_delivery.length === 0) return <></>;
  return (
    <>
      <h2>Delivered beyond what is billed</h2>
      <Table
        caption="What packages delivered beyond what is billed"
        rows={over_delivery}
        empty=""
        columns={[
          { heading: 'Package', cell: (one) => <span class="id">{one.package_id}</span> },
          { heading: 'Impressions', isNumber: true, cell: (one) => <Count of={one.impressions} /> },
          { heading: 'Clicks', isNumber: true, cell: (one) => <Count of={one.clicks} /> },
          {
            heading: 'Worth',
            isNumber: true,
            cell: (one) => <Money of={formatMoney(one.spend_minor, order.currency)} currency={order.currency} />,
          },
        ]}
      />
    </>
  );
}
