import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, RELEASES, schemaErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';
import { propertyNames } from './support/schema-properties.ts';

/**
 * What becomes of a property of a request: it is read; stored and told again; refused by name wherever it says something, as the value
 * given (where that says nothing by itself, as `5` does, another); or ignored, for a reason.
 */
type Fate = 'read' | 'stored' | 'refused' | { refused: unknown } | { ignored: string };
type Fates = Readonly<Record<string, Fate>>;

const ENVELOPE: Fates = {
  adcp_version: 'read',
  adcp_major_version: 'read',
  context: 'stored',
  idempotency_key: 'read',
};
const IGNORED_EXT = { ignored: 'extensions are agreed on, and none is' };
const IGNORED_TURNS = { ignored: 'creatives take even turns; a sequence is refused' };
const IGNORED_GOVERNANCE = { ignored: 'no governance agent is asked here; it is no part of what makes a request' };
const NOTIFIED: Fates = { push_notification_config: 'read', reporting_webhook: 'read' };

/** Of a whole media buy, what bounds what is spent. */
const CONTROLS: Fates = {
  daily_budget_cap: 'refused',
  budget_cap_timezone: { refused: 'UTC' },
  frequency_cap: { refused: { max_impressions: 1 } },
  budget_allocation: { refused: { mode: 'flexible' } },
  pacing: { refused: 'asap' },
  bidding: { refused: { max_bid: 5 } },
};
const BOOKED: Fates = {
  ...{ ...ENVELOPE, ...NOTIFIED, ...CONTROLS },
  ...{ account: 'read', brand: 'read', start_time: 'read', end_time: 'read' },
  ...{ ext: 'stored', name: 'stored', advertiser_industry: 'stored', agency_estimate_number: 'stored' },
  governance_context: IGNORED_GOVERNANCE,
  opportunity: { refused: { opportunity_id: 'o' } },
  invoice_recipient: { refused: { name: 'Acme' } },
  paused: 'read',
};
const CREATE: Fates = {
  ...BOOKED,
  ...{ packages: 'read', po_number: 'stored', io_acceptance: 'stored', plan_id: 'stored' },
  // By another code.
  proposal_id: { refused: 'p' },
  total_budget: { refused: { amount: 5, currency: 'USD' } },
  artifact_webhook: { refused: { url: 'https://a.example/' } },
};
const BUY: Fates = {
  ...BOOKED,
  ...{ purchases: 'read', feed_version: 'read', pricing_version: 'read', total_budget: 'read' },
  purchase_order_ref: 'stored',
};
const CHANGED: Fates = {
  ...{ ...ENVELOPE, ...NOTIFIED, ...CONTROLS },
  ...{ account: 'read', media_buy_id: 'read', revision: 'read', packages: 'read' },
  ...{ paused: 'read', canceled: 'read', cancellation_reason: 'read', name: 'read' },
  ext: 'stored',
  governance_context: IGNORED_GOVERNANCE,
  total_budget: { refused: { amount: 5, currency: 'USD' } },
};
const UPDATE: Fates = {
  ...CHANGED,
  ...{ start_time: 'read', end_time: 'read', new_packages: 'read' },
  invoice_recipient: { refused: { name: 'Acme' } },
};

