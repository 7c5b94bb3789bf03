/** Rows that are asked for by a random id, which a message, a job or an answer of ours carried. */
const BY_ID = [
  ...['task_runs', 'media_buys', 'creatives', 'approvals', 'deliveries', 'destination_troubles', 'api_keys'],
  'receiver_answers',
];
const BY_ID_KINDS = ['get', 'getMany', 'getField', 'update', 'delete'];

/** What looks for work that is due, whoever's it is: every worker, in the background. */
const SWEEPS = [
  ...['task_runs find run_due_at', 'task_runs find notify_due_at', 'deliveries find next_attempt_at'],
  ...['media_buys find flight_due_at', 'media_buys find order_due_at', 'media_buys find reporting_due_at'],
  ...['buy_schedules find due_at', 'approvals find wake_due_at'],
  ...['creatives find review_due_at', 'creatives find effects_due_at', 'creatives find untold_since'],
  'accounts find untold_since',
  ...['impairments find open', 'impairments find untold_since', 'impairments find latency_class+untold_since'],
  ...['destination_troubles find is_due', 'publisher_watches find look_at', 'agents find indexed_as'],
  ...['organizations find suspended_at', 'buyer_resend_ranges find due_at'],
  // What was booked on a day, and whose day has changed.
  ...['media_buys find created_at', 'media_buys find updated_at', 'delivery_days find day'],
];

/**
 * The calls that ask every shard of a store sharded by `organization_id`, as `test/support/sharded-store.ts` writes them, each with
 * the reason. See docs/decisions/0054-sharded-by-organization.md.
 */
export const ACROSS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    BY_ID.flatMap((name) => BY_ID_KINDS.map((kind) => [`${name} ${kind}`, 'an id does not tell whose the row is'])),
  ),
  ...Object.fromEntries(SWEEPS.map((shape) => [shape, 'a sweep in the background is for all organizations'])),
  'api_keys find key_hash': 'the key is what tells the organization',
  'approvals find media_buy_id+status': 'asked for by the id of a buy',
  'impairments find media_buy_id+open': 'asked for by the id of a buy',
};
