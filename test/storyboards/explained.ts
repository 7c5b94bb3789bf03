/** The release whose boards have been read, and are told of here. */
export const OF_RELEASE = '3.0.6';

/** A step that fails, with a sentence that `docs/interop.md` tells, too. What has no sentence is a fault to be mended. */
export interface Explained {
  /** The board's id; where no step is named, the beginning of several will do. */
  board: string;
  /** Both unless one is named. */
  transport?: 'a2a' | 'mcp';
  /** All of its steps unless one is named. */
  step?: string;
  /** The board's own fault, or something that is not built here. */
  whose: 'theirs' | 'ours';
  why: string;
}

export const EXPLAINED: readonly Explained[] = [
  {
    board: 'deterministic_testing',
    step: 'force_media_buy_active',
    whose: 'theirs',
    why: 'it opens a sandbox account, books under the live account of the same brand, and forces that',
  },
  {
    board: 'media_buy_seller',
    step: 'create_media_buy',
    whose: 'theirs',
    why: 'it books with a creative that it uploads only later',
  },
  {
    board: 'media_buy_seller/delivery_reporting',
    step: 'simulate_delivery',
    whose: 'theirs',
    why: 'it books under a live account; the test controller touches none',
  },
  {
    board: 'pagination_integrity',
    step: 'first_page',
    whose: 'theirs',
    why: 'it reads under an account by an id that nobody has given it',
  },
  {
    board: 'pagination_integrity_creative_formats',
    step: 'first_page',
    whose: 'theirs',
    why: 'it counts on there being no formats besides the two that it seeds',
  },
  {
    board: 'security_baseline',
    transport: 'a2a',
    whose: 'theirs',
    why: 'its probes are calls of MCP, which it sends to the address of the agent over A2A, too; over MCP all of it passes',
  },
  {
    board: 'idempotency',
    step: 'create_media_buy_missing_key',
    transport: 'mcp',
    whose: 'theirs',
    why: 'its probe of MCP accepts no event stream, which the protocol wants of every client',
  },
  {
    board: 'media_buy_seller/invalid_transitions',
    step: 'update_unknown_package',
    whose: 'theirs',
    why: 'it books under one account and changes under another, which has no such media buy',
  },
  {
    board: 'signed_requests',
    whose: 'theirs',
    why: 'it is run whatever the capabilities say; this agent says request_signing.supported: false',
  },
  {
    board: 'pagination_integrity_list_accounts',
    whose: 'theirs',
    why: 'it counts on there being no accounts besides the three that it opens, and other boards have opened more',
  },
  {
    board: 'creative_sales_agent',
    step: 'sync_creatives',
    whose: 'theirs',
    why: 'it sends a format of your-platform.example.com, which no seller has',
  },
  {
    board: 'media_buy_seller/creative_fate_after_cancellation',
    step: 'sync_creative_with_assignment',
    whose: 'theirs',
    why: 'it books and changes under the account of its harness, and syncs creatives under that of its file',
  },
  {
    board: 'media_buy_seller/pending_creatives_to_start',
    step: 'assign_creative_to_package',
    whose: 'theirs',
    why: 'it books and changes under the account of its harness, and syncs creatives under that of its file',
  },
  {
    board: 'media_buy_seller/inventory_list_',
    whose: 'theirs',
    why: 'no product is targeted by lists of properties; the capabilities say so (property_list_filtering: false)',
  },
  {
    board: 'media_buy_seller/proposal_finalize',
    whose: 'theirs',
    why: 'no proposals are made; nothing in the capabilities says that they are',
  },
  {
    board: 'media_buy_seller/governance_conditions',
    step: 'create_media_buy_conditions',
    whose: 'theirs',
    why: 'it books a product, outdoor_ctv_q2, that it neither seeds nor looks for',
  },
  {
    board: 'media_buy_seller/governance_denied',
    step: 'create_media_buy_denied',
    whose: 'ours',
    why: 'governance agents are kept to be told, and none is asked before anything is booked, so that none can deny it',
  },
  {
    board: 'media_buy_seller/governance_denied_recovery',
    step: 'create_media_buy_denied',
    whose: 'ours',
    why: 'governance agents are kept to be told, and none is asked before anything is booked, so that none can deny it',
  },
  {
    board: 'idempotency',
    step: 'create_media_buy_initial',
    whose: 'theirs',
    why: 'it reads the idempotency_key out of the answer, where the schema has none',
  },
  {
    board: 'webhook_emission',
    step: 'expect_key_stable_across_retries',
    whose: 'theirs',
    why: 'it takes all webhooks of an operation for one event; the start of the work is told, too, under a key of its own',
  },
  {
    board: 'media_buy_state_machine',
    step: 'pause_canceled_buy',
    whose: 'theirs',
    why: 'it books and changes under the account of its harness, and sends what is to be refused under that of its file',
  },
  {
    board: 'sales_guaranteed',
    step: 'create_media_buy',
    whose: 'theirs',
    why: 'it books with a creative that it uploads only later',
  },
  {
    board: 'sales_non_guaranteed',
    step: 'create_media_buy',
    whose: 'theirs',
    why: 'it books with creatives that it uploads nowhere',
  },
  {
    board: 'sales_broadcast_tv',
    step: 'create_media_buy',
    whose: 'theirs',
    why: 'it books with a creative that it uploads only later',
  },
  {
    board: 'sales_social',
    step: 'sync_creatives',
    whose: 'theirs',
    why: 'it sends a format of social-platform.example.com, which no seller has',
  },
  {
    board: 'sales_proposal_mode',
    whose: 'theirs',
    why: 'no proposals are made; nothing in the capabilities says that they are',
  },
];