const lastDay = () => ({ start: inDays(-1), end: inDays(0) });
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const OF_EACH: Fates = {
  ...{ budget: 'read', bid_price: 'read', bidding: 'read', targeting_overlay: 'read' },
  daily_budget_cap: 'refused',
  min_spend_target: 'refused',
  impressions: 'refused',
  pacing: { refused: 'front_loaded' },
  optimization_goals: { refused: [{ kind: 'metric' }] },
  catalogs: { refused: [{ type: 'product' }] },
  catalog_ids: { refused: ['c'] },
};
const ASSIGNED: Fates = { creative_assignments: 'read', creatives: 'read' };
const PURCHASE: Fates = {
  ...{ ...OF_EACH, start_time: 'read', end_time: 'read' },
  ...{ product_id: 'read', pricing_option_id: 'read', measurement_terms: 'read', context: 'stored' },
  ...{ format_ids: 'read', format_kind: 'read', format_option_refs: 'read', params: 'read' },
  ext: 'stored',
  agency_estimate_number: 'stored',
  performance_standards: { refused: [{ metric: 'viewability' }] },
  committed_metrics: { refused: [{ metric_id: 'clicks' }] },
  audience_evidence_requirements: { refused: { minimum_confidence: 1 } },
  audience_evidence_pins: { refused: [{ evidence_id: 'e' }] },
};
const PACKAGE: Fates = {
  ...{ ...PURCHASE, ...ASSIGNED },
  ...{ adcp_version: { ignored: 'the request says it' }, adcp_major_version: { ignored: 'the request says it' } },
  paused: 'read',
};
const PACKAGE_CHANGE: Fates = {
  ...{ ...OF_EACH, package_id: 'read', paused: 'read', creative_assignments: 'read' },
  ...{ context: 'stored', ext: 'stored' },
  // What equals those that stand is read.
  start_time: { refused: inDays(5) },
  end_time: { refused: inDays(9) },
  canceled: { refused: true },
  cancellation_reason: { ignored: 'it goes with canceled, which is refused' },
  creatives: 'read',
  keyword_targets_add: { refused: [{ keyword: 'k' }] },
  keyword_targets_remove: { refused: [{ keyword: 'k' }] },
  negative_keywords_add: { refused: [{ keyword: 'k' }] },
  negative_keywords_remove: { refused: [{ keyword: 'k' }] },
};
const ASSIGNMENT: Fates = {
  creative_id: 'read',
  // Even weights are taken; what is refused of these, truth.test.ts sends.
  ...{ weight: 'read', placement_ids: 'read', placement_refs: 'read' },
  ...{ group_id: IGNORED_TURNS, rotation_mode: IGNORED_TURNS, sequence_position: IGNORED_TURNS },
};
const CREATIVE: Fates = {
  ...{ creative_id: 'read', name: 'read', format_id: 'read', format_kind: 'read', format_option_ref: 'read' },
  ...{ assets: 'read', tags: 'read', weight: 'read', placement_ids: 'read', placement_refs: 'read' },
  ...{ industry_identifiers: 'stored', provenance: 'stored' },
  inputs: { ignored: 'they are contexts to preview what is generated, and nothing is generated here' },
  // Those that it comes to by itself are sent back by clients, and say nothing.
  status: { refused: 'archived' },
  component_assets: { refused: { frame: { image: { asset_type: 'image' } } } },
  localization: { refused: { source: { locale: 'en' } } },
  representation_selection: { refused: { selected_representation_id: 'r' } },
  rights: { refused: [{ rights_id: 'r' }] },
};
const SYNCED_CREATIVE: Fates = { ...CREATIVE, revision_id: { refused: 'rev_1' } };
const IGNORED_SIZE = { ignored: 'formats here are whole: what an asset must measure stands in the format' };
const FORMAT_ID: Fates = {
  ...{ agent_url: 'read', id: 'read' },
  ...{ width: IGNORED_SIZE, height: IGNORED_SIZE, duration_ms: IGNORED_SIZE, pixel_ratio: IGNORED_SIZE },
};
const FORMAT_OPTION: Fates = {
  ...{ scope: 'read', format_option_id: 'read' },
  publisher_domain: { ignored: 'it goes with the scope of a publisher, which is refused' },
};
const SYNCED: Fates = { ...ENVELOPE, push_notification_config: 'read', ext: IGNORED_EXT };
const IGNORED_ACCOUNT = { ignored: 'formats are the same for all accounts' };
const LISTED: Fates = { ...ENVELOPE, ext: IGNORED_EXT, pagination: 'read' };
const CREATIVES: Fates = {
  ...{ ...LISTED, account: 'read', filters: 'read', sort: 'read', fields: 'read' },
  ...{ include_assignments: 'read', assignment_projection: 'read', assignment_limit: 'read' },
  ...{ include_snapshot: 'read', include_items: 'read', include_variables: 'read' },
  include_purged: { ignored: 'no creative is ever purged' },
  include_pricing: { refused: true },
  include_webhook_activity: { ignored: 'a list that leaves webhook_activity out says by that that it tells of none' },
  webhook_activity_limit: { ignored: 'it goes with include_webhook_activity' },
};
const CREATIVE_FILTERS: Fates = {
  ...{
    accounts: 'read',
    statuses: 'read',
    creative_ids: 'read',
    name_contains: 'read',
    tags: 'read',
    tags_any: 'read',
  },
  ...{ created_after: 'read', created_before: 'read', updated_after: 'read', updated_before: 'read' },
  ...{ media_buy_ids: 'read', assigned_to_packages: 'read', unassigned: 'read' },
  ...{ format_ids: 'read', format_kinds: 'read', has_variables: 'read' },
  has_served: { refused: false },
  concept_ids: { refused: ['spring'] },
  asset_types: {
    ignored: 'the protocol wants it so of agents without it, whose clients look at the assets themselves',
  },
  indicator_types: { refused: ['creative_fatigue'] },
  ext: IGNORED_EXT,
};
const FORMATS: Fates = {
  ...{ ...LISTED, account: IGNORED_ACCOUNT, format_ids: 'read', asset_types: 'read', name_search: 'read' },
  ...{ min_width: 'read', max_width: 'read', min_height: 'read', max_height: 'read', is_responsive: 'read' },
  // What no format here can be shown to meet leaves none.
  ...{ wcag_level: 'read', disclosure_positions: 'read', disclosure_persistence: 'read' },
  ...{ input_format_ids: 'read', output_format_ids: 'read' },
  publisher_domain: { refused: 'pinecrest.example' },
  property_id: { refused: 'trail' },
};
const PRODUCTS: Fates = {
  ...{ ...LISTED, account: 'read', brand: 'read', buying_mode: 'read', brief: 'read', refine: 'read', filters: 'read' },
  ...{ fields: 'read', if_wholesale_feed_version: 'read', if_pricing_version: 'read' },
  targeting_overlay: { refused: { geo_countries: ['US'] } },
  media_buy_frequency_cap: { refused: { max_impressions: 1 } },
  required_overlay_support: { refused: { geo_countries: true } },
  required_media_buy_support: { refused: { pacing: ['asap'] } },
  preferred_delivery_types: { ignored: 'a preference leaves out nothing; the filter delivery_type does' },
  time_budget: { ignored: 'products are answered at once' },
  push_notification_config: { ignored: 'products are answered at once' },
  acceptance_context: { ignored: 'products are told as they are published, to every advertiser alike' },
  catalog: { ignored: 'catalog_applied says that products were not held against it' },
  property_list: { ignored: 'property_list_applied says that products were not held against it' },
  required_policies: { refused: ['us_coppa'] },
};
const names = (fate: Fate, ...all: string[]): Fates => Object.fromEntries(all.map((name) => [name, fate]));
/** What no product here can be shown to meet leaves none, and is told as unmet. */
const PRODUCT_FILTERS: Fates = {
  ...names('read', 'delivery_type', 'channels', 'budget_range', 'format_ids', 'format_kinds', 'format_option_refs'),
  ...names('read', 'pricing_structures', 'pricing_currencies', 'countries', 'is_fixed_price', 'start_date', 'end_date'),
  ...names('read', 'min_exposures', 'exclusivity', 'geo_proximity', 'keywords', 'metros', 'postal_areas', 'regions'),
  ...names('read', 'required_axe_integrations', 'required_features', 'required_geo_targeting', 'required_metrics'),
  ...names('read', 'required_performance_standards', 'required_vendor_metrics', 'signal_targeting', 'trusted_match'),
  ...names('read', 'standard_formats_only', 'audience_activation_methods', 'audience_evidence_requirements'),
  ...names('read', 'audio_distribution_types', 'social_placement_surfaces', 'sponsored_placement_types'),
  ...names('read', 'video_placement_types', 'availability_horizon', 'property_list'),
  ext: IGNORED_EXT,
};
const LISTED_PRODUCTS: Fates = {
  ...{ ...ENVELOPE, ...names('read', 'account', 'brand', 'criteria', 'cursor', 'max_results', 'fields') },
  if_feed_version: 'read',
  if_pricing_version: { ignored: 'the feed has its prices in it: it goes with if_feed_version' },
  context_id: { ignored: 'each list stands by itself' },
  governance_context: IGNORED_GOVERNANCE,
  push_notification_config: { ignored: 'products are answered at once' },
};
const CRITERIA: Fates = {
  ...{ product_ids: 'read', offer_filters: 'read', ext: IGNORED_EXT },
  acceptance_context: { ignored: 'products are told as they are published, to every advertiser alike' },
  catalog: { refused: { type: 'product' } },
  policy_ids: { refused: ['us_coppa'] },
  outcome_target: { refused: { kind: 'metric' } },
  targeting_overlay: { refused: { geo_countries: ['US'] } },
  media_buy_frequency_cap: { refused: { max_impressions: 1 } },
  required_overlay_support: { refused: { geo_countries: true } },
  required_media_buy_support: { refused: { pacing: ['asap'] } },
};
const MEDIA_BUYS: Fates = {
  ...{
    ...LISTED,
    ...names('read', 'account', 'media_buy_ids', 'status_filter', 'include_history', 'include_snapshot'),
  },
  ...names('read', 'include_webhook_activity', 'webhook_activity_limit'),
  indicator_types: { refused: ['pacing_risk'] },
};
const DELIVERY: Fates = {
  ...{ ...LISTED, ...names('read', 'account', 'media_buy_ids', 'status_filter', 'start_date', 'end_date') },
  ...names('read', 'time_granularity', 'include_package_daily_breakdown', 'include_window_breakdown'),
  ...names('read', 'requested_metrics'),
  reporting_revision_id: { refused: 'r' },
  reporting_dimensions: {
    ignored:
      'the protocol wants breakdowns that a seller does not have left out of the answer, and nothing said of them',
  },
  attribution_window: {
    ignored:
      'the protocol wants it passed over by sellers that have no choice of windows; none is told back, as none was applied',
  },
};
/** How a score came about: people at the seller are told who says it, of what and of when. */
const FEEDBACK_FACTS = [
  ...['as_of', 'baseline', 'evidence', 'evidence_ref', 'final', 'methodology', 'methodology_version'],
  ...['producer', 'study_ref', 'vendor'],
];

