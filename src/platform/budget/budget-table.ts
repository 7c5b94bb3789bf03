/**
 * Whose use is counted together. `person` is a person, or the API key that acts with those it was made anew from; `address` an IPv4
 * address or an IPv6 /64; `domain` a registrable domain.
 */
export type BudgetScope = 'organization' | 'address' | 'person' | 'process' | 'domain';

/** One row of {@link BUDGETS}. */
export interface Budget {
  /**
   * `spent`: used up and free again after `seconds`; counted in Redis, over all processes. `held`: in use until it is let go.
   * `rows`: kept until somebody ends it; counted in the store.
   */
  kind: 'spent' | 'held' | 'rows';
  scope: BudgetScope;
  /** How much there is, in `unit`, unless the setting says otherwise. */
  size: number;
  /** Reads on after the size: `64 MB a day`. */
  unit: string;
  /** Of what is spent: how long after the first of it all of it is free again. */
  seconds?: number;
  /** Of what is held: each process counts for itself. Default: all together. */
  isOfProcess?: true;
  /** How many of what is counted make one of `unit`. Default 1. */
  times?: number;
  /** What to do about it besides waiting. */
  instead?: string;
  /** The setting that changes the size. Absent: it is fixed. */
  setting?: string;
}

const MINUTE = 60;
const QUARTER = 900;
const HOUR = 3_600;
const DAY = 86_400;
const MB = 1_000_000;

/**
 * Every budget there is (rule S2), in one table. Whoever is over one is refused by `Budgets`, and by nothing else. A new row
 * goes into docs/budgets.md and the metrics by itself, and its setting into `.env.example`.
 */
