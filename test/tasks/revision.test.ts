import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { composeSales } from '../../src/main/wiring/sales.ts';
import { fromTimestamp, toTimestamp } from '../../src/platform/clock.ts';
import { AppError } from '../../src/platform/errors.ts';
import { DAY_MS, floorHour, HOUR_MS } from '../../src/platform/hours.ts';
import { createLogger } from '../../src/platform/log.ts';
import { approved, rejected } from '../../src/sales/approval/decided-buy.ts';
import { creativeKey } from '../../src/sales/creative/creative.ts';
import { exampleCreative } from '../../src/sales/creative/example-creative.ts';
import type { MediaBuy } from '../../src/sales/media-buy/media-buy.ts';
import { toHistoryView, toMediaBuyView } from '../../src/sales/media-buy/media-buy-view.ts';
import { recheckMediaBuy } from '../../src/sales/media-buy/recheck.ts';
import { applyChange } from '../../src/sales/media-buy/apply-change.ts';
import { settleReadiness } from '../../src/sales/media-buy/readiness.ts';
import { assertUpdatable } from '../../src/tasks/update-media-buy/apply.ts';
import { changeOf } from '../../src/tasks/update-media-buy/change-of.ts';
import { planUpdate } from '../../src/tasks/update-media-buy/plan.ts';
import { UpdateMediaBuyRequest } from '../../src/tasks/update-media-buy/schema.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import { openSales } from '../sales/support/open-sales.ts';
import type { OpenSales } from '../sales/support/open-sales.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { sampleMediaBuy } from '../sales/support/sample-media-buy.ts';
import { mediaBuyId, taskId } from '../support/ids.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { until } from '../support/until.ts';
import { makeBuy, refusal } from './support/calls.ts';
import { demoCatalog } from '../sales/support/demo-catalog.ts';

const NONE_ADDED = {
  catalog: await demoCatalog(),
  creativeProblems: [],
  broughtProblems: [],
  nameOf: (id: string) => id,
};

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

/** What `get_media_buys` shows of the row itself, but for the number. */
function shown(buy: MediaBuy): unknown {
  const { revision: _revision, ...view } = toMediaBuyView(buy);
  return { ...view, history: buy.history.map(toHistoryView) };
}

/** What `get_media_buys` shows, without when it changed last. */
const content = (buy: MediaBuy): string => JSON.stringify({ ...(shown(buy) as object), updated_at: '' });

/** One thing that may happen to a buy. */
type Step =
  | { kind: 'update'; updates: object }
  | { kind: 'creative'; status: 'processing' | 'approved' | 'rejected' | 'suspended' }
  | { kind: 'decision'; approves: boolean }
  | { kind: 'time'; hours: number }
  | { kind: 'bookkeeping'; note: number };

const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({
    kind: fc.constant('update' as const),
    updates: fc.oneof(
      fc.record({ status: fc.constantFrom('active', 'paused', 'paused', 'active', 'canceled') }),
      fc.record({ budget_change: fc.integer({ min: -40_000, max: 60_000 }).map((cents) => cents / 100) }),
      fc.record({ targeting: fc.constantFrom({ geo: { countries: ['US'] } }, { geo: { countries: ['CA'] } }) }),
      fc
        .record({ paused: fc.boolean(), budget: fc.constantFrom(2600, 9000, 1) })
        .map((change) => ({ packages: [{ package_id: 'pkg_2', ...change }] })),
    ),
  }),
  fc.record({
    kind: fc.constant('creative' as const),
    status: fc.constantFrom('processing', 'approved', 'approved', 'rejected', 'suspended'),
  }),
  fc.record({ kind: fc.constant('decision' as const), approves: fc.constantFrom(true, true, false) }),
  fc.record({ kind: fc.constant('time' as const), hours: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('bookkeeping' as const), note: fc.nat() }),
);

