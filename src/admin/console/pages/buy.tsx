import type { BuyInFullView } from '../../operator/buys/buy-view.ts';
import { DAY_MS } from '../../../platform/hours.ts';
import { askForBuysReport, cancelBuy, holdBuy, releaseBuy } from '../../operator/buys/actions.ts';
import { showBuy } from '../../operator/buys/operations.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { BuyerFact } from '../parts/buyer-of.tsx';
import { PacingChart } from '../parts/pacing-chart.tsx';
import type { FlightSpend } from '../parts/pacing-chart.tsx';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { phraseOf, TypedField } from '../parts/fields.tsx';
import { DayBars } from '../parts/day-bars.tsx';
import { standingColumns } from '../parts/package-columns.tsx';
import { queryOf } from '../parts/paging.tsx';
import { priceOfPackage } from '../parts/price-words.ts';
import { Facts, Table } from '../parts/table.tsx';
import { SaidBesides, saidFacts } from '../parts/said-of-buy.tsx';
import { termsWords } from '../parts/terms-words.ts';
import { Count, Day, IdLink, Money, pageOfId, State, Said, When, Who } from '../parts/words.tsx';

/** One media buy: what was sold, what it has delivered, and what happened. */
export const buyPage: ConsolePage = {
  path: '/buys/:media_buy_id',
  topics: ['buys'],
  async show(call) {
    const { params, read, now } = call;
    const buy = await read(showBuy, { params: { ...params } });
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/buys">Media buys</a>
          {` / ${buy.media_buy_id}`}
        </p>
        <h1>
          <Said>{buy.buyer_ref}</Said>
        </h1>
        <Head buy={buy} now={now} />
        <Actions call={call} buy={buy} />
        <h2>Pacing</h2>
        <PacingChart pacing={pacingOf(buy)} />
        <Delivered buy={buy} />
        <Packages buy={buy} />
        <SaidBesides buy={buy} />
        <Impairments buy={buy} now={now} />
        <History buy={buy} now={now} />
      </>
    );
    return { title: buy.buyer_ref, body };
  },
};

function pacingOf({
  total_budget: budget,
  currency,
  start_time,
  end_time,
  recorded_until,
  days,
}: BuyInFullView): FlightSpend {
  const atMs = Date.parse(recorded_until);
  return {
    ...{ budget, currency, atMs, startMs: Date.parse(start_time), endMs: Date.parse(end_time) },
    spent: days.map(({ day, spent_so_far }) => {
      const endOfDayMs = Date.parse(day) + DAY_MS;
      return { atMs: Math.min(endOfDayMs, Math.max(atMs, Date.parse(day))), amount: spent_so_far };
    }),
  };
}

/** How far its delivery has come, where that is not now: the simulated ad server may go faster (`SIM_SPEED`). */
function standsAt({ flight_at }: BuyInFullView, now: number): Markup {
  if (Math.abs(Date.parse(flight_at) - now) < 60_000) return <></>;
  return (
    <>
      {', which the simulated ad server plays faster: it is at '}
      <Day at={flight_at} />
    </>
  );
}

function Head({ buy, now }: { buy: BuyInFullView; now: number }): Markup {
  const spent = buy.delivered.reduce((sum, { spend }) => sum + spend, 0);
  return (
    <Facts
      of={[
        [
          'State',
          <>
            <State of={buy.status} />
            {buy.resumes === true && ' resumed by its buyer: it runs once nothing is left to wait for'}
            {buy.pending_reason !== undefined && ` waits for ${buy.pending_reason.replaceAll('_', ' ')}`}
          </>,
        ],
        [
          'Held back',
          buy.on_hold && (
            <>
              <Said>{buy.on_hold.reason}</Said> (<Who of={buy.on_hold.by} />, <When at={buy.on_hold.at} now={now} />)
            </>
          ),
        ],
        ['Health', buy.health === 'ok' ? 'ok' : <State of={buy.health} />],
        ['Buyer', <BuyerFact of={buy} />],
        [
          'Account',
          buy.account_id !== undefined && (
            <IdLink of={buy.account_id} to={pageOfId('/buyer-accounts', buy.account_id)} />
          ),
        ],
        ...saidFacts(buy),
        ['Budget', <Money of={buy.total_budget} currency={buy.currency} />],
        ['Spent', <Money of={spent} currency={buy.currency} />],
        [
          'Flight',
          <>
            <Day at={buy.start_time} />
            {' to '}
            <Day at={buy.end_time} />
            {standsAt(buy, now)}
          </>,
        ],
        [
          'Ad server',
          <>
            <a href={`/admin${pageOfId('/orders', buy.media_buy_id)}`}>its order there</a>
            {buy.waits_for_ad_server && ' has something to be told still'}
          </>,
        ],
        [
          'How it did',
          <a href={`/admin/performance-feedback${queryOf({ media_buy_id: buy.media_buy_id })}`}>what its buyer says</a>,
        ],
        ['Change under way', buy.pending_change && 'yes: until the ad server has answered, the old terms hold'],
        [
          'Approvals',
          <a href={`/admin/approvals${queryOf({ status: 'all', media_buy_id: buy.media_buy_id })}`}>those it took</a>,
        ],
        [
          'Webhooks',
          <a href={`/admin/webhooks${queryOf({ media_buy_id: buy.media_buy_id })}`}>
            those of its tasks and its reports
          </a>,
        ],
        ['Made by', <IdLink of={buy.task_id} to={pageOfId('/tasks', buy.task_id)} />],
        ['Buyer may', buy.valid_actions.join(', ').replaceAll('_', ' ')],
      ]}
    />
  );
}

