import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Where } from '../../platform/store/collection.ts';
import { DeliveryState } from './delivery.ts';
import type { Delivery } from './delivery.ts';

/** Which deliveries are meant; at least one of the first four must be given. */
export interface DeliveryFilter {
  state?: DeliveryState | undefined;
  destination?: string | undefined;
  organization_id?: OrganizationId | undefined;
  /** See `Delivery`. */
  task_id?: string | undefined;
  /** Created then or later, and before: timestamps. */
  from?: string | undefined;
  until?: string | undefined;
}

/** The rows that a filter means. @throws {AppError} `INVALID_REQUEST` for one that would mean all. Pure. */
export function deliveriesMeant(filter: DeliveryFilter): Where<Delivery> {
  const { state, destination, organization_id, task_id, from, until } = filter;
  const where: Where<Delivery> = { created_at: { gte: from ?? '0', ...(until !== undefined && { lt: until }) } };
  const given = Object.entries({ state, destination, organization_id, task_id }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length === 0) {
    throw new AppError('INVALID_REQUEST', 'choose deliveries by state, destination, organization_id or task_id', {
      field: 'state',
    });
  }
  // In each state, for so the index has what goes to one destination in the order of time.
  const isOfDestination = given.length === 1 && destination !== undefined;
  return { ...where, ...(isOfDestination && { state: { in: DeliveryState.options } }), ...Object.fromEntries(given) };
}