describe('the revision of a stored buy', () => {
  it('[B2.revision] is raised by one by each write that changes what is shown, and by no other, whatever happens', async () => {
    const sales = await openSales({ at: '2026-03-30T09:17:00.000Z' });
    cleanUp.push(() => sales.close());
    let last: MediaBuy | undefined;
    const seen = { raised: 0, kept: 0 };
    const present = async (key: string) => {
      const buy = await sales.mediaBuys.get(key);
      if (buy === undefined) throw new Error('the buy is gone');
      return buy;
    };
    const look = async ({ collection, key }: { collection: string; key: string }) => {
      // Flights of the buys of earlier runs go on, too.
      if (collection !== 'media_buys' || key !== last?.media_buy_id) return;
      const now = await present(key);
      if (now.row_version === last.row_version) expect(now).toEqual(last);
      else {
        const isRaised = content(now) !== content(last);
        expect(now).toMatchObject({
          row_version: last.row_version + 1,
          revision: last.revision + (isRaised ? 1 : 0),
        });
        if (!isRaised) expect(shown(now)).toEqual(shown(last));
        seen[isRaised ? 'raised' : 'kept'] += 1;
      }
      last = now;
    };
    const store = withStoreHooks(sales.store, { after: look });
    const acting = composeSales({ store, clock: sales.clock, log: createLogger('silent'), simSpeed: 1 });

    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 24 }),
        fc.constantFrom('approval', 'creatives', 'start_time'),
        async (steps, pending_reason) => {
          const { media_buy_id } = await begin(sales, (runs += 1), pending_reason);
          last = await present(media_buy_id);
          for (const [n, one] of steps.entries()) await take(acting, sales, last, one, `task_${runs}_${n}`);
        },
      ),
      { numRuns: 20 },
    );
    expect(seen.raised).toBeGreaterThan(15);
    expect(seen.kept).toBeGreaterThan(20);
  });

  it('[B2.revision] stays through a day of flight with hourly reports and refused changes', async () => {
    const clock = {
      nowMs: Date.parse('2041-03-07T09:17:23.456Z'),
      now() {
        return this.nowMs;
      },
    };
    const agent = await startTestAgent('sqlite', { clock, env: { CREATIVE_REVIEW_SECONDS: '0' } });
    cleanUp.push(() => agent.stop());
    const { catalog, sales } = agent.core;
    const format = [...catalog.formats.values()].find(({ format_id }) => format_id.id === 'ctv_15s');
    if (format === undefined) throw new Error('the catalog has no ctv_15s');
    const line = { product_id: 'ctv_run_of_service', pricing_option_id: 'ctv_ros_fixed_usd', budget: 10_000 };
    const { media_buy_id } = await makeBuy(agent, {
      packages: [{ ...line, creatives: [exampleCreative(format, 'spot', 'Spot')] }],
      start_time: toTimestamp(clock.nowMs + 2 * DAY_MS),
      end_time: toTimestamp(clock.nowMs + 12 * DAY_MS),
      reporting_webhook: { url: 'http://127.0.0.1:9/reports', reporting_frequency: 'hourly' },
    });
    const stored = async () => {
      const buy = await sales.mediaBuys.get(media_buy_id);
      if (buy === undefined) throw new Error('the buy is gone');
      return buy;
    };
    const reports = async () => {
      const where = { organization_id: (await stored()).organization_id, subject_id: media_buy_id };
      const page = await agent.core.store.collection(Deliveries).find({ where, limit: 1000 });
      return page.rows.filter(({ event }) => event !== 'impairment').length;
    };
    /** Time passes by a second at each look, so that what was taken up by a worker is free again some time. */
    const eventually = (isSo: () => Promise<boolean>) =>
      until(async () => {
        clock.nowMs += 1000;
        // As the worker does by itself, each half a second.
        await sales.flights.processDue();
        await agent.core.reporting.processDue();
        return isSo();
      });
    clock.nowMs += 2 * DAY_MS;
    await eventually(async () => (await stored()).status === 'active');
    clock.nowMs += HOUR_MS;
    const before = await stored();
    const reportsBefore = await reports();
    for (let hour = 1; hour <= 24; hour++) {
      clock.nowMs = floorHour(clock.nowMs) + HOUR_MS;
      const recordedMs = clock.nowMs;
      await eventually(async () => {
        const flight = await sales.flights.get(before.media_buy_id);
        return flight !== undefined && fromTimestamp(flight.recorded_until) >= recordedMs;
      });
      if (hour % 6 === 0) {
        const refuse = (updates: object, more = {}) =>
          refusal(agent, 'update_media_buy', { media_buy_id, updates, ...more });
        expect(await refuse({ budget_change: -9_999.99 })).toMatchObject({ code: 'BUDGET_TOO_LOW' });
        expect(await refuse({ status: 'active' })).toMatchObject({ code: 'INVALID_STATE' });
        expect(await refuse({ targeting: { geo: { countries: ['XX'] } } })).toHaveProperty('code');
        expect(await refuse({ budget_change: 5 }, { revision: before.revision - 1 })).toMatchObject({
          code: 'CONFLICT',
          details: { revision: before.revision },
        });
      }
    }
    await eventually(async () => (await reports()) >= reportsBefore + 20);
    const after = await stored();
    expect(withoutParts(after)).toEqual(withoutParts(before));
    expect(after.row_version).toBeGreaterThan(before.row_version);
  });
});