/** What can be done with it as it stands. */
function Actions({
  call,
  buy: { media_buy_id, buyer_ref, valid_actions, on_hold },
}: {
  call: PageCall;
  buy: BuyInFullView;
}): Markup {
  if (!valid_actions.includes('cancel')) return <></>;
  const of = { media_buy_id };
  return (
    <div class="forms">
      <ActionForm call={call} operation={askForBuysReport} of={of} label="Report now">
        <p>The ad server is asked in a moment what it has delivered in the hours that are over.</p>
      </ActionForm>
      {on_hold === undefined ? (
        <ActionForm call={call} operation={holdBuy} of={of} label="Hold it back">
          <p>Nothing of it runs until it is released, whatever its buyer asks.</p>
          <WordsField name="reason" label="Why it is held back" hint="The buyer is told it." isNeeded />
        </ActionForm>
      ) : (
        <ActionForm call={call} operation={releaseBuy} of={of} label="Release it">
          <p>It goes on as its buyer last asked: what ran runs again.</p>
        </ActionForm>
      )}
      <ActionForm call={call} operation={cancelBuy} of={of} label="Cancel the media buy" isFinal>
        <p>It ends at the ad server, and nothing brings it back.</p>
        <WordsField name="reason" label="Reason" hint="The buyer is told it." isNeeded />
        <TypedField name="confirm" phrase={phraseOf(buyer_ref, media_buy_id)} />
      </ActionForm>
    </div>
  );
}

function Delivered({ buy }: { buy: BuyInFullView }): Markup {
  return (
    <>
      <h2>Delivered by day</h2>
      {buy.days.length === 0 ? (
        <p class="empty">
          Nothing is recorded yet. Once the flight has begun, each hour is asked for when it is over, on the clock of
          UTC.
        </p>
      ) : (
        <DayBars days={buy.days} currency={buy.currency} />
      )}
    </>
  );
}

function Packages({ buy }: { buy: BuyInFullView }): Markup {
  const by = new Map(buy.delivered.map((one) => [one.package_id, one]));
  const estimates = new Map(buy.said_of_packages?.map((one) => [one.package_id, one.agency_estimate_number]));
  const terms = new Map(buy.agreed_terms?.map((one) => [one.package_id, termsWords(one.measurement_terms)]));
  return (
    <>
      <h2>Packages</h2>
      <Table
        caption="Packages"
        rows={buy.packages}
        empty="It has no packages."
        columns={[
          { heading: 'Package', cell: (line) => <IdLink of={line.package_id} /> },
          { heading: 'Product', cell: (line) => <Said>{line.product_name}</Said> },
          { heading: 'Price', cell: (line) => priceOfPackage(line, buy.currency) },
          { heading: 'Budget', isNumber: true, cell: (line) => <Money of={line.budget} currency={buy.currency} /> },
          {
            heading: 'Spent',
            isNumber: true,
            cell: (line) => <Money of={by.get(line.package_id)?.spend ?? 0} currency={buy.currency} />,
          },
          {
            heading: 'Impressions',
            isNumber: true,
            cell: (line) => <Count of={by.get(line.package_id)?.impressions ?? 0} />,
          },
          { heading: 'Clicks', isNumber: true, cell: (line) => <Count of={by.get(line.package_id)?.clicks ?? 0} /> },
          { heading: 'Creatives', cell: (line) => <Said>{line.creative_ids.join(', ')}</Said> },
          ...([...estimates.values()].some((one) => one !== undefined)
            ? [
                {
                  heading: 'Agency estimate',
                  cell: (line: BuyInFullView['packages'][number]) => <Said>{estimates.get(line.package_id)}</Said>,
                },
              ]
            : []),
          ...(terms.size > 0
            ? [
                {
                  heading: 'Terms',
                  cell: (line: BuyInFullView['packages'][number]) => <Said>{terms.get(line.package_id)}</Said>,
                },
              ]
            : []),
          ...standingColumns(buy.packages),
        ]}
      />
    </>
  );
}

function Impairments({ buy: { impairments }, now }: { buy: BuyInFullView; now: number }): Markup {
  if (impairments.length === 0) return <></>;
  return (
    <>
      <h2>What impairs it</h2>
      <Table
        caption="Impairments"
        rows={impairments}
        empty="Nothing."
        columns={[
          { heading: 'Since', cell: (one) => <When at={one.observed_at} now={now} /> },
          { heading: 'What', cell: (one) => <Said>{`${one.resource_type} ${one.resource_id}`}</Said> },
          { heading: 'Why', cell: (one) => <Said>{one.reason}</Said> },
          { heading: 'Packages', cell: (one) => <Said>{one.package_ids.join(', ')}</Said> },
        ]}
      />
    </>
  );
}

function History({ buy: { history }, now }: { buy: BuyInFullView; now: number }): Markup {
  return (
    <>
      <h2>History</h2>
      <Table
        caption="History, newest first"
        rows={history.toReversed()}
        empty="Nothing has happened."
        columns={[
          { heading: 'When', cell: (event) => <When at={event.at} now={now} /> },
          { heading: 'Who', cell: (event) => event.actor },
          { heading: 'What', cell: (event) => event.action.replaceAll('_', ' ') },
          { heading: 'State', cell: (event) => <State of={event.to_status} /> },
          { heading: 'Note', cell: (event) => <Said>{event.note}</Said> },
          {
            heading: 'Task',
            cell: (event) =>
              event.task_id !== undefined && <IdLink of={event.task_id} to={pageOfId('/tasks', event.task_id)} />,
          },
        ]}
      />
    </>
  );
}
