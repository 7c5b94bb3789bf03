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
  paused: { refused: true },
};
const CREATE: Fates = {
  ...BOOKED,
  ...{ packages: 'read', po_number: 'stored', io_acceptance: 'stored', plan_id: 'stored' },
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
  ...{ paused: 'read', canceled: 'read', cancellation_reason: 'read' },
  ext: IGNORED_EXT,
  governance_context: IGNORED_GOVERNANCE,
  name: { refused: 'spring' },
  total_budget: { refused: { amount: 5, currency: 'USD' } },
};
const UPDATE: Fates = {
  ...CHANGED,
  ...{ start_time: 'read', end_time: 'read', new_packages: 'read' },
  invoice_recipient: { refused: { name: 'Acme' } },
};

const OF_EACH: Fates = {
  ...{ budget: 'read', bid_price: 'read', bidding: 'read', targeting_overlay: 'read' },
  daily_budget_cap: 'refused',
  min_spend_target: 'refused',
  impressions: 'refused',
  pacing: { refused: 'front_loaded' },
  optimization_goals: { refused: [{ kind: 'metric' }] },
  catalogs: { refused: [{ type: 'product' }] },
  catalog_ids: { refused: ['c'] },
  start_time: { refused: '2031-01-01T00:00:00Z' },
  end_time: { refused: '2031-02-01T00:00:00Z' },
};
const ASSIGNED: Fates = { creative_assignments: 'read', creatives: 'read' };
const PURCHASE: Fates = {
  ...OF_EACH,
  ...{ product_id: 'read', pricing_option_id: 'read', measurement_terms: 'read', context: 'stored' },
  ...{ format_ids: 'read', format_kind: 'read', format_option_refs: 'read', params: 'read' },
  ext: IGNORED_EXT,
  agency_estimate_number: { ignored: 'the number of the whole is told again' },
  performance_standards: { refused: [{ metric: 'viewability' }] },
  committed_metrics: { refused: [{ metric_id: 'clicks' }] },
  audience_evidence_requirements: { refused: { minimum_confidence: 1 } },
  audience_evidence_pins: { refused: [{ evidence_id: 'e' }] },
};
const PACKAGE: Fates = {
  ...{ ...PURCHASE, ...ASSIGNED },
  ...{ adcp_version: { ignored: 'the request says it' }, adcp_major_version: { ignored: 'the request says it' } },
  paused: { refused: true },
};
const PACKAGE_CHANGE: Fates = {
  ...{ ...OF_EACH, package_id: 'read', paused: 'read', creative_assignments: 'read' },
  context: { ignored: 'that of the booking is told again' },
  ext: IGNORED_EXT,
  canceled: { refused: true },
  cancellation_reason: { ignored: 'it goes with canceled, which is refused' },
  creatives: { refused: [{ creative_id: 'c', name: 'c' }] },
  keyword_targets_add: { refused: [{ keyword: 'k' }] },
  keyword_targets_remove: { refused: [{ keyword: 'k' }] },
  negative_keywords_add: { refused: [{ keyword: 'k' }] },
  negative_keywords_remove: { refused: [{ keyword: 'k' }] },
};
const ASSIGNMENT: Fates = {
  creative_id: 'read',
  ...{ weight: 'stored', placement_ids: 'stored', placement_refs: 'stored' },
  ...{ group_id: 'stored', rotation_mode: 'stored', sequence_position: 'stored' },
};
const SYNCED: Fates = { ...ENVELOPE, push_notification_config: 'read', ext: IGNORED_EXT };
const FEEDBACK_FACTS = [
  ...['as_of', 'baseline', 'evidence', 'evidence_ref', 'final', 'methodology', 'methodology_version', 'metric'],
  ...['producer', 'study_ref', 'supersedes_feedback_id', 'vendor'],
];

