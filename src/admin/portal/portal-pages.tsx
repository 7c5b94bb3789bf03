import { DeliveryState, ResendableState } from '../../webhooks/delivery/delivery.ts';
import type { BuyerAttempt, BuyerDelivery, BuyerDeliveryDetail } from '../../webhooks/buyer/delivery-view.ts';
import type { SentBody } from '../../webhooks/delivery/sent-body.ts';
import type { DestinationHealth } from '../../webhooks/buyer/destination-health.ts';
import type { Markup } from '../console/html/markup.ts';
import { AttemptsTable } from '../console/parts/attempts-table.tsx';
import { Advice } from '../console/parts/advice.tsx';
import { Pages, queryOf, Tabs } from '../console/parts/paging.tsx';
import { ReceiverSaid } from '../console/parts/receiver-said.tsx';
import { SentBytes } from '../console/parts/sent-bytes.tsx';
import { Facts, Table } from '../console/parts/table.tsx';
import { headingOf, pageOfId, Said, State, When } from '../console/parts/words.tsx';
import { PORTAL } from './portal-shell.tsx';
import type { PortalPage } from './portal-shell.tsx';

interface ListOptions {
  query: { state?: DeliveryState | undefined; task_id?: string | undefined; cursor?: string | undefined };
  cursor: string | undefined;
  now: number;
}

/** What was sent to an organization, newest first. */
export function portalDeliveriesPage(rows: readonly BuyerDelivery[], { query, cursor, now }: ListOptions): PortalPage {
  const { state, task_id } = query;
  const body = (
    <>
      <h1>Webhooks</h1>
      {task_id !== undefined && (
        <p class="note">
          {'Of the task '}
          <Said>{task_id}</Said>
          {' alone. '}
          <a href={PORTAL}>Show all</a>
        </p>
      )}
      <Tabs
        label="Which webhooks"
        {...{ base: PORTAL, path: '', name: 'state', none: 'all', keeping: { task_id } }}
        choices={['all', ...DeliveryState.options]}
        chosen={state ?? 'all'}
      />
      <Table
        caption="Webhooks"
        rows={rows}
        empty="There are none. They are kept for 30 days."
        columns={[
          { heading: 'Webhook', cell: ({ delivery_id }) => <IdOfDelivery of={delivery_id} /> },
          { heading: 'State', cell: (one) => <State of={one.state} /> },
          { heading: 'Event', cell: (one) => eventOf(one) },
          { heading: 'Address', isWide: true, cell: (one) => <Said>{one.url}</Said> },
          { heading: 'Made', cell: (one) => <When at={one.created_at} now={now} /> },
          { heading: 'Tries', isNumber: true, cell: (one) => one.tries },
          { heading: 'Last answer', cell: (one) => <Said>{answerOf(one.last_attempt)}</Said> },
          {
            heading: 'Next',
            cell: (one) => one.next_attempt_at !== null && <When at={one.next_attempt_at} now={now} />,
          },
        ]}
      />
      <Pages base={PORTAL} path="" query={{ ...query }} cursor={cursor} />
      {rows.length > 0 && task_id === undefined && ResendableState.safeParse(state).success && (
        <p>
          <a href={`${PORTAL}/ranges/count${queryOf({ state })}`}>Count all of these, and send them again…</a>
        </p>
      )}
    </>
  );
  return { title: 'Webhooks', body, menu: '' };
}

