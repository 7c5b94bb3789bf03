import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { DeliveryState, ResendableState } from '../../../webhooks/delivery/delivery.ts';
import { Destination, AskedInstant } from '../../../webhooks/delivery/filter-fields.ts';
import { Resent } from '../../../webhooks/delivery/resend.ts';
import { SentBody } from '../../../webhooks/delivery/sent-body.ts';
import { DeliveryView } from '../../../webhooks/operator.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { Id, IdOfOrganization, pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';
import { ResendRange, ResendRanges, sendRange } from './resend-range.ts';

const filterFields = {
  destination: Destination.optional(),
  organization_id: IdOfOrganization.optional(),
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
  query: z.strictObject({ state: DeliveryState.optional(), ...filterFields, ...pageQuery }),
  answer: z.object({ deliveries: z.array(DeliveryView), ...pageView }),
  async handle({ query: { limit, cursor, ...filter } }, { webhooks }) {
    const page = await webhooks.operator.list(filter, { limit, after: cursor });
    return { deliveries: page.rows, ...pageEnd(page.cursor) };
  },
});

const DeliveryPath = z.strictObject({ delivery_id: Id });

export const showDelivery = operation({
  method: 'get',
  path: '/webhooks/deliveries/:delivery_id',
  summary: 'Show a webhook with its attempts.',
  role: 'viewer',
  params: DeliveryPath,
  answer: DeliveryView,
  handle: ({ params }, { webhooks }) => webhooks.operator.inspect(params.delivery_id),
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
  params: DeliveryPath,
  answer: Resent,
  handle: ({ params }, { webhooks }) => webhooks.operator.resend(params.delivery_id),
});

/** How far a range has come: `resent` so many, and whether that is all. */
export const RangeView = z.object({
  ...z.object(ResendRange.shape).pick({ range_id: true, by: true, asked_at: true, resent: true, failed: true }).shape,
  filter: z.object(ResendRange.shape.filter.shape),
  is_over: z.boolean(),
});
export type RangeView = z.infer<typeof RangeView>;

/** Sends again all that is over and fits; `is_over: false` says that the agent goes on with the rest by itself. */
export const resendRange = operation({
  method: 'post',
  path: '/webhooks/ranges/resend',
  summary: 'Send again all webhooks that are over and fit, oldest first.',
  role: 'operator',
  action: 'webhooks.resend_range',
  body: z.strictObject({ state: ResendableState, ...filterFields }),
  answer: RangeView,
  async handle({ body }, deps) {
    const range_id = deps.action_id.replace(/^act_/, 'rng_');
    return rangeView(await sendRange(deps, { range_id, filter: body, by: deps.by }));
  },
});

/** How far a range has come. */
export const showRange = operation({
  method: 'get',
  path: '/webhooks/ranges/:range_id',
  summary: 'Show how far a range that is sent again has come.',
  role: 'viewer',
  params: z.strictObject({ range_id: Id }),
  answer: RangeView,
  async handle({ params }, { store }) {
    const range = await store.collection(ResendRanges).get(params.range_id);
    if (range === undefined) throw new AppError('NOT_FOUND', 'no range has this id', { field: 'range_id' });
    return rangeView(range);
  },
});

function rangeView({ range_id, filter, by, asked_at, resent, failed, worked_at }: ResendRange): RangeView {
  return { range_id, filter, by, asked_at, resent, failed, is_over: worked_at === null };
}
