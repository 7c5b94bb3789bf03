import { z } from 'zod';
import { toTimestamp } from '../../../platform/clock.ts';
import { AppError } from '../../../platform/errors.ts';
import { ResendableState } from '../../../webhooks/delivery/delivery.ts';
import { RangeCounted } from '../../../webhooks/delivery/count-range.ts';
import { RangeLeftOut, leftOutOf } from '../../../webhooks/delivery/resend-ranges.ts';
import { knownBuyer } from '../buyers/operations.ts';
import { Id, IdOfOrganization } from '../fields.ts';
import { operation } from '../operation.ts';
import type { OperatorDeps } from '../operation.ts';
import { deliveryFilterFields } from './deliveries.ts';
import { ResendRange, ResendRanges, sendRange } from './resend-range.ts';
import type { RangeFilter } from './resend-range.ts';

/** So many are counted; more are sent all the same. */
export const MOST_RANGE_COUNTED = 20_000;

const RangeFields = z.strictObject({ state: ResendableState, ...deliveryFilterFields });
/** What is done to a buyer's webhooks is done by its id alone. */
const RangeToResend = RangeFields.extend({ organization_id: IdOfOrganization.optional() });

const RangeCountView = RangeCounted.extend({
  count: z.int().describe(`At most ${MOST_RANGE_COUNTED + 1}: no further is counted`),
  is_more: z.boolean().describe(`More than ${MOST_RANGE_COUNTED}, which are sent all the same`),
  until: z.string().describe('Send it with the range: what is made later is not part of it'),
});
export type RangeCountView = z.infer<typeof RangeCountView>;

/** What a range would be; nothing is sent. */
export const countOneRange = operation({
  method: 'get',
  path: '/webhooks/range-count',
  summary: 'Count the webhooks that a range would send again: how many, how old, for which registrations.',
  role: 'viewer',
  query: RangeFields,
  answer: RangeCountView,
  handle: ({ query }, deps) => counted(deps, query),
});

/** How far a range has come: `resent` so many of `total`, what it left out and why, and whether that is all. */
export const RangeView = z.object({
  ...z
    .object(ResendRange.shape)
    .pick({ range_id: true, by: true, asked_at: true, resent: true, failed: true })
    .extend({ total: z.int().nullable(), left_out: RangeLeftOut }).shape,
  filter: z.object(ResendRange.shape.filter.shape),
  is_over: z.boolean(),
});
export type RangeView = z.infer<typeof RangeView>;

/** Whoever asks waits so long at most, in milliseconds, and then looks how far it has come. */
const WAITS_MS = 1_000;

/** Sends again all that is over and fits; `is_over: false` says that the agent goes on with the rest by itself. */
export const resendRange = operation({
  method: 'post',
  path: '/webhooks/ranges/resend',
  summary: 'Send again all webhooks that are over and fit, oldest first.',
  role: 'operator',
  action: 'webhooks.resend_range',
  done: () => 'The range is on its way.',
  body: RangeToResend,
  answer: RangeView,
  async handle({ body }, deps) {
    if (body.organization_id !== undefined) await knownBuyer(deps.store, body.organization_id);
    const range_id = deps.action_id.replace(/^act_/, 'rng_');
    const { count, is_more, until } = await counted(deps, body);
    const range = { range_id, filter: { ...body, until }, by: deps.by, total: is_more ? null : count };
    return rangeView(await sendRange(deps, range, WAITS_MS));
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

async function counted({ webhooks, clock }: OperatorDeps, filter: RangeFilter): Promise<RangeCountView> {
  const now = toTimestamp(clock.now());
  const until = filter.until !== undefined && filter.until < now ? filter.until : now;
  const meant = await webhooks.operator.countRange({ ...filter, until }, MOST_RANGE_COUNTED);
  return { ...meant, is_more: meant.count > MOST_RANGE_COUNTED, until };
}

function rangeView(range: ResendRange): RangeView {
  const { range_id, filter, by, asked_at, total, resent, failed, worked_at } = range;
  const is_over = worked_at === null;
  const left_out = leftOutOf(range, { total, isAtItsEnd: is_over });
  return { range_id, filter, by, asked_at, total, resent, failed, left_out, is_over };
}
