import { z } from 'zod';
import { toTimestamp } from '../../../platform/clock.ts';
import { AppError } from '../../../platform/errors.ts';
import { formatMoney } from '../../../platform/money.ts';
import { deliveryRange } from '../../../sales/delivery/delivered-so-far.ts';
import { NOTHING, sumMeasures } from '../../../sales/delivery/measure.ts';
import type { Measure } from '../../../sales/delivery/measure.ts';
import { readDelivery } from '../../../sales/delivery/read-delivery.ts';
import { spentByBuys } from '../../../sales/delivery/spent-by-buys.ts';
import type { Fact } from '../../../sales/delivery/read-delivery.ts';
import { readHealth } from '../../../sales/impairment/impairment-view.ts';
import { MediaBuyStatus } from '../../../sales/media-buy/media-buy.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { agreedTerms } from '../../../sales/media-buy/agreed-terms.ts';
import { toHistoryView, toSellersView } from '../../../sales/media-buy/media-buy-view.ts';
import { saidOfBuy, saidOfPackages } from '../../../sales/media-buy/said-of-buy.ts';
import { pendingChangeOf } from '../../../sales/media-buy/pending-change.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { BuyerAsked, DayOfUtc, Id, IdOfMediaBuy, pageQuery, withinDays } from '../fields.ts';
import { operation } from '../operation.ts';
import type { OperatorDeps } from '../operation.ts';
import { besides, BuyInFullView, flightStands, ListedBuyView, namesOf, toBuyRowView, whose } from './buy-view.ts';

/** So many days of a buy's delivery are told one by one. */
const DAYS_SHOWN = 92;

/** As a buyer wrote it, whole. */
const PoNumber = z.string().min(1, 'must not be empty').max(255, 'must be at most 255 characters');

