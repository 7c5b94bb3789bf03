import { instantsOfDays } from '../../../platform/hours.ts';
import { DeliveryState, ResendableState } from '../../../webhooks/delivery/delivery.ts';
import { AnswerAsked } from '../../../webhooks/delivery/last-answer.ts';
import { listDeliveries } from '../../operator/webhooks/deliveries.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import { attemptWords } from '../parts/attempt-words.ts';
import { BUYER_FIELD, FilterBar } from '../parts/filter-bar.tsx';
import type { FilterField } from '../parts/filter-bar.tsx';
import { Pages, queryOf, Tabs } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { IdLink, pageOfId, State, Said, When } from '../parts/words.tsx';

const FIELDS: readonly FilterField[] = [
  BUYER_FIELD,
  { name: 'destination', label: 'Receiver', kind: 'text', hint: 'https://buyer.example' },
  { name: 'task_id', label: 'Task’s id', kind: 'text' },
  { name: 'media_buy_id', label: 'Media buy’s id', kind: 'text' },
  {
    ...{ name: 'answer', label: 'Last answer', kind: 'choice' },
    choices: AnswerAsked.options.map((one) => [one, one === 'none' ? 'none came' : one] as const),
  },
  { name: 'since', label: 'From', kind: 'day' },
  { name: 'to', label: 'To', kind: 'day' },
];
const NOTE =
  'Those made from the first day to the last, of UTC, with both. They are kept for 30 days. A last answer goes with a buyer or a receiver, but not with both, and not with a task; a media buy goes with days alone; of what an earlier release sent only 2xx is known.';

/** What was sent to buyers, and what became of it, newest first. */
export const deliveriesPage: ConsolePage = {
  path: '/webhooks',
  menu: 'Webhooks',
  topics: ['deliveries'],
  list: { of: listDeliveries, rows: 'deliveries', query: byDefault },
  async show(call) {
    const { query, read, now } = call;
    const { task_id, media_buy_id, organization_id, destination, answer, since, to } = query;
    const asked = byDefault(query);
    const { state, from, until } = asked;
    const { deliveries, cursor } = await read(listDeliveries, { query: asked });
    // It may have been given by name.
    const itsId = organization_id && deliveries[0]?.organization_id;
    const body = (
      <>
        <h1>Webhooks</h1>
        <p class="pages">
          <a href="/admin/webhooks/receivers">Receivers that are paused or have webhooks waiting</a>
          <a href="/admin/webhooks/range-count">Send many again</a>
        </p>
        {media_buy_id === undefined && (
          <Tabs
            label="Which webhooks"
            path="/webhooks"
            name="state"
            choices={DeliveryState.options}
            chosen={state ?? ''}
            keeping={{ task_id, organization_id, destination, answer, since, to }}
          />
        )}
        <FilterBar path="/webhooks" query={query} fields={FIELDS} keeping={{ state: query['state'] }} note={NOTE} />
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
        {ResendableState.safeParse(state).success && answer === undefined && deliveries.length > 0 && (
          <p class="pages">
            <a
              href={`/admin/webhooks/range-count${queryOf({ state, task_id, organization_id: itsId, destination, from, until })}`}
            >
              Count all of these, to send them again
            </a>
          </p>
        )}
      </>
    );
    return { title: 'Webhooks', body };
  },
};

function isOfSomething({ task_id, media_buy_id, organization_id, destination, answer }: PageCall['query']): boolean {
  return [task_id, media_buy_id, organization_id, destination, answer].some((one) => one !== undefined);
}

/** What is on its way, where nothing else is asked for; days as the instants that they begin and end with. */
function byDefault({ since, to, ...query }: PageCall['query']): Record<string, string | undefined> {
  const { gte: from, lt: until } = instantsOfDays({ since, until: to });
  return {
    state: isOfSomething(query) ? undefined : 'pending',
    ...query,
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  };
}
