import { z } from 'zod';
import { RangeRequest } from '../../webhooks/buyer/resend-range.ts';
import { SuccessRange } from '../../webhooks/buyer/success.ts';
import { DeliveryState } from '../../webhooks/delivery/delivery.ts';
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

/** Which webhooks a range would be, of whom it is counted. */
export const RangeQuery = z.strictObject({
  organization_id,
  ...RangeRequest.shape,
  until: RangeRequest.shape.until.optional().describe('Only those made before; default: now'),
});

export const RangeParams = z.object({ range_id: IdText });

export const RegistrationsQuery = z.strictObject({
  organization_id,
  task_id: IdText.optional().describe('Only those of this task'),
  cursor: z.string().max(2048).optional().describe('The `cursor` of the page before'),
});

export const RegistrationParams = z.object({ task_id: IdText, registration_id: IdText });

export const StatsQuery = z.strictObject({
  organization_id,
  range: SuccessRange.optional().describe('24 hours by the hour, or 30 days by the day; default `day`'),
});

export const KeysQuery = z.strictObject({
  organization_id,
  cursor: z.string().max(2048).optional().describe('The `cursor` of the page before'),
});
