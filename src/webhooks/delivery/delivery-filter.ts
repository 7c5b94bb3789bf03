import { AppError } from '../../platform/errors.ts';
import type { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Where } from '../../platform/store/collection.ts';
import { DeliveryState } from './delivery.ts';
import type { Delivery } from './delivery.ts';
import type { AnswerAsked } from './last-answer.ts';

/** Which deliveries are meant; at least one of the first five must be given. */
export interface DeliveryFilter {
  state?: DeliveryState | undefined;
  destination?: string | undefined;
  organization_id?: OrganizationId | undefined;
  /** See `Delivery`. */
  task_id?: string | undefined;
  /** The media buy that it concerns, which is of `organization_id`: goes with that, and days, alone. */
  subject_id?: MediaBuyId | undefined;
  /** How its last attempt was answered: goes with one of `destination` and `organization_id`, and not with `task_id`. */
  answer?: AnswerAsked | undefined;
  /** Created then or later, and before: timestamps. */
  from?: string | undefined;
  until?: string | undefined;
}

/** The rows that a filter means. @throws {AppError} `INVALID_REQUEST` for one that would mean all, `VALIDATION_ERROR` for what no index carries. Pure. */
export function deliveriesMeant(filter: DeliveryFilter): Where<Delivery> {
  const { answer, from, until } = filter;
  const created_at = { gte: from ?? '0', ...(until !== undefined && { lt: until }) };
  const given: Where<Delivery> = { ...chosen(filter), ...(answer !== undefined && answeredSo(filter, answer)) };
  const fields = Object.keys(given);
  if (fields.length === 0) {
    throw new AppError(
      'INVALID_REQUEST',
      'choose deliveries by state, answer, destination, organization_id or task_id',
      {
        field: 'state',
      },
    );
  }
  // In each state, for so the indexes have what goes to one destination, or was answered so, in the order of time.
  const isInAnyState = given.state === undefined && (fields.join() === 'destination' || 'last_answer' in given);
  return { created_at, ...(isInAnyState && { state: { in: DeliveryState.options } }), ...given };
}

function chosen({ state, destination, organization_id, task_id, subject_id }: DeliveryFilter): Where<Delivery> {
  return {
    ...(state !== undefined && { state }),
    ...(destination !== undefined && { destination }),
    ...(organization_id !== undefined && { organization_id }),
    ...(task_id !== undefined && { task_id }),
    ...(subject_id !== undefined && { subject_id }),
  };
}

/** What was answered with 2xx is delivered. */
function answeredSo(
  { state, destination, organization_id, task_id }: DeliveryFilter,
  answer: AnswerAsked,
): Where<Delivery> {
  const refused = (field: string, message: string) => new AppError('VALIDATION_ERROR', message, { field });
  if (task_id !== undefined) throw refused('task_id', 'answer: not together with task_id');
  if (destination !== undefined && organization_id !== undefined)
    throw refused('destination', 'answer: together with destination or with organization_id, not with both');
  if (answer !== '2xx') return { last_answer: answer, has_failed: true };
  if (state !== undefined && state !== 'delivered')
    throw refused('state', 'answer: what was answered with 2xx is delivered, so leave the state out');
  return { state: 'delivered' };
}
