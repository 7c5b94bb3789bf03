import { z } from 'zod';
import { AttemptAhead } from '../../../webhooks/delivery/attempt-now.ts';
import type { DeliveryFilter } from '../../../webhooks/delivery/delivery-filter.ts';
import { DeliveryState } from '../../../webhooks/delivery/delivery.ts';
import { Destination, AskedInstant } from '../../../webhooks/delivery/filter-fields.ts';
import { AnswerAsked } from '../../../webhooks/delivery/last-answer.ts';
import { Resent } from '../../../webhooks/delivery/resend.ts';
import { SentBody } from '../../../webhooks/delivery/sent-body.ts';
import { DeliveryInFull, DeliveryView } from '../../../webhooks/operator.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { AppError } from '../../../platform/errors.ts';
import { namesOf, Whose, whose } from '../buys/buy-view.ts';
import { BuyerAsked, Id, IdOfMediaBuy, pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';

/** What a list of webhooks, and a range of them, is chosen by besides their state. */
export const deliveryFilterFields = {
  destination: Destination.optional(),
  organization_id: BuyerAsked.optional(),
  task_id: Id.optional(),
  /** Made then or later. */
  from: AskedInstant.optional(),
  /** Made before. */
  until: AskedInstant.optional(),
};

/** Webhooks on their way or over, newest first, each with its attempts. */
export const listDeliveries = operation({
  method: 'get',
  path: '/webhooks/deliveries',
  summary: 'Show webhooks, newest first.',
  role: 'viewer',
  query: z.strictObject({
    state: DeliveryState.optional(),
    /** How the last attempt was answered; of what an earlier release sent only `2xx` is known. */
    answer: AnswerAsked.optional(),
    ...deliveryFilterFields,
    /** Those of its tasks and of its reports. Goes with `from` and `until` alone. */
    media_buy_id: IdOfMediaBuy.optional(),
    ...pageQuery,
  }),
  answer: z.object({ deliveries: z.array(DeliveryView), ...pageView }),
  async handle({ query: { limit, cursor, media_buy_id, ...filter } }, { webhooks, sales }) {
    let meant: DeliveryFilter = filter;
    if (media_buy_id !== undefined) {
      refuseBeside(filter);
      const buy = await sales.mediaBuys.get(media_buy_id);
      if (buy === undefined) return { deliveries: [], ...pageEnd(undefined) };
      meant = { ...filter, organization_id: buy.organization_id, subject_id: media_buy_id };
    }
    const page = await webhooks.operator.list(meant, { limit, after: cursor });
    return { deliveries: page.rows, ...pageEnd(page.cursor) };
  },
});

/** @throws {AppError} `VALIDATION_ERROR` for what no index has beside a media buy. */
function refuseBeside({ from: _from, until: _until, ...others }: DeliveryFilter): void {
  const field = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
  if (field === undefined) return;
  throw new AppError('VALIDATION_ERROR', `media_buy_id: not together with ${field}`, { field });
}

const DeliveryPath = z.strictObject({ delivery_id: Id });

export const showDelivery = operation({
  method: 'get',
  path: '/webhooks/deliveries/:delivery_id',
  summary: 'Show a webhook with its attempts, and what its receiver said when it last failed.',
  role: 'viewer',
  params: DeliveryPath,
  answer: DeliveryInFull.extend({ organization_name: Whose.shape.organization_name }),
  async handle({ params }, { webhooks, store }) {
    const delivery = await webhooks.operator.inspect(params.delivery_id);
    const names = await namesOf(store, [delivery.organization_id]);
    return { ...whose(delivery.organization_id, names), ...delivery };
  },
});

export const showDeliveryBody = operation({
  method: 'get',
  path: '/webhooks/deliveries/:delivery_id/body',
  summary: "Show what a webhook sends, to the byte, but for the buyer's token.",
  role: 'viewer',
  params: DeliveryPath,
  answer: SentBody,
  handle: ({ params }, { webhooks }) => webhooks.operator.body(params.delivery_id),
});

/** Sends one again now (rule W7). */
export const resendDelivery = operation({
  method: 'post',
  path: '/webhooks/deliveries/:delivery_id/resend',
  summary: 'Send a webhook again now.',
  role: 'operator',
  action: 'webhooks.resend',
  done: ({ is_new_event }) => (is_new_event ? 'It is sent again, as a new event.' : 'It is sent again.'),
  params: DeliveryPath,
  answer: Resent,
  handle: ({ params }, { webhooks }) => webhooks.operator.resend(params.delivery_id),
});

/** Does not wait for the schedule (rule W7), and ends no sooner or later for it: it is one of the attempts that there are. */
export const attemptDelivery = operation({
  method: 'post',
  path: '/webhooks/deliveries/:delivery_id/attempt',
  summary: 'Attempt a webhook now that waits for its next attempt: the same bytes, and one attempt of those it has.',
  role: 'operator',
  action: 'webhooks.attempt',
  done: ({ attempt }) => `Attempt ${attempt} is made now.`,
  params: DeliveryPath,
  answer: AttemptAhead,
  handle: ({ params }, { webhooks }) => webhooks.operator.attemptNow(params.delivery_id),
});
