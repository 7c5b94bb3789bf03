import { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { DeliveryState } from '../../webhooks/delivery/delivery.ts';
import type { EndpointCall } from '../endpoint.ts';
import { wholeNumberParam } from '../whole-number-param.ts';

/** Ids are text of a bounded length before they reach the store. */
const IdText = z.string().min(1, 'must not be empty').max(512, 'must be at most 512 characters');

const organization_id = IdText.optional().describe(
  'For a person of several organizations: the one that acts. An API key acts for its own',
);

/** What every call about an organization's webhooks takes in its query. */
export const ActingQuery = z.strictObject({ organization_id });

export const DeliveriesQuery = z.strictObject({
  organization_id,
  state: DeliveryState.optional().describe('Only those in this state'),
  task_id: IdText.optional().describe('Only those of this task'),
  limit: wholeNumberParam(1, 100).optional().describe('Deliveries at most; default 50'),
  cursor: z.string().max(2048).optional().describe('The `cursor` of the page before, with the same filters'),
});

export const DestinationsQuery = z.strictObject({
  organization_id,
  url: z.string().min(1).max(2048).optional().describe('Only the destination of this URL'),
});

export const DeliveryParams = z.object({ delivery_id: IdText });

/** The organization that acts. @throws {AppError} `FORBIDDEN` where none does. */
export function ownOrganization({ organization_id }: EndpointCall): OrganizationId {
  if (organization_id !== undefined) return organization_id;
  throw new AppError('FORBIDDEN', 'an organization acts here');
}
