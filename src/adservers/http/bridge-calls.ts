import { z } from 'zod';
import { AdCreative, AdOrder } from '../../sales/ad-server/ad-order.ts';
import { CreativeAnswer } from '../../sales/ad-server/creative-answer.ts';
import { Description } from '../../sales/ad-server/description.ts';
import { Held } from '../../sales/ad-server/held.ts';
import { AdForecast, ForecastQuery, InventoryPage } from '../../sales/ad-server/inventory.ts';
import { CheckAnswer, PutAnswer } from '../../sales/ad-server/put-answer.ts';
import { Statement, StatementQuery } from '../../sales/ad-server/statement.ts';

/** One method of the port as HTTP: what is sent, and the body of each status that is an answer. Bodies are the port's own types. */
export interface BridgeCall {
  method: 'GET' | 'PUT' | 'POST';
  /** With parameters in braces, as OpenAPI writes them. */
  path: string;
  summary: string;
  description?: string;
  body?: z.ZodType;
  /** Parameters of the query, all of them optional. */
  query?: readonly string[];
  answers: Readonly<Record<number, z.ZodType>>;
}

const [Done, Pending, Refused, Stale] = PutAnswer.options;

/** The HTTP status of each outcome of a `put`. */
export const PUT_STATUS = { done: 200, pending: 202, refused: 422, stale: 409 } as const satisfies Record<
  PutAnswer['outcome'],
  number
>;

/** The bridge: every method of the port by its name. Client, router and OpenAPI document are made from this one table. */
export const BRIDGE_CALLS = {
  describe: {
    method: 'GET',
    path: '/v1/description',
    summary: 'What the ad server can do',
    description: 'Asked at the start, hourly, and as a probe. The same while the configuration is.',
    answers: { 200: Description },
  },
  put: {
    method: 'PUT',
    path: '/v1/orders/{media_buy_id}',
    summary: 'Makes the order this version of it',
    description:
      '200 done: this version holds. 202 pending: not decided yet; it comes true unasked, and the same may be put again to ask. 422 refused: nothing of this version holds or ever will, the one before does, and the number is used up. 409 stale: that higher version was put before. The same version and digest again gets the same outcome; another digest under a version that was taken is 400. Whatever takes longer than 30 s is pending.',
    body: AdOrder,
    answers: { 200: Done, 202: Pending, 409: Stale, 422: Refused },
  },
  check: {
    method: 'POST',
    path: '/v1/orders/{media_buy_id}/check',
    summary: 'Whether a put would be taken; writes nothing, promises nothing',
    body: AdOrder,
    answers: { 200: CheckAnswer },
  },
  read: {
    method: 'GET',
    path: '/v1/orders/{media_buy_id}',
    summary: 'What is held of an order, looked up by our ids',
    description: 'An order that was never heard of is 200 with `found: false`.',
    answers: { 200: Held },
  },
  statements: {
    method: 'POST',
    path: '/v1/statements',
    summary: 'Counts by the hour as known now, of many orders at once',
    body: StatementQuery,
    answers: { 200: Statement },
  },
  putCreative: {
    method: 'PUT',
    path: '/v1/creatives/{creative_id}/{version}',
    summary: 'Uploads a version of a creative once, however often it is asked, and tells its review',
    description: 'A creative is known by organization_id and creative_id of the body together.',
    body: AdCreative,
    answers: { 200: CreativeAnswer },
  },
  forecast: {
    method: 'POST',
    path: '/v1/forecast',
    summary: 'Impressions that could be had',
    description: '404 where the description says that there is no forecast.',
    body: ForecastQuery,
    answers: { 200: AdForecast },
  },
  inventory: {
    method: 'GET',
    path: '/v1/inventory',
    summary: 'What products can be made of, page by page',
    description: '404 where the description says that there is no inventory.',
    query: ['cursor'],
    answers: { 200: InventoryPage },
  },
} as const satisfies Record<string, BridgeCall>;

export type BridgeCallName = keyof typeof BRIDGE_CALLS;

/** What a call answers, whichever status says so. */
export type BridgeAnswer<Name extends BridgeCallName> = z.infer<Answers<Name>[keyof Answers<Name>]>;
type Answers<Name extends BridgeCallName> = (typeof BRIDGE_CALLS)[Name]['answers'];

/** The body of every status that is no answer. */
export const BridgeError = z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) });