const REQUESTS: readonly (readonly [skill: string, path: string, steps: string[], fates: Fates])[] = [
  ['create_media_buy', 'media-buy/create-media-buy-request.json', [], CREATE],
  ['create_media_buy', 'media-buy/create-media-buy-request.json', ['packages'], PACKAGE],
  ['create_media_buy', 'media-buy/create-media-buy-request.json', ['packages', 'creative_assignments'], ASSIGNMENT],
  ['create_media_buy', 'media-buy/create-media-buy-request.json', ['packages', 'creatives'], CREATIVE],
  ['buy_products', 'media-buy/buy-products-request.json', [], BUY],
  ['buy_products', 'media-buy/buy-products-request.json', ['purchases'], { ...PURCHASE, pricing: 'read' }],
  ['update_media_buy', 'media-buy/update-media-buy-request.json', [], UPDATE],
  ['update_media_buy', 'media-buy/update-media-buy-request.json', ['packages'], PACKAGE_CHANGE],
  ['update_media_buy', 'media-buy/update-media-buy-request.json', ['packages', 'creatives'], CREATIVE],
  ['update_media_buy', 'media-buy/update-media-buy-request.json', ['packages', 'creative_assignments'], ASSIGNMENT],
  ['update_media_buy', 'media-buy/update-media-buy-request.json', ['new_packages'], PACKAGE],
  ['update_media_buy', 'media-buy/update-media-buy-request.json', ['new_packages', 'creatives'], CREATIVE],
  ['control_media_buy', 'media-buy/control-media-buy-request.json', [], CHANGED],
  ['control_media_buy', 'media-buy/control-media-buy-request.json', ['packages'], PACKAGE_CHANGE],
  [
    'sync_creatives',
    'creative/sync-creatives-request.json',
    [],
    {
      ...{ ...SYNCED, account: 'read', creatives: 'read', creative_ids: 'read', assignments: 'read' },
      ...{ delete_missing: 'read', dry_run: 'read', validation_mode: 'read' },
      assignment_operations: 'read',
    },
  ],
  ['sync_creatives', 'creative/sync-creatives-request.json', ['creatives'], SYNCED_CREATIVE],
  ['sync_creatives', 'creative/sync-creatives-request.json', ['creatives', 'format_id'], FORMAT_ID],
  ['sync_creatives', 'creative/sync-creatives-request.json', ['creatives', 'format_option_ref'], FORMAT_OPTION],
  [
    'sync_creatives',
    'creative/sync-creatives-request.json',
    ['assignments'],
    // Even weights are taken; what is refused of these, truth.test.ts sends.
    { creative_id: 'read', package_id: 'read', weight: 'read', placement_ids: 'read' },
  ],
  [
    'sync_creatives',
    'creative/sync-creatives-request.json',
    ['assignment_operations'],
    {
      ...{ operation: 'read', creative_id: 'read', package_id: 'read', replaces_creative_id: 'read' },
      ...{ weight: 'refused', placement_ids: { refused: ['top'] } },
    },
  ],
  [
    'sync_accounts',
    'account/sync-accounts-request.json',
    [],
    { ...SYNCED, accounts: 'read', dry_run: 'read', delete_missing: { refused: true } },
  ],
  ['sync_governance', 'account/sync-governance-request.json', [], { ...SYNCED, accounts: 'read' }],
  [
    'provide_performance_feedback',
    'media-buy/provide-performance-feedback-request.json',
    [],
    {
      ...{ ...SYNCED, media_buy_id: 'read', package_id: 'read', creative_id: 'read', measurement_period: 'read' },
      ...{ performance_index: 'read', metric_type: 'read', feedback_source: 'read' },
      ...names({ ignored: 'it is how a score came about, and a score changes nothing of a buy' }, ...FEEDBACK_FACTS),
      // Beside a metric_type it says the same.
      metric: { refused: { scope: 'standard', metric_id: 'ctr' } },
      supersedes_feedback_id: { refused: 'f' },
    },
  ],
  ['list_creatives', 'creative/list-creatives-request.json', [], CREATIVES],
  ['list_creatives', 'creative/list-creatives-request.json', ['filters'], CREATIVE_FILTERS],
  ['list_creative_formats', 'media-buy/list-creative-formats-request.json', [], FORMATS],
  ['get_products', 'media-buy/get-products-request.json', [], PRODUCTS],
  ['get_products', 'media-buy/get-products-request.json', ['filters'], PRODUCT_FILTERS],
  ['list_products', 'media-buy/list-products-request.json', [], LISTED_PRODUCTS],
  ['list_products', 'media-buy/list-products-request.json', ['criteria'], CRITERIA],
  ['list_products', 'media-buy/list-products-request.json', ['criteria', 'offer_filters'], PRODUCT_FILTERS],
  ['get_media_buys', 'media-buy/get-media-buys-request.json', [], MEDIA_BUYS],
  ['get_media_buy_delivery', 'media-buy/get-media-buy-delivery-request.json', [], DELIVERY],
];