/** The buy without what nobody is answered: how far its flight and its reports have come. */
function withoutParts({ flight, flight_due_at, reporting, reporting_due_at, row_version, ...buy }: MediaBuy) {
  return [buy, [flight, flight_due_at, reporting, reporting_due_at, row_version].map((part) => typeof part)];
}

/** A buy of its own that waits for `pending_reason`, known to the ad server and looked after. */
async function begin(sales: OpenSales, n: number, pending_reason: NonNullable<MediaBuy['pending_reason']>) {
  const media_buy_id = mediaBuyId(`mb_${n}`);
  const now = toTimestamp(sales.clock.now());
  const creative_id = `c${n}`;
  await sales.creatives.insert(sampleCreative({ creative_id, status: 'processing' }));
  const buy = sampleMediaBuy({
    ...{ media_buy_id, buyer_ref: media_buy_id, task_id: taskId(`make_${n}`), pending_reason },
    packages: sampleMediaBuy().packages.map((line) => ({ ...line, creative_ids: [creative_id] })),
    ...{ created_at: now, updated_at: now },
    start_time: toTimestamp(sales.clock.now() + DAY_MS),
    end_time: toTimestamp(sales.clock.now() + 9 * DAY_MS),
  });
  await sales.mediaBuys.insert(buy);
  await sales.flights.open(buy);
  return buy;
}

/** Lets one thing happen, as the program does it. What is refused is no trouble: it must have changed nothing. */
async function take(
  acting: ReturnType<typeof composeSales>,
  { clock }: OpenSales,
  { media_buy_id, organization_id }: MediaBuy,
  happens: Step,
  task: string,
): Promise<void> {
  const { mediaBuys, creatives, flights, flightClock } = acting;
  const at = toTimestamp(clock.now());
  const [creative_id = ''] = (await mediaBuys.get(media_buy_id))?.packages[0]?.creative_ids ?? [];
  const status = (await creatives.get(creativeKey(organization_id, creative_id)))?.status;
  const creativeStatus = (id: string) => (id === creative_id ? status : undefined);
  const refusable = (act: () => MediaBuy): MediaBuy | undefined => {
    try {
      return act();
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  };
  switch (happens.kind) {
    case 'update': {
      const request = UpdateMediaBuyRequest.parse({ media_buy_id, updates: happens.updates });
      const buy = await mediaBuys.get(media_buy_id);
      if (buy === undefined) throw new Error('the buy is gone');
      const facts = { nowMs: clock.now(), awaitsApproval: buy.pending_reason === 'approval', creativeStatus };
      const library = { owner: { organization_id }, seen: new Map(), held: new Map() };
      const none = { flightMs: clock.now(), library, spentMinor: () => 0, products: [], ...NONE_ADDED };
      const next = refusable(() => {
        assertUpdatable(buy, request);
        const plan = planUpdate(buy, request.updates, none);
        const changed = applyChange(buy, changeOf(buy, plan), { task_id: taskId(task), at });
        return settleReadiness(changed, facts, at) ?? changed;
      });
      if (next !== undefined) {
        const written = await mediaBuys.replace(next);
        expect(written?.revision).toBe(next.history.findLast(({ revision }) => revision !== undefined)?.revision);
        await flights.process(media_buy_id);
      }
      break;
    }
    case 'creative':
      await creatives.update(creativeKey(organization_id, creative_id), (row) => ({ ...row, status: happens.status }));
      await recheckMediaBuy(acting, media_buy_id);
      break;
    case 'decision': {
      const facts = { nowMs: flightClock.now({ created_at: at }), creativeStatus };
      const by = { note: null, reason: 'policy', decided_by: null, task_id: taskId(task) } as const;
      await mediaBuys.update(media_buy_id, (buy) => {
        if (buy.pending_reason !== 'approval') return undefined;
        return refusable(() => (happens.approves ? approved(buy, by, facts, at) : rejected(buy, by, at)));
      });
      break;
    }
    case 'time':
      clock.nowMs += happens.hours * HOUR_MS;
      await flights.processDue();
      break;
    case 'bookkeeping':
      await mediaBuys.update(media_buy_id, (buy) => ({
        ...buy,
        ...{ brand_manifest: { note: happens.note }, updated_at: at, revision: happens.note },
      }));
  }
}