export const BUDGETS = {
  // Buyers, over A2A.
  requests: spent('organization', 2_000, 'requests a second', 1, 'REQUESTS_PER_SECOND'),
  stored_bytes: { ...spent('organization', 4_096, 'MB stored a day', DAY, 'STORED_MB_PER_DAY'), times: MB },
  answered_bytes: {
    ...spent('organization', 8_192, 'MB of answers kept an hour', HOUR, 'ANSWERED_MB_PER_HOUR'),
    times: MB,
  },
  media_buys: spent('organization', 100_000, 'media buys a day', DAY, 'MEDIA_BUYS_PER_DAY'),
  performance_feedback: spent('organization', 10_000, 'scores of media buys a day', DAY),
  buyer_accounts: spent('organization', 10_000, 'accounts and their webhooks synced a day', DAY),
  tasks_queued: rows(
    'organization',
    1_000,
    'tasks that have not begun',
    'MAX_TASKS_QUEUED',
    'wait until some have begun',
  ),
  a2a_streams: {
    ...held('organization', 4_000, 'streams at one process', 'MAX_A2A_STREAMS', 'close a stream first'),
    isOfProcess: true,
  },
  creatives: spent('organization', 500_000, 'creatives sent a day', DAY, 'CREATIVES_PER_DAY'),
  unproven_destinations: {
    ...held(
      'organization',
      32,
      'webhooks of each lane of a worker on their way to destinations that never answered',
      'MAX_UNPROVEN_DESTINATIONS',
      'they go out one after another',
    ),
    isOfProcess: true,
  },

  // Whoever comes without a credential, over A2A and MCP.
  anonymous_requests: spent(
    'address',
    120,
    'requests without a credential a minute',
    MINUTE,
    'ANONYMOUS_REQUESTS_PER_MINUTE',
  ),

  // Memory.
  unfinished_bytes: {
    ...held('address', 32, 'MB of unfinished requests at one process', 'MAX_UNFINISHED_MB', 'finish those first'),
    isOfProcess: true,
    times: MB,
  },

  // Credentials.
  failed_credentials: spent('address', 60, 'wrong credentials a minute', MINUTE, 'FAILED_CREDENTIALS_PER_MINUTE'),
  failed_sign_ins: spent('address', 30, 'failed sign-ins in 15 minutes', QUARTER),
  failed_sign_ins_of_person: spent('person', 10, 'failed sign-ins from one address in 15 minutes', QUARTER),
  failed_sign_ins_elsewhere: spent('person', 100, 'failed sign-ins from unknown addresses an hour', HOUR),

  // The registry: what stays.
  property_reports: {
    ...spent('address', 64, 'MB of reports a day', DAY, 'ANONYMOUS_REPORT_MB_PER_DAY'),
    times: MB,
  },
  new_publishers: spent('address', 200, 'publishers made known a day', DAY, 'NEW_PUBLISHERS_PER_DAY'),
  new_publishers_of_domain: spent('domain', 50, 'publishers of one registrable domain made known a day', DAY),
  crawl_events: spent('address', 5_000, 'changes told by the feed a day', DAY, 'CRAWL_EVENTS_PER_DAY'),
  crawl_events_of_domain: spent('domain', 5_000, 'changes of one registrable domain told by the feed a day', DAY),
  crawled_rows: spent('address', 100_000, 'entries and identifiers of files stored a day', DAY, 'CRAWLED_ROWS_PER_DAY'),
  crawled_rows_of_domain: spent(
    'domain',
    100_000,
    'entries and identifiers of files of one registrable domain stored a day',
    DAY,
  ),
  pointed_files_of_domain: spent(
    'domain',
    200,
    'files that publishers point to fetched from one registrable domain an hour',
    HOUR,
  ),
  brand_fetches: spent('address', 1_000, 'brand.json files fetched an hour', HOUR, 'BRAND_FETCHES_PER_HOUR'),
  brand_fetches_of_domain: spent('domain', 200, 'brand.json files fetched below one registrable domain an hour', HOUR),
  api_keys: rows('organization', 100, 'API keys that are not revoked', 'MAX_API_KEYS', 'revoke one that nobody uses'),
  made_api_keys: spent('organization', 200, 'API keys made a day', DAY),
  agents: rows('organization', 1_000, 'agents', 'MAX_AGENTS', 'delete one that is gone'),
  members: rows('organization', 1_000, 'members', 'MAX_MEMBERS', 'ask the operator for more'),
  join_requests: spent('person', 100, 'join requests a day', DAY),
  open_claims: rows('person', 20, 'claims of domains that are open', undefined, 'prove one, or wait a week'),
  domains: rows('organization', 100, 'proved domains', undefined, 'let go of one'),

  publisher_webhooks: rows('organization', 50, 'webhooks of publishers', undefined, 'delete one that nobody reads'),
  resend_ranges: rows(
    'organization',
    5,
    'ranges of webhooks that are being sent again',
    undefined,
    'wait until one is over, or stop it',
  ),
  hosted_files: rows('organization', 100, 'files hosted for publishers', undefined, 'take one down'),

  // Places.
  feed_streams: held(
    'address',
    20,
    'streams of the feed',
    'MAX_FEED_STREAMS',
    'close a stream first, or read the feed',
  ),
  all_feed_streams: {
    ...held('process', 500, 'streams of the feed at one process', undefined, 'read the feed instead'),
    isOfProcess: true,
  },
  exports: held('address', 2, 'exports at once', undefined, 'wait until one has ended'),
  all_exports: {
    ...held('process', 50, 'exports at one process', undefined, 'wait until one has ended'),
    isOfProcess: true,
  },
  console_streams: held('person', 10, 'streams of the console', 'MAX_CONSOLE_STREAMS', 'close a page first'),
  all_console_streams: {
    ...held('process', 200, 'streams of the console at one process', undefined, 'close a page first'),
    isOfProcess: true,
  },

  // Requests at the other edges, in their windows.
  operator_requests: spent('person', 1_200, 'requests a minute', MINUTE),
  ad_server_rings: spent('person', 1_000, 'rings a minute', MINUTE),
  oauth_authorize: spent('address', 60, 'requests a minute', MINUTE),
  oauth_token: spent('address', 120, 'requests a minute', MINUTE),
  oauth_register: spent('address', 10, 'requests an hour', HOUR),
  oauth_jwks: spent('address', 300, 'requests a minute', MINUTE),
  openapi: spent('address', 120, 'requests a minute', MINUTE),
  check_properties: spent('address', 60, 'requests a minute', MINUTE),
  get_check_report: spent('address', 300, 'requests a minute', MINUTE),
  resolve_properties: spent('address', 20, 'requests a minute', MINUTE),
  look_up_operator: spent('address', 600, 'requests a minute', MINUTE),
  look_up_publisher: spent('address', 600, 'requests a minute', MINUTE),
  list_properties: spent('address', 60, 'requests a minute', MINUTE),
  validate_property: spent('address', 60, 'requests a minute', MINUTE),
  resolve_brand: spent('address', 60, 'requests a minute', MINUTE),
  resolve_brands: spent('address', 10, 'requests a minute', MINUTE),
  list_brands: spent('address', 60, 'requests a minute', MINUTE),
  search_agents: spent('address', 60, 'requests a minute', MINUTE),
  public_refusals: spent('address', 60, 'requests a minute', MINUTE),
  check_authorization: spent('address', 600, 'requests a minute', MINUTE),
  check_authorizations: spent('address', 20, 'requests a minute', MINUTE),
  browse: spent('address', 300, 'requests a minute', MINUTE),
  export: spent('address', 10, 'requests a minute', MINUTE),
  discover_agent: spent('address', 60, 'requests a minute', MINUTE),
  crawl_publisher: spent('address', 10, 'requests a minute', MINUTE),
  publisher_status: spent('address', 300, 'requests a minute', MINUTE),
  publisher_history: spent('address', 300, 'requests a minute', MINUTE),
  publisher_page: spent('address', 300, 'requests a minute', MINUTE),
  publisher_sellers: spent('address', 300, 'requests a minute', MINUTE),
  read_publisher_webhooks: spent('person', 300, 'requests a minute', MINUTE),
  change_publisher_webhooks: spent('person', 300, 'requests an hour', HOUR),
  validate_adagents: spent('address', 20, 'requests a minute', MINUTE),
  read_hosted_adagents: spent('person', 300, 'requests a minute', MINUTE),
  change_hosted_adagents: spent('person', 120, 'requests an hour', HOUR),
  // Crawlers ask from few addresses, and for all that is hosted; ours does, too.
  hosted_adagents: spent('address', 2_400, 'requests a minute', MINUTE),
  agent_page: spent('address', 300, 'requests a minute', MINUTE),
  badges: spent('address', 1_200, 'requests a minute', MINUTE),
  feed: spent('address', 300, 'requests a minute', MINUTE),
  feed_stream: spent('address', 60, 'requests a minute', MINUTE),
  billing_events: spent('address', 600, 'requests a minute', MINUTE),
  sandbox_checkout: spent('address', 60, 'requests a minute', MINUTE),
  my_agents: spent('person', 120, 'requests a minute', MINUTE),
  member_profile: spent('person', 120, 'requests a minute', MINUTE),
  list_api_keys: spent('person', 300, 'requests a minute', MINUTE),
  change_api_keys: spent('person', 60, 'requests an hour', HOUR),
  list_join_requests: spent('person', 300, 'requests a minute', MINUTE),
  decide_join_request: spent('person', 300, 'requests an hour', HOUR),
  request_to_join: spent('person', 30, 'requests an hour', HOUR),
  read_members: spent('person', 300, 'requests a minute', MINUTE),
  change_members: spent('person', 300, 'requests an hour', HOUR),
  own_memberships: spent('person', 300, 'requests a minute', MINUTE),
  withdraw_join_request: spent('person', 60, 'requests an hour', HOUR),
  claim_domain: spent('person', 30, 'requests an hour', HOUR),
  verify_claim: spent('person', 60, 'requests an hour', HOUR),
  create_organization: spent('person', 15, 'refused requests an hour', HOUR),
  check_badges: spent('person', 30, 'requests an hour', HOUR),
  checkout_session: spent('person', 30, 'requests an hour', HOUR),
  read_webhooks: spent('organization', 300, 'requests a minute', MINUTE),
  read_destinations: spent('organization', 30, 'requests a minute', MINUTE),
  resend_webhook: spent('organization', 60, 'requests an hour', HOUR),
  change_webhooks: spent('organization', 300, 'requests an hour', HOUR),
  portal_links: spent('organization', 60, 'requests an hour', HOUR),
  test_webhook: spent('organization', 60, 'requests an hour', HOUR),
} as const satisfies Record<string, Budget>;

