import { z } from 'zod';
import { BUDGETS } from '../../platform/budget/budget-table.ts';
import { PortId } from '../../sales/ad-server/port-values.ts';

/** Where an ad server rings, behind the agent's address. */
export const RING_PATH = '/ad-server/events';

/** What an ad server says when it rings: only whose order to read. */
export const RingEvent = z.strictObject({ media_buy_id: PortId });
export type RingEvent = z.infer<typeof RingEvent>;

/** Of all rings of one ad server; beyond it they are told to come later, and nothing is lost: every order is read hourly. */
const MAX_RINGS_A_MINUTE = BUDGETS.ad_server_rings.size;

/** What a ring that is no 202 was refused for, by status. */
export const RING_REFUSALS: Readonly<Record<number, string>> = {
  400: 'The body is none; the message names the field',
  401: 'No token, or a wrong one',
  404: 'This ad server was never told of such a media buy',
  429: `More than ${MAX_RINGS_A_MINUTE} rings within a minute; come again, after Retry-After`,
};
