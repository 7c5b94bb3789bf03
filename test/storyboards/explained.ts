/** Steps that fail and are no fault of ours, each with a sentence that `docs/interop.md` tells, too. */
export interface Explained {
  /** The board's id, or the beginning of several. */
  board: string;
  /** Both unless one is named. */
  transport?: 'a2a' | 'mcp';
  /** All of its steps unless one is named. */
  step?: string;
  why: string;
}

export const EXPLAINED: readonly Explained[] = [
  {
    board: 'security_baseline',
    transport: 'a2a',
    why: 'its probes are calls of MCP, which it sends to the address of the agent over A2A, too; over MCP all of it passes',
  },
  {
    board: 'idempotency',
    step: 'create_media_buy_missing_key',
    transport: 'mcp',
    why: 'its probe of MCP accepts no event stream, which the protocol wants of every client',
  },
  {
    board: 'media_buy_seller/invalid_transitions',
    step: 'update_unknown_package',
    why: 'it books under one account and changes under another, which has no such media buy',
  },
  {
    board: 'signed_requests',
    why: 'it is run whatever the capabilities say; this agent says request_signing.supported: false',
  },
  {
    board: 'pagination_integrity_list_accounts',
    why: 'it counts on three accounts that a test controller made, and other boards have made more',
  },
  {
    board: 'creative_sales_agent',
    step: 'sync_creatives',
    why: 'it sends a format of your-platform.example.com, which no seller has',
  },
  {
    board: 'media_buy_seller/creative_fate_after_cancellation',
    step: 'reassign_creative',
    why: 'it sends a format of your-platform.example.com, which no seller has',
  },
  {
    board: 'media_buy_seller/inventory_list_',
    why: 'no product is targeted by lists of properties; the capabilities say so (property_list_filtering: false)',
  },
  {
    board: 'media_buy_seller/proposal_finalize',
    why: 'no proposals are made; nothing in the capabilities says that they are',
  },
  {
    board: 'media_buy_seller/measurement_terms_rejected',
    step: 'create_media_buy_relaxed_terms',
    why: 'terms of measurement are those of the product; a seller need not take others',
  },
];