const REQUESTS: readonly (readonly [skill: string, path: string, steps: string[], fates: Fates])[] = [
  ['create_media_buy', 'media-buy/create-media-buy-request.json', [], CREATE],
  ['create_media_buy', 'media-buy/create-media-buy-request.json', ['packages'], PACKAGE],
  ['create_media_buy', 'media-buy/create-media-buy-request.json', ['packages', 'creative_assignments'], ASSIGNMENT],
  ['buy_products', 'media-buy/buy-products-request.json', [], BUY],
  ['buy_products', 'media-buy/buy-products-request.json', ['purchases'], { ...PURCHASE, pricing: 'read' }],
  ['update_media_buy', 'media-buy/update-media-buy-request.json', [], UPDATE],
  ['update_media_buy', 'media-buy/update-media-buy-request.json', ['packages'], PACKAGE_CHANGE],
  ['update_media_buy', 'media-buy/update-media-buy-request.json', ['new_packages'], PACKAGE],
  ['control_media_buy', 'media-buy/control-media-buy-request.json', [], CHANGED],
  ['control_media_buy', 'media-buy/control-media-buy-request.json', ['packages'], PACKAGE_CHANGE],
  [
    'sync_creatives',
    'creative/sync-creatives-request.json',
    [],
    {
      ...{ ...SYNCED, account: 'read', creatives: 'read', creative_ids: 'read', assignments: 'read' },
      ...{ delete_missing: 'read', dry_run: 'read', validation_mode: 'read' },
      assignment_operations: { refused: [{ operation: 'add' }] },
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
      ...Object.fromEntries(FEEDBACK_FACTS.map((name) => [name, { ignored: 'a score changes nothing of a buy' }])),
    },
  ],
];

const NAMES = Object.fromEntries(
  RELEASES.map((release) => [release, propertyNames(new URL(`../adcp-schemas/${release}.json.gz`, import.meta.url))]),
) as Record<Release, ReturnType<typeof propertyNames>>;

const isRefused = (fate: Fate) => fate === 'refused' || (typeof fate === 'object' && 'refused' in fate);
const valueOf = (fate: Fate) => (typeof fate === 'object' && 'refused' in fate ? fate.refused : 5);

describe('[D4.refused] of every request that changes something', () => {
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
      expect(schemaErrors(skill, release, body)).toEqual([]);
      return body;
    }

    /** A request that would be done, with more in it. */
    function request(skill: string, list: string | undefined, more: Json): Json {
      const [whole, one] = list === undefined ? [more, {}] : [{}, more];
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
          return { ...change, revision: 1, ...whole };
        default:
          return { ...keyed, accounts: [account], creatives: [{ creative_id: 'c', name: 'c' }], ...whole };
      }
    }

    const cases = REQUESTS.flatMap(([skill, path, steps, fates]) =>
      RELEASES.flatMap((release) => {
        const names = new Set(NAMES[release](path, ...steps));
        const refused = Object.entries(fates).filter(([name, fate]) => names.has(name) && isRefused(fate));
        return refused.length === 0 ? [] : [{ skill, release, list: steps[0], refused }];
      }),
    );

    it.each(cases)(
      'by $skill of $release in $list is refused by name, and changes nothing',
      async ({ skill, release, list, refused }) => {
        const { mediaBuys } = at.core.sales;
        const before = [await mediaBuys.count({}), await mediaBuys.get(media_buy_id)];
        for (const [name, fate] of refused) {
          const body = await ask(release, skill, request(skill, list, { [name]: valueOf(fate) }));
          const code = expect.stringMatching(/^(UNSUPPORTED_FEATURE|TERMS_REJECTED)$/) as unknown;
          const field = `${list === undefined ? '' : `${list}[0].`}${name}`;
          expect([name, body]).toMatchObject([name, { adcp_error: { code, field } }]);
        }
        expect([await mediaBuys.count({}), await mediaBuys.get(media_buy_id)]).toEqual(before);
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
      const taken = await ask('3.2', 'update_media_buy', request('update_media_buy', 'packages', { budget: null }));
      expect(taken).toMatchObject(error('packages[0].budget'));
      const low = await ask('3.2', 'update_media_buy', request('update_media_buy', 'packages', { budget: 0.01 }));
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
