import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { result } from '../tasks/support/calls.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { accountOf, orderOf } from './support/booking.ts';
import { bodyOf, callPublic, RELEASES, schemaErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

interface Names {
  enum: string[];
  enumMetadata?: Record<string, { rollup?: string[] }>;
}

/** What the official schemas of a release know that can be done with a media buy, and which names stand for several. */
function namesOf(release: Release): Names {
  const file = new URL(`../adcp-schemas/${release}.json.gz`, import.meta.url);
  const schemas = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Record<string, Names>;
  return schemas['enums/media-buy-valid-action.json'] ?? expect.unreachable();
}

/** In 3.0 nobody says what its names stand for. */
const IN_3_0: Record<string, string[]> = {
  update_budget: ['increase_budget', 'decrease_budget'],
  update_dates: ['extend_flight', 'shorten_flight'],
  update_packages: ['increase_budget', 'update_targeting'],
  sync_creatives: ['replace_creative', 'update_creative_assignments', 'remove_creative'],
};

interface Bought {
  media_buy_id: string;
  revision: number;
  start_time: string;
  end_time: string;
  packages: { package_id: string; product_id: string; pricing_option_id: string; budget: number }[];
}

/** What a product says may be done with what is bought of it. */
interface Allowed {
  action: string;
  modes: string[];
  allowed_statuses: string[];
}

const DAY = 86_400_000;
const later = (time: string, days: number) => new Date(Date.parse(time) + days * DAY).toISOString();
const FIXED = { product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget: 20_000 };
const AUCTION = { ...FIXED, pricing_option_id: 'ros_auction_usd', bid_price: 4 };
/** It may not be capped. */
const SPONSORED = { product_id: 'ledger_markets_sponsorship', pricing_option_id: 'markets_week_usd', budget: 30_000 };
const CREATIVES = ['first', 'second'].map((creative_id) => ({ creative_id }));

/** What is sent for each action of the protocol; what is not here, another test sends or nothing can ask for. */
function asked(action: string, { packages, start_time, end_time }: Bought, image: Json): Json {
  const [one, two = one] = packages;
  if (one === undefined || two === undefined) throw new Error('there is no package');
  const { package_id, product_id, pricing_option_id, budget } = one;
  const ofOne = (more: Json) => ({ packages: [{ package_id, ...more }] });
  const requests: Record<string, Json> = {
    pause: { paused: true },
    resume: { paused: false },
    cancel: { canceled: true },
    update_name: { name: 'another' },
    increase_budget: ofOne({ budget: budget + 500 }),
    decrease_budget: ofOne({ budget: budget - 100 }),
    reallocate_budget: {
      packages: [
        { package_id, budget: budget + 50 },
        ...(two === one ? [] : [{ package_id: two.package_id, budget: two.budget - 50 }]),
      ],
    },
    update_budget_allocation: { budget_allocation: { mode: 'flexible' } },
    extend_flight: { end_time: later(end_time, 1) },
    shorten_flight: { end_time: later(end_time, -1) },
    update_flight_dates: { start_time: later(start_time, 1), end_time: later(end_time, 1) },
    update_targeting: ofOne({ targeting_overlay: { geo_countries: ['US'] } }),
    update_frequency_caps: ofOne({
      targeting_overlay: {
        frequency_cap: { max_impressions: 3, per: 'devices', window: { interval: 1, unit: 'days' } },
      },
    }),
    update_pacing: ofOne({ pacing: 'front_loaded' }),
    update_bidding: { packages: [{ package_id: two.package_id, bidding: { max_bid: 5 } }] },
    add_packages: { new_packages: [{ product_id, pricing_option_id, budget }] },
    remove_packages: ofOne({ canceled: true }),
    replace_creative: ofOne({ creatives: [{ ...image, creative_id: 'first', name: 'Anew' }] }),
    update_creative_assignments: ofOne({ creative_assignments: [...CREATIVES].reverse() }),
    remove_creative: ofOne({ creative_assignments: CREATIVES.slice(0, 1) }),
  };
  return requests[action] ?? expect.unreachable(action);
}

describeOnStores('[D3.actions] what a media buy says may be done with it, on %s,', (store) => {
  let at: TestAgent;
  beforeAll(async () => {
    at = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '0' } });
  });
  afterAll(() => at.stop());

  async function ask(release: Release, skill: string, parameters: Json): Promise<Json> {
    const body = bodyOf(await callPublic(at, skill, { adcp_version: release, ...parameters }));
    expect(schemaErrors(skill, release, body)).toEqual([]);
    return body;
  }
  const image = () => ({
    name: 'Banner',
    format_id: { agent_url: at.baseUrl, id: 'display_300x250' },
    assets: { image: { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 } },
  });
  /** An account with a library of its own. */
  function buyer() {
    const brand = { domain: `b${randomUUID().slice(0, 8)}.example` };
    return { account: accountOf(brand.domain), brand };
  }
  type Buyer = ReturnType<typeof buyer>;
  const change = (release: Release, { account }: Buyer, media_buy_id: string, more: Json) =>
    ask(release, 'update_media_buy', { account, media_buy_id, idempotency_key: randomUUID(), ...more });
  async function read(release: Release, { account }: Buyer, media_buy_id: string): Promise<Json> {
    const { media_buys } = await ask(release, 'get_media_buys', { account, media_buy_ids: [media_buy_id] });
    return (media_buys as Json[])[0] ?? expect.unreachable();
  }
  async function book(by: Buyer, lines: Json[], more: Json = {}): Promise<Bought> {
    const creatives = CREATIVES.map(({ creative_id }) => ({ ...image(), creative_id }));
    await ask('3.1', 'sync_creatives', { account: by.account, idempotency_key: randomUUID(), creatives });
    const made = await ask('3.1', 'create_media_buy', orderOf({}, { ...by, packages: lines, ...more }));
    const buy = made as unknown as Bought;
    // What it waits for moves on by itself, and its revision with it.
    const isSupplied = lines.every((line) => 'creative_assignments' in line);
    const settled = isSupplied ? ['start_time', undefined] : ['creatives'];
    await until(async () => settled.includes((await ours(buy.media_buy_id))['pending_reason'] as string | undefined));
    return buy;
  }
  const supplied = (by: Buyer, more: Json = {}): Promise<Bought> => {
    const lines = [FIXED, AUCTION].map((line) => ({ ...line, creative_assignments: CREATIVES }));
    return book(by, lines, more);
  };
  async function ours(media_buy_id: string): Promise<Json> {
    const { media_buys } = await result(at, 'get_media_buys', { media_buy_ids: [media_buy_id] });
    return (media_buys as Json[])[0] ?? expect.unreachable();
  }
  async function running(by: Buyer): Promise<Bought> {
    const buy = await supplied(by);
    await until(async () => (await ours(buy.media_buy_id))['status'] === 'active');
    return buy;
  }
  async function then(by: Buyer, buy: Bought, more: Json): Promise<Bought> {
    expect(await change('3.1', by, buy.media_buy_id, more)).not.toHaveProperty('adcp_error');
    return buy;
  }
  const soon = () => ({ start_time: later(new Date().toISOString(), 3) });

  const STANDINGS: Record<string, (by: Buyer) => Promise<Bought>> = {
    'waits for creatives': (by) => book(by, [FIXED, AUCTION]),
    'was paused while it waits': async (by) => then(by, await book(by, [FIXED, AUCTION]), { paused: true }),
    'was booked paused': (by) => supplied(by, { paused: true }),
    'has yet to start': (by) => supplied(by, soon()),
    'was paused before its start': async (by) => then(by, await supplied(by, soon()), { paused: true }),
    'is of a flat fee, and of no auction': (by) => {
      const start_time = later(new Date().toISOString(), 9);
      return book(by, [SPONSORED], { start_time, end_time: later(start_time, 14) });
    },
    runs: running,
    'is paused': async (by) => then(by, await running(by), { paused: true }),
    'is held by the seller': async (by) => {
      const buy = await running(by);
      const held = await operate(at, 'POST', `/media-buys/${buy.media_buy_id}/hold`, { reason: 'the page is down' });
      expect(held.status).toBe(200);
      await until(async () => (await ours(buy.media_buy_id))['status'] === 'paused');
      return buy;
    },
    'is canceled': async (by) => then(by, await book(by, [FIXED, AUCTION]), { canceled: true }),
    'is of an account that is suspended': async (by) => {
      const buy = await running(by);
      const { account_id = '' } = (await at.core.sales.mediaBuys.get(MediaBuyId.parse(buy.media_buy_id))) ?? {};
      const status = 'suspended';
      const moved = await operate(at, 'POST', `/buyer-accounts/${account_id}/move`, { status, reason: 'owes' });
      expect(moved.status).toBe(200);
      return buy;
    },
  };
  /** These leave it as something else than it was. */
  const MOVES = ['pause', 'resume', 'cancel'];

  /** The newest release has the most names; in the others some are enough. What a store could lose of a buy, it loses in these. */
  const CASES = RELEASES.flatMap((release) =>
    Object.keys(STANDINGS)
      .filter(
        (standing) =>
          standing === (release === '3.0' ? 'waits for creatives' : 'runs') ||
          (release === '3.2' && (store === 'sqlite' || standing === 'is held by the seller')),
      )
      .map((standing) => [release, standing] as const),
  );
  it.each(CASES)('in %s, that %s: all that is told is taken, and nothing else', async (release, standing) => {
    const make = STANDINGS[standing] ?? expect.unreachable();
    const { enum: all, enumMetadata: known = {} } = namesOf(release);
    const several = (action: string) => (release === '3.0' ? IN_3_0[action] : known[action]?.rollup);
    const single = new Set(all.flatMap((action) => several(action) ?? [action]));
    const order = [...single].sort((a, b) => MOVES.indexOf(a) - MOVES.indexOf(b));
    const taken = new Set<string>();
    let by = buyer();
    let buy = await make(by);
    const first = await read(release, by, buy.media_buy_id);
    const told = first['valid_actions'] as string[];
    for (const action of order) {
      if (MOVES.includes(action) && taken.size > 0) {
        by = buyer();
        buy = await make(by);
      }
      const before = await read(release, by, buy.media_buy_id);
      expect([action, before['valid_actions']]).toEqual([action, told]);
      const now = { ...buy, ...before };
      const answer = await change(release, by, buy.media_buy_id, asked(action, now, image()));
      if (answer['adcp_error'] !== undefined) continue;
      // What finds all as it wants it is answered, and changes nothing.
      if (answer['revision'] !== before['revision']) taken.add(action);
    }
    const isTaken = (action: string) => (several(action) ?? [action]).every((one) => taken.has(one));
    expect([...told].sort()).toEqual(all.filter(isTaken).sort());
    const available = first['available_actions'] as { action: string }[] | undefined;
    expect(available?.map(({ action }) => action)).toEqual(release === '3.0' ? undefined : told);
  });

  it('in the closed lists of 3.2, with the task that does it: that task takes it, and nothing else', async () => {
    const by = buyer();
    const { media_buy_id } = await running(by);
    const control = async (action: string): Promise<Json> => {
      const now = (await read('3.2', by, media_buy_id)) as unknown as Bought;
      const { account } = by;
      const keyed = { account, media_buy_id, revision: now.revision, idempotency_key: randomUUID() };
      return ask('3.2', 'control_media_buy', { ...keyed, ...asked(action, now, image()) });
    };
    const first = await control('increase_budget');
    expect(first).not.toHaveProperty('adcp_error');
    const { available_actions: told } = first;
    const taken: Json[] = [];
    const moves = [...namesOf('3.2').enum].filter((action) => !(action in IN_3_0) && action !== 'resume');
    for (const action of moves.sort((a, b) => MOVES.indexOf(a) - MOVES.indexOf(b))) {
      if ((await control(action))['adcp_error'] === undefined) taken.push({ task: 'control_media_buy', action });
      if (action === 'pause') expect(await control('resume')).not.toHaveProperty('adcp_error');
    }
    const named = (told as Json[]).map(({ task, action }) => ({ task, action }));
    const webhook = { task: 'control_media_buy', action: 'update_reporting_webhook' };
    const ofCreatives = ['replace_creative', 'update_creative_assignments', 'remove_creative'].map((action) => ({
      ...{ task: 'sync_creatives', action },
    }));
    const all = [...taken, webhook, ...ofCreatives];
    expect(named).toHaveLength(all.length);
    expect(named).toEqual(expect.arrayContaining(all));
    const bids = (told as Json[]).find(({ action }) => action === 'update_bidding');
    expect(bids?.['applicable_package_ids']).toHaveLength(1);
  });

  it('is what its products say may be done, as which it stands', async () => {
    const { products: listed } = await ask('3.2', 'list_products', {});
    for (const release of RELEASES) {
      const { products } = await ask(release, 'get_products', { buying_mode: 'wholesale' });
      const [sold, row] = [products, listed].map((all) =>
        (all as Json[]).find(({ product_id }) => product_id === FIXED.product_id),
      );
      const actions = sold?.['allowed_actions'] as Allowed[] | undefined;
      expect(actions !== undefined).toBe(release !== '3.0');
      if (actions === undefined) continue;
      if (release === '3.2') {
        const inBoth = new Map(actions.map((one) => [one.action, one]));
        const closed = row?.['allowed_actions'] as Allowed[];
        expect(closed.length).toBeGreaterThan(5);
        const others = closed.filter(({ action }) => action !== 'update_reporting_webhook');
        for (const one of others) expect(inBoth.get(one.action)).toEqual(one);
      }
      for (const standing of [
        'waits for creatives',
        'was paused before its start',
        'runs',
        'is paused',
        'is canceled',
      ]) {
        const by = buyer();
        // Where the flight has begun, its start is over, however the buy waits.
        const early = standing === 'waits for creatives' ? book(by, [FIXED, AUCTION], soon()) : undefined;
        const buy = await (early ?? (STANDINGS[standing] ?? expect.unreachable())(by));
        const { status, valid_actions } = await read(release, by, buy.media_buy_id);
        const fitting = actions.filter(({ allowed_statuses }) => allowed_statuses.includes(String(status)));
        // A pause before the start does not show.
        const unseen = String(status).startsWith('pending') ? ['pause', 'resume'] : [];
        const shown = (names: string[]) => names.filter((name) => !unseen.includes(name)).sort();
        expect([standing, shown(fitting.map(({ action }) => action))]).toEqual([
          standing,
          shown(valid_actions as string[]),
        ]);
      }
    }
  });
});