/** One webhook with every attempt. `resend`: what the form needs, where it may be sent again by whoever looks. */
export function portalDeliveryPage(
  delivery: BuyerDeliveryDetail,
  { sent, now, resend, isDone }: { sent: SentBody; now: number; resend: Markup | undefined; isDone: boolean },
): PortalPage {
  const { delivery_id, state, attempts, task_id, media_buy_id, resend_of } = delivery;
  const last = attempts.at(-1);
  const advice = state === 'delivered' ? null : last?.advice;
  const body = (
    <>
      <p class="crumbs">
        <a href={PORTAL}>Webhooks</a>
        {` / ${delivery_id}`}
      </p>
      <h1>{headingOf(eventOf(delivery))}</h1>
      {isDone && (
        <p class="note" role="status" tabindex={-1} autofocus>
          It is being sent again.
        </p>
      )}
      <Advice of={advice} last={last} />
      <Facts
        of={[
          ['State', <State of={state} />],
          ['Address', <Said>{delivery.url}</Said>],
          ['Task', <a href={`${PORTAL}${queryOf({ task_id })}`}>{task_id}</a>],
          [
            'Where it was registered',
            <a href={`${PORTAL}/registrations${queryOf({ task_id })}`}>Registrations of the task</a>,
          ],
          ['Media buy', media_buy_id !== null && <Said>{media_buy_id}</Said>],
          ['Proved by', delivery.mode],
          ['Idempotency key', <Said>{delivery.idempotency_key}</Said>],
          ['Sent again of', resend_of !== null && <IdOfDelivery of={resend_of} />],
          ['Made', <When at={delivery.created_at} now={now} />],
          ['Next attempt', delivery.next_attempt_at !== null && <When at={delivery.next_attempt_at} now={now} />],
        ]}
      />
      {resend !== undefined && ResendableState.safeParse(state).success && (
        <div class="forms">
          <form class="act" method="post" action={`${PORTAL}${pageOfId('/deliveries', delivery_id)}/resend`}>
            {resend}
            <p>The same bytes; after 24 hours as a new event. 60 an hour.</p>
            <button>Send again now</button>
          </form>
        </div>
      )}
      <h2>Attempts</h2>
      <AttemptsTable attempts={attempts} now={now} />
      <ReceiverSaid of={delivery.receiver_answer} {...{ delivery_id, now }} link={(id) => <IdOfDelivery of={id} />} />
      <SentBytes of={sent} file={`${PORTAL}${pageOfId('/deliveries', delivery_id)}/body.json`} />
    </>
  );
  return { title: `Webhook ${delivery_id}`, body, menu: '' };
}

/** How an organization's receivers do, by what its own webhooks met there. */
export function portalReceiversPage(rows: readonly DestinationHealth[], now: number): PortalPage {
  const body = (
    <>
      <h1>Receivers</h1>
      <p class="quiet">By your 500 newest webhooks, and those that wait.</p>
      <Table
        caption="Receivers"
        rows={rows}
        empty="Nothing was sent to you yet."
        columns={[
          { heading: 'Receiver', isWide: true, cell: (one) => <Said>{one.destination}</Said> },
          { heading: 'State', cell: (one) => <State of={one.state} /> },
          { heading: 'Waiting', isNumber: true, cell: (one) => one.waiting },
          { heading: 'Delivered', isNumber: true, cell: ({ recent }) => recent.delivered },
          { heading: 'Over without', isNumber: true, cell: ({ recent }) => recent.over },
          { heading: 'Last taken', cell: (one) => <When at={one.last_success_at} now={now} /> },
          { heading: 'Last answer', cell: (one) => <Said>{answerOf(one.last_attempt)}</Said> },
          { heading: 'What to do', isWide: true, cell: (one) => <Said>{one.last_attempt?.advice}</Said> },
        ]}
      />
    </>
  );
  return { title: 'Receivers', body, menu: '/receivers' };
}

function IdOfDelivery({ of }: { of: string }): Markup {
  return (
    <a class="id" href={`${PORTAL}${pageOfId('/deliveries', of)}`}>
      {of}
    </a>
  );
}

function eventOf({ task_type, event }: Pick<BuyerDelivery, 'task_type' | 'event'>): string {
  return `${task_type} ${event}`.replaceAll('_', ' ');
}

function answerOf(last: BuyerAttempt | null): string {
  if (last === null) return '';
  return [last.http_status_code, last.error_message ?? last.status].filter((part) => part !== undefined).join(' ');
}