const NAMES = Object.fromEntries(
  RELEASES.map((release) => [release, propertyNames(new URL(`../adcp-schemas/${release}.json.gz`, import.meta.url))]),
) as Record<Release, ReturnType<typeof propertyNames>>;

/** Whose schemas have no place for an error instead of a list. */
const LISTS = new Set([
  ...['list_creatives', 'list_creative_formats', 'get_products', 'list_products', 'get_media_buys'],
  'get_media_buy_delivery',
]);
/** What holds one thing, and no list of such. */
const OBJECTS = new Set(['filters', 'criteria', 'offer_filters', 'format_id', 'format_option_ref']);

/** A path into a request, such as `packages[0].creatives[0].`. */
const pathOf = (steps: readonly string[]) => steps.map((step) => `${step}${OBJECTS.has(step) ? '' : '[0]'}.`).join('');

const isRefused = (fate: Fate) => fate === 'refused' || (typeof fate === 'object' && 'refused' in fate);
const valueOf = (fate: Fate) => (typeof fate === 'object' && 'refused' in fate ? fate.refused : 5);

describe('[D4.refused] of every request that changes something, and of those that read what is for sale, bought and delivered', () => {
  it.each(REQUESTS)('%s (%s) %j: every property that a release has for it is known here', (_, path, steps, fates) => {
    const named = new Set<string>();
    for (const release of RELEASES) {
      for (const name of NAMES[release](path, ...steps) ?? []) named.add(name);
    }
    const known = new Set(Object.keys(fates));
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
    expect(named.size).toBeGreaterThan(0);
  });

  describe('what is refused', () => {
    let at: TestAgent;
    let line: Json;
    let media_buy_id: string;
    let package_id: string;
    let feed_version: string;
    let revision: number;
    beforeAll(async () => {
      at = await startTestAgent('sqlite', { env: { CREATIVE_REVIEW_SECONDS: '0' } });
      line = await packageForSale(at);
      const made = await ask('3.1', 'create_media_buy', orderOf(line));
      media_buy_id = String(made['media_buy_id']);
      package_id = (made['packages'] as [{ package_id: string }])[0].package_id;
      feed_version = String((await ask('3.2', 'list_products', {}))['feed_version']);
    });
    afterAll(() => at.stop());

    async function ask(release: Release, skill: string, parameters: Json): Promise<Json> {
      const body = bodyOf(await callPublic(at, skill, { adcp_version: release, ...parameters }));
      if (!(LISTS.has(skill) && 'adcp_error' in body)) expect(schemaErrors(skill, release, body)).toEqual([]);
      return body;
    }

    /** A request that would be done, with more in it. */
    function request(skill: string, [list, inner]: readonly string[], more: Json): Json {
      const [whole, one]: [Json, Json] =
        list === undefined
          ? [more, {}]
          : inner === undefined
            ? [{}, more]
            : [{}, { [inner]: [{ creative_id: 'c', name: 'c', ...more }] }];
      const account = accountOf('acme.example');
      const keyed = { account, idempotency_key: randomUUID() };
      const change = { ...keyed, media_buy_id, packages: [{ package_id, budget: 19_000, ...one }] };
      switch (skill) {
        case 'create_media_buy':
          return orderOf({ ...line, ...one }, whole);
        case 'buy_products': {
          const { packages: _packages, brand: _brand, ...order } = orderOf(line);
          return { ...order, feed_version, purchases: [{ ...line, ...one }], ...whole };
        }
        case 'update_media_buy':
          if (list === 'new_packages') return { ...keyed, media_buy_id, new_packages: [{ ...line, ...one }] };
          return { ...change, ...whole };
        case 'control_media_buy':
          return { ...change, revision, ...whole };
        case 'list_creatives':
        case 'list_products':
          return { account, ...(list === undefined ? whole : { [list]: one }) };
        case 'provide_performance_feedback':
          return { ...keyed, media_buy_id, measurement_period: lastDay(), performance_index: 1, ...whole };
        case 'list_creative_formats':
        case 'get_media_buy_delivery':
          return whole;
        case 'get_products':
          return { account, buying_mode: 'wholesale', ...whole };
        default:
          return {
            ...{ ...keyed, accounts: [account], creatives: [{ creative_id: 'c', name: 'c' }], ...whole },
            ...(list === 'creatives' && { creatives: [{ creative_id: 'c', name: 'c', ...one }] }),
            ...(list === 'assignment_operations' && {
              assignment_operations: [{ operation: 'assign', creative_id: 'c', package_id, ...one }],
            }),
          };
      }
    }

    const cases = REQUESTS.flatMap(([skill, path, steps, fates]) =>
      RELEASES.flatMap((release) => {
        const names = new Set(NAMES[release](path, ...steps));
        const refused = Object.entries(fates).filter(([name, fate]) => names.has(name) && isRefused(fate));
        return refused.length === 0 ? [] : [{ skill, release, steps, at: pathOf(steps), refused }];
      }),
    );

    it.each(cases)(
      'by $skill of $release at $at is refused by name, and changes nothing',
      async ({ skill, release, steps, at: within, refused }) => {
        const { mediaBuys } = at.core.sales;
        const before = [await mediaBuys.count({}), await mediaBuys.get(media_buy_id)] as const;
        revision = before[1]?.revision ?? 0;
        for (const [name, fate] of refused) {
          const body = await ask(release, skill, request(skill, steps, { [name]: valueOf(fate) }));
          const code = expect.stringMatching(
            name === 'proposal_id'
              ? /^(PROPOSAL|REFERENCE)_NOT_FOUND$/
              : /^(UNSUPPORTED_FEATURE|TERMS_REJECTED|NOT_CANCELLABLE)$/,
          ) as unknown;
          const field = `${within}${name}`;
          expect([name, body]).toMatchObject([name, { adcp_error: { code, field } }]);
        }
        expect([await mediaBuys.count({}), await mediaBuys.get(media_buy_id)]).toEqual(before);
      },
    );

    it.each(RELEASES)(
      'breakdowns and windows of %s that are not had are left out of what was delivered',
      async (release) => {
        const told = await ask(release, 'get_media_buy_delivery', {
          media_buy_ids: [media_buy_id],
          reporting_dimensions: { device_type: {}, geo: { geo_level: 'country' } },
          attribution_window: { post_click: { interval: 7, unit: 'days' } },
        });
        expect(told).not.toHaveProperty('attribution_window');
        const [row] = told['media_buy_deliveries'] as [{ by_package: Json[] }];
        expect(row.by_package).toHaveLength(1);
        expect(row.by_package.flatMap((one) => Object.keys(one)).filter((name) => name.startsWith('by_'))).toEqual([]);
      },
    );

    it('a package of 3.2 without a budget, and a budget that is taken away, are refused by name, in words of the request', async () => {
      const error = (field: string, code = 'UNSUPPORTED_FEATURE') => ({
        adcp_error: { code, field, message: expect.stringMatching(`^${field.replace(/[[\]]/g, '.')}:`) as unknown },
      });
      for (const budget of [null, undefined]) {
        const made = await ask('3.2', 'create_media_buy', orderOf({ ...line, budget }));
        expect(made).toMatchObject(error('packages[0].budget'));
      }
      const taken = await ask('3.2', 'update_media_buy', request('update_media_buy', ['packages'], { budget: null }));
      expect(taken).toMatchObject(error('packages[0].budget'));
      const low = await ask('3.2', 'update_media_buy', request('update_media_buy', ['packages'], { budget: 0.01 }));
      expect(low).toMatchObject(error('packages[0].budget', 'BUDGET_TOO_LOW'));
    });

    it('a control that is no change by itself is refused by name, too, and one that says nothing is passed over', async () => {
      const account = accountOf('acme.example');
      const alone = { account, media_buy_id, idempotency_key: randomUUID(), daily_budget_cap: 5 };
      expect(await ask('3.2', 'update_media_buy', alone)).toMatchObject({
        adcp_error: { code: 'UNSUPPORTED_FEATURE', field: 'daily_budget_cap' },
      });
      const none = { pacing: 'even', daily_budget_cap: null, frequency_cap: null, bidding: null };
      const booked = await ask(
        '3.2',
        'create_media_buy',
        orderOf({ ...line, pacing: 'even' }, { ...none, name: 'Spring' }),
      );
      expect(booked).toHaveProperty('media_buy_id');
      const { media_buys } = await ask('3.2', 'get_media_buys', { media_buy_ids: [booked['media_buy_id']] });
      expect(media_buys).toMatchObject([{ name: 'Spring' }]);
    });
  });
});
