import { schemaPath } from '../runtime/task-schemas.ts';
import type { Catalog } from '../sales/catalog.ts';
import type { BuyerAction } from '../sales/media-buy/buyer-actions.ts';
import { actionExamples } from './action-examples.ts';
import type { CallingGuide } from './calling-schema.ts';

interface GuideSource {
  /** Without a slash at the end. */
  baseUrl: string;
  catalog: Catalog;
  nowMs: number;
  /** How long a send waits for an outcome, in milliseconds. */
  waitCapMs: number;
  /** How often a quiet stream says that it is alive, in milliseconds. */
  heartbeatMs: number;
}

/** The guide for an agent at an address, with its catalog and its limits. Pure. */
export function callingGuide({ baseUrl, catalog, nowMs, waitCapMs, heartbeatMs }: GuideSource): CallingGuide {
  return {
    message: 'A message carries one data part {"skill": …, "input": {…}}, or the same JSON as its only text.',
    text: 'Other text is taken as a brief for get_products where it reads like one; else the task is input-required and lists the skills.',
    answer:
      "The response is the last data part of the completed task's first artifact. A refusal is {error: {code, message, field, suggestion, issues}}, names all that is wrong and stores nothing.",
    fields: FIELDS,
    waiting: `A send waits for the outcome, at most ${waitCapMs / 1000} s, and then answers the task as it stands; a task that waits for a person at the seller, or for an ad server that is away, is answered at once. With configuration.returnImmediately: true (0.3: blocking: false) it answers submitted at once. A stream tells each step, and every ${heartbeatMs / 1000} s of quiet that it is alive. Later: get_task_status, GetTask, SubscribeToTask, or webhooks.`,
    webhooks:
      "push_notification_config {url, operation_id} in the input of create_media_buy, update_media_buy or sync_creatives: signed events (RFC 9421) of that task, and then of the buy's impairments. reporting_webhook {url, reporting_frequency} in create_media_buy: delivery reports. They come at least once, with the same idempotency_key and bytes; keys at /.well-known/jwks.json.",
    valid_actions: sentFor(catalog, nowMs),
    schemas: {
      input: `${baseUrl}${schemaPath('{skill}', 'input')}`,
      output: `${baseUrl}${schemaPath('{skill}', 'output')}`,
    },
  };
}

const FIELDS = {
  product_id: 'products[].product_id of get_products',
  pricing_option_id: 'products[].pricing_options[].pricing_option_id of get_products',
  bid_price: 'needed where the pricing_model ends in -auction, its floor or more; else left out',
  budget: "decimal, in the pricing option's currency",
  format_id: 'the object of that name, of list_creative_formats or of the product (format_ids)',
  creative_id: 'yours, unique in your library',
  buyer_ref: 'yours, unique among your media buys that are not over',
  media_buy_id: 'of the response of create_media_buy, or get_media_buys; so is package_id',
  task_id: "the answered task's id",
  start_time: 'as all times RFC 3339 with an offset (2027-01-15T09:00:00Z), or {"type":"asap"}',
  idempotency_key:
    'yours, 16 to 255 of A-Za-z0-9_.:-; the same request under it is the same task while that is open and for 24 hours after. Send one with whatever you may repeat',
  operation_id: 'yours, unique per call; every webhook of the call carries it',
};

function sentFor(catalog: Catalog, nowMs: number): Record<BuyerAction, string> {
  const { sync_creatives: _task, ...updates } = actionExamples(catalog, nowMs);
  const sent = Object.entries(updates).map(([action, { skill, input }]) => [
    action,
    `${skill} with updates ${JSON.stringify(input['updates'])}`,
  ]);
  return {
    ...(Object.fromEntries(sent) as Record<Exclude<BuyerAction, 'sync_creatives'>, string>),
    sync_creatives: 'sync_creatives with creatives, and assignments {creative_id: [package_id]}',
  };
}