/** Media buys, newest first; in one state or in any, of one buyer or of all, of one purchase order. */
export const listBuys = operation({
  method: 'get',
  path: '/media-buys',
  summary: 'List media buys, newest first: whose, for how much, what they wait for, and how they do.',
  role: 'viewer',
  query: z.strictObject({
    status: z.enum([...MediaBuyStatus.options, 'all']).default('all'),
    organization_id: BuyerAsked.optional(),
    /** One of that organization's accounts. */
    account_id: Id.optional(),
    po_number: PoNumber.optional(),
    /** Whose flight begins on these days, the latest first: in one state or in any, of all buyers. */
    starts_from: DayOfUtc.optional(),
    starts_until: DayOfUtc.optional(),
    ...pageQuery,
  }),
  answer: z.object({ media_buys: z.array(ListedBuyView), ...pageView }),
  async handle({ query }, { store, sales }) {
    const { status, organization_id, account_id, po_number, starts_from, starts_until, limit, cursor } = query;
    if (account_id !== undefined && organization_id === undefined)
      throw new AppError('VALIDATION_ERROR', 'organization_id: send the organization of the account, too', {
        field: 'organization_id',
      });
    const flight = withinDays('start_time', { since: starts_from, until: starts_until });
    const isByFlight = flight.start_time !== undefined;
    if (isByFlight) assertCarriedByFlight({ organization_id, po_number });
    const page = await sales.mediaBuys.find({
      where: {
        ...(organization_id !== undefined && { organization_id }),
        ...(account_id !== undefined && { account_id }),
        ...(status !== 'all' && { status }),
        ...(isByFlight && status === 'all' && { status: { in: MediaBuyStatus.options } }),
        ...(po_number !== undefined && { po_number }),
        ...flight,
      },
      sort: { field: isByFlight ? 'start_time' : 'created_at', direction: 'desc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    return { media_buys: await listed({ store, sales }, page.rows), ...pageEnd(page.cursor) };
  },
});

/** With how each does: three reads by key, however many there are. */
async function listed({ store, sales }: Pick<OperatorDeps, 'store' | 'sales'>, buys: readonly MediaBuy[]) {
  const flightMs = (buy: Parameters<typeof sales.flightClock.now>[0]) => sales.flightClock.now(buy);
  const [names, healthOf, spent] = await Promise.all([
    namesOf(
      store,
      buys.map((buy) => buy.organization_id),
    ),
    readHealth(
      sales.impairments,
      buys.map((buy) => buy.media_buy_id),
    ),
    spentByBuys(sales.facts, buys, flightMs),
  ]);
  return buys.map((buy): ListedBuyView => ({
    ...toBuyRowView(buy, names),
    health: healthOf(buy.media_buy_id).health,
    spent: formatMoney(spent.get(buy.media_buy_id) ?? 0, buy.currency),
    ...flightStands(buy, flightMs(buy)),
  }));
}

/** The index of flights has them by state alone. @throws {AppError} `VALIDATION_ERROR` for what it does not carry. */
function assertCarriedByFlight(besides: Record<'organization_id' | 'po_number', string | undefined>): void {
  for (const [field, value] of Object.entries(besides)) {
    if (value === undefined) continue;
    throw new AppError('VALIDATION_ERROR', `${field}: not together with starts_from or starts_until`, { field });
  }
}

export const showBuy = operation({
  method: 'get',
  path: '/media-buys/:media_buy_id',
  summary: 'Show a media buy: packages, what they have delivered, what impairs it, and what happened.',
  role: 'viewer',
  params: z.strictObject({ media_buy_id: IdOfMediaBuy }),
  answer: BuyInFullView,
  async handle({ params: { media_buy_id } }, deps) {
    const buy = await deps.sales.mediaBuys.get(media_buy_id);
    if (buy === undefined) throw new AppError('NOT_FOUND', 'no media buy has this id', { field: 'media_buy_id' });
    return buyInFull(deps, buy);
  },
});

/** A media buy with what it has delivered and what impairs it. */
export async function buyInFull({ store, sales }: OperatorDeps, buy: MediaBuy): Promise<BuyInFullView> {
  const { media_buy_id, organization_id, currency, task_id } = buy;
  const [names, healthOf] = await Promise.all([
    namesOf(store, [organization_id]),
    readHealth(sales.impairments, [media_buy_id]),
  ]);
  const flightMs = sales.flightClock.now(buy);
  const facts = await readDelivery(sales.facts, media_buy_id, deliveryRange(buy, flightMs), 'day');
  const pending_change = pendingChangeOf(buy);
  const terms = agreedTerms(buy);
  const said = saidOfBuy(buy);
  const saidOf = saidOfPackages(buy);
  return {
    ...{ ...toSellersView(buy), history: buy.history.map(toHistoryView), ...healthOf(media_buy_id) },
    ...(pending_change !== undefined && { pending_change }),
    ...(terms.size > 0 && {
      agreed_terms: [...terms].map(([package_id, one]) => ({ package_id, measurement_terms: one })),
    }),
    ...(Object.keys(said).length > 0 && { said }),
    ...(saidOf.size > 0 && { said_of_packages: [...saidOf].map(([package_id, one]) => ({ package_id, ...one })) }),
    ...{ ...whose(organization_id, names), ...besides(buy), task_id, ...flightStands(buy, flightMs) },
    delivered: [...summed(facts, ({ package_id }) => package_id)].map(([package_id, measure]) => ({
      ...{ package_id, impressions: measure.impressions, clicks: measure.clicks },
      spend: formatMoney(measure.spend_minor, currency),
    })),
    days: daysOf(facts, currency).slice(-DAYS_SHOWN),
  };
}

function daysOf(facts: readonly Fact[], currency: string): BuyInFullView['days'] {
  let spent_minor = 0;
  const days = summed(facts, ({ fromMs }) => toTimestamp(fromMs).slice(0, 10));
  return [...days].map(([day, { impressions, spend_minor }]) => {
    spent_minor += spend_minor;
    const [spend, spent_so_far] = [formatMoney(spend_minor, currency), formatMoney(spent_minor, currency)];
    return { day, impressions, spend, spent_so_far };
  });
}

function summed(facts: readonly Fact[], by: (fact: Fact) => string): ReadonlyMap<string, Measure> {
  const sums = new Map<string, Measure>();
  for (const fact of facts) sums.set(by(fact), sumMeasures([sums.get(by(fact)) ?? NOTHING, fact]));
  return sums;
}
