import { attemptDelivery, resendDelivery, showDelivery, showDeliveryBody } from '../../operator/webhooks/deliveries.ts';
import { adviceFor } from '../../../webhooks/buyer/advice.ts';
import { ResendableState } from '../../../webhooks/delivery/delivery.ts';
import type { ConsolePage } from '../console-page.ts';
import { BuyerFact } from '../parts/buyer-of.tsx';
import { Advice } from '../parts/advice.tsx';
import { ActionForm } from '../parts/action-form.tsx';
import { AttemptsTable } from '../parts/attempts-table.tsx';
import { queryOf } from '../parts/paging.tsx';
import { ReceiverSaid } from '../parts/receiver-said.tsx';
import { SentBytes } from '../parts/sent-bytes.tsx';
import { Facts } from '../parts/table.tsx';
import { IdLink, pageOfId, State, Said, When } from '../parts/words.tsx';
import { registrationsTable } from './registrations.tsx';

/** One webhook with every attempt: why it fails, and what may be done. */
export const deliveryPage: ConsolePage = {
  path: '/webhooks/:delivery_id',
  topics: ['deliveries'],
  async show(call) {
    const { params, read, now } = call;
    const [delivery, sent] = await Promise.all([
      read(showDelivery, { params: { ...params } }),
      read(showDeliveryBody, { params: { ...params } }),
    ]);
    const { delivery_id, state, attempts } = delivery;
    const last = attempts.at(-1);
    const advice = state === 'delivered' ? undefined : last && adviceFor(last);
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/webhooks">Webhooks</a>
          {` / ${delivery_id}`}
        </p>
        <h1>{`Webhook of ${delivery.task_type.replaceAll('_', ' ')}: ${delivery.event.replaceAll('_', ' ')}`}</h1>
        <Advice of={advice} last={last} />
        {state === 'pending' && advice !== undefined && (
          <p>
            {'It is tried again by itself. Once the receiver is mended, '}
            <a href={`/admin${pageOfId('/webhooks/receivers', delivery.destination)}`}>its page</a>
            {' says what it answered of late, where that is kept, and sends what waits at once.'}
          </p>
        )}
        <Facts
          of={[
            ['State', <State of={state} />],
            ['Address', <Said>{delivery.url}</Said>],
            [
              'Receiver',
              <>
                <a href={`/admin${pageOfId('/webhooks/receivers', delivery.destination)}`}>
                  <Said>{delivery.destination}</Said>
                </a>
                {', '}
                <a href={`/admin/webhooks${queryOf({ destination: delivery.destination })}`}>all of its webhooks</a>
              </>,
            ],
            ['Buyer', <BuyerFact of={delivery} />],
            ['Task', <IdLink of={delivery.task_id} to={pageOfId('/tasks', delivery.task_id)} />],
            [
              'Media buy',
              delivery.subject_id !== null && (
                <IdLink of={delivery.subject_id} to={pageOfId('/buys', delivery.subject_id)} />
              ),
            ],
            ['Proved by', delivery.mode],
            ['Idempotency key', <Said>{delivery.idempotency_key}</Said>],
            ['Made', <When at={delivery.created_at} now={now} />],
            ['Next attempt', delivery.next_attempt_at !== null && <When at={delivery.next_attempt_at} now={now} />],
            ['Kept until', <When at={delivery.expires_at} now={now} />],
          ]}
        />
        {state === 'pending' && (
          <div class="forms">
            <ActionForm call={call} operation={attemptDelivery} of={{ delivery_id }} label="Attempt now">
              <p>
                Its next attempt is now, and not after the time that it waits. It counts as one of those that it has.
              </p>
            </ActionForm>
          </div>
        )}
        {ResendableState.safeParse(state).success && (
          <div class="forms">
            <ActionForm call={call} operation={resendDelivery} of={{ delivery_id }} label="Send again now">
              <p>The same bytes; after 24 hours as a new event.</p>
            </ActionForm>
          </div>
        )}
        <SentBytes of={sent} />
        <h2>Attempts</h2>
        <AttemptsTable attempts={attempts} now={now} />
        <ReceiverSaid
          of={delivery.receiver_answer}
          {...{ delivery_id, now }}
          link={(id) => <IdLink of={id} to={pageOfId('/webhooks', id)} />}
        />
        {await registrationsTable(call, delivery.task_id)}
      </>
    );
    return { title: `Webhook ${delivery_id}`, body };
  },
};
