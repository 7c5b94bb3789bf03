import { DeliveryState, ResendableState } from '../../../webhooks/delivery/delivery.ts';
import { listDeliveries } from '../../operator/webhooks/deliveries.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import { attemptWords } from '../parts/attempt-words.ts';
import { Pages, queryOf, Tabs } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { IdLink, pageOfId, State, Said, When } from '../parts/words.tsx';

/** What was sent to buyers, and what became of it, newest first. */
export const deliveriesPage: ConsolePage = {
  path: '/webhooks',
  menu: 'Webhooks',
  topics: ['deliveries'],
  list: { of: listDeliveries, rows: 'deliveries', query: byDefault },
  async show(call) {
    const { query, read, now } = call;
    const { task_id, organization_id, destination } = query;
    const { state } = byDefault(query);
    const { deliveries, cursor } = await read(listDeliveries, { query: { ...query, state } });
    const body = (
      <>
        <h1>Webhooks</h1>
        <p class="pages">
          <a href="/admin/webhooks/receivers">Receivers that are paused or have webhooks waiting</a>
          <a href="/admin/webhooks/range-count">Send many again</a>
        </p>
        {isOfSomething(query) && (
          <p class="note">
            {'Of '}
            <Said>{task_id ?? organization_id ?? destination}</Said>
            {' alone. '}
            <a href="/admin/webhooks">Show all</a>
          </p>
        )}
        <Tabs
          label="Which webhooks"
          path="/webhooks"
          name="state"
          choices={DeliveryState.options}
          chosen={state ?? ''}
          keeping={{ task_id, organization_id, destination }}
        />
        <Table
          caption="Webhooks"
          rows={deliveries}
          empty={
            state === 'pending'
              ? 'Nothing is on its way. A webhook is sent for every change of a task or media buy whose buyer registered an address with its call.'
              : 'There are none. They are kept for 30 days.'
          }
          columns={[
            {
              heading: 'Webhook',
              cell: (one) => <IdLink of={one.delivery_id} to={pageOfId('/webhooks', one.delivery_id)} />,
            },
            { heading: 'State', cell: (one) => <State of={one.state} /> },
            { heading: 'Event', cell: (one) => `${one.task_type} ${one.event}`.replaceAll('_', ' ') },
            { heading: 'Receiver', cell: (one) => <Said>{one.destination}</Said> },
            { heading: 'Made', cell: (one) => <When at={one.created_at} now={now} /> },
            { heading: 'Tries', isNumber: true, cell: (one) => one.attempts.length },
            { heading: 'Last answer', cell: (one) => <Said>{attemptWords(one.attempts.at(-1))}</Said> },
            {
              heading: 'Next',
              cell: (one) => one.next_attempt_at !== null && <When at={one.next_attempt_at} now={now} />,
            },
          ]}
        />
        <Pages path="/webhooks" query={query} cursor={cursor} />
        {ResendableState.safeParse(state).success && deliveries.length > 0 && (
          <p class="pages">
            <a href={`/admin/webhooks/range-count${queryOf({ state, task_id, organization_id, destination })}`}>
              Count all of these, to send them again
            </a>
          </p>
        )}
      </>
    );
    return { title: 'Webhooks', body };
  },
};

function isOfSomething({ task_id, organization_id, destination }: PageCall['query']): boolean {
  return task_id !== undefined || organization_id !== undefined || destination !== undefined;
}

/** What is on its way, where nothing else is asked for. */
function byDefault(query: PageCall['query']): Record<string, string | undefined> {
  return { state: isOfSomething(query) ? undefined : 'pending', ...query };
}