/** The name of a budget: what a refusal and the metrics call it. */
export type BudgetName = keyof typeof BUDGETS;

type NamesOf<K extends Budget['kind']> = {
  [N in BudgetName]: (typeof BUDGETS)[N]['kind'] extends K ? N : never;
}[BudgetName];
export type SpentBudget = NamesOf<'spent'>;
export type HeldBudget = NamesOf<'held'>;
export type RowsBudget = NamesOf<'rows'>;

/** The settings that change sizes. */
export type BudgetSettingName = {
  [N in BudgetName]: (typeof BUDGETS)[N] extends { setting?: infer S extends string } ? S : never;
}[BudgetName];

/** The sizes that settings change. */
export type BudgetSizes = Partial<Record<BudgetName, number>>;

function spent<const S extends string = never>(
  scope: BudgetScope,
  size: number,
  unit: string,
  seconds: number,
  setting?: S,
) {
  return { kind: 'spent' as const, scope, size, unit, seconds, ...(setting !== undefined && { setting }) };
}

function held<const S extends string = never>(
  scope: BudgetScope,
  size: number,
  unit: string,
  setting: S | undefined,
  instead: string,
) {
  return { kind: 'held' as const, scope, size, unit, instead, ...(setting !== undefined && { setting }) };
}

function rows<const S extends string = never>(
  scope: BudgetScope,
  size: number,
  unit: string,
  setting: S | undefined,
  instead: string,
) {
  return { kind: 'rows' as const, scope, size, unit, instead, ...(setting !== undefined && { setting }) };
}
