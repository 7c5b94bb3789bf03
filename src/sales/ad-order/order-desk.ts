import { toTimestamp } from '../../platform/clock.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Page } from '../../platform/store/collection.ts';
import type { AdOrder } from '../ad-server/ad-order.ts';
import { adVersionOf, holdingOf } from '../media-buy/holding.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { Measure } from '../delivery/measure.ts';
import { overDelivery } from '../statement/delivery-book.ts';
import type { DeliveryBook } from '../statement/delivery-book.ts';
import { adOrderOf, adOrderStateOf } from './ad-order-of.ts';
import type { AdOrderRow } from './ad-order-row.ts';
import { askForReport } from './ask-for-report.ts';
import type { AdServerHealth } from './breaker.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import { cancelBySeller } from './cancel-by-seller.ts';
import type { Courier } from './courier.ts';
import { giveUpOrder } from './give-up.ts';
import { holdBySeller, releaseBySeller } from './hold-by-seller.ts';
import { lookAtOrder, lookDue } from './look.ts';
import type { OrderLookDependencies } from './look.ts';
import { pushOrder, unknownOrder } from './push.ts';
import { ringForOrder } from './ring.ts';

export type OrderDeskDependencies = OrderLookDependencies &
  Pick<CourierDependencies, 'ad_server_id' | 'books'> & { courier: Courier };

/** An ad server as anybody may know it. */
export interface AdServerState extends Pick<AdServerHealth, 'state'> {
  id: string;
  /** Since when; null while nothing has ever failed. */
  since: string | null;
  orders_waiting: number;
}

/** A buy's order with all that is known of it. */
export interface OrderInFull {
  buy: MediaBuy;
  row: AdOrderRow | undefined;
  /** As it is told now, or was told last, or is to be told next. */
  order: AdOrder;
  /** What was delivered beyond what is billed, by package; none for those that kept within. */
  over_delivery: (Measure & { package_id: string })[];
}

export interface OrderPage {
  limit: number;
  after?: string | undefined;
}

/** What people at the seller see of orders at the ad server, and do about them. */
export interface OrderDesk {
  /** Buys that wait for an answer of the ad server, what is to be told first coming first. */
  waiting(page: OrderPage): Promise<Page<MediaBuy>>;
  /** Orders that are known to stand otherwise than told, the longest first. */
  drifted(page: OrderPage): Promise<Page<AdOrderRow>>;
  rowsOf(media_buy_ids: readonly MediaBuyId[]): Promise<AdOrderRow[]>;
  /** @throws {AppError} `NOT_FOUND`. */
  show(media_buy_id: MediaBuyId): Promise<OrderInFull>;
  health(): Promise<AdServerHealth | undefined>;
  /** All ad servers: there is one. */
  states(): Promise<AdServerState[]>;
  /** See `lookDue`. */
  lookDue(): Promise<number>;
  /** Makes every order due to be looked at. Answers how many. */
  hurryLooks(): Promise<number>;
  /** See `lookAtOrder`. @throws {AppError} `NOT_FOUND`; and what the ad server's `read` throws. */
  look(media_buy_id: MediaBuyId): Promise<void>;
  /** See `ringForOrder`. */
  ring(ring: { ad_server_id: string; media_buy_id: MediaBuyId }): Promise<boolean>;
  /** See `pushOrder`. */
  push(media_buy_id: MediaBuyId): Promise<MediaBuy>;
  /** See `cancelBySeller`. */
  cancel(media_buy_id: MediaBuyId, reason: string): Promise<MediaBuy>;
  /** See `holdBySeller`. */
  hold(media_buy_id: MediaBuyId, held: { reason: string; by: string }): Promise<MediaBuy>;
  /** See `releaseBySeller`. */
  release(media_buy_id: MediaBuyId): Promise<MediaBuy>;
  /** See `askForReport`. */
  askForReport(media_buy_id: MediaBuyId): Promise<MediaBuy>;
  /** See `giveUpOrder`. */
  giveUp(media_buy_id: MediaBuyId, how: { reason: string; isForced: boolean }): Promise<MediaBuy>;
}

export function createOrderDesk(deps: OrderDeskDependencies): OrderDesk {
  const { mediaBuys, adOrders, breaker, clock, courier, ad_server_id } = deps;
  return {
    waiting: ({ limit, after }) =>
      mediaBuys.find({
        where: { order_urgency: { gte: 0 } },
        sort: { field: 'order_urgency', direction: 'asc' },
        ...{ limit, ...(after !== undefined && { after }) },
      }),
    drifted: ({ limit, after }) =>
      adOrders.find({
        where: { drift_since: { gt: '' } },
        sort: { field: 'drift_since', direction: 'asc' },
        ...{ limit, ...(after !== undefined && { after }) },
      }),
    rowsOf: (media_buy_ids) => adOrders.getMany(media_buy_ids, { skipUnreadable: true }),
    async show(media_buy_id) {
      const buy = await mediaBuys.get(media_buy_id);
      if (buy === undefined) throw unknownOrder(media_buy_id);
      const { facts } = await courier.look(buy);
      // What was never told would be told as the first version.
      const version = holdingOf(buy)?.version ?? Math.max(1, adVersionOf(buy));
      const order = buy.stop?.order ?? buy.open_change?.order ?? adOrderOf(buy, adOrderStateOf(buy), version, facts);
      const book = await deps.books.get(media_buy_id);
      return { buy, row: await adOrders.get(media_buy_id), order, over_delivery: overDeliveryIn(book) };
    },
    health: () => breaker.read(),
    async states() {
      const [health, orders_waiting] = await Promise.all([
        breaker.read(),
        mediaBuys.count({ order_urgency: { gte: 0 } }),
      ]);
      const { state = 'closed', since = null } = health ?? {};
      return [{ id: ad_server_id, state, since, orders_waiting }];
    },
    lookDue: () => lookDue(deps),
    async hurryLooks() {
      const look_due_at = toTimestamp(clock.now());
      let hurried = 0;
      for await (const { media_buy_id } of allRows(adOrders, { where: { look_due_at: { gt: look_due_at } } })) {
        const outcome = await adOrders.update(media_buy_id, (row) =>
          (row.look_due_at ?? '') > look_due_at ? { ...row, look_due_at } : undefined,
        );
        if (outcome?.changed === true) hurried += 1;
      }
      return hurried;
    },
    async look(media_buy_id) {
      if ((await mediaBuys.get(media_buy_id)) === undefined) throw unknownOrder(media_buy_id);
      await lookAtOrder(deps, media_buy_id);
    },
    ring: (ring) => ringForOrder(deps, ring),
    push: (media_buy_id) => pushOrder(deps, media_buy_id),
    cancel: (media_buy_id, reason) => cancelBySeller(deps, media_buy_id, reason),
    hold: (media_buy_id, held) => holdBySeller(deps, media_buy_id, held),
    release: (media_buy_id) => releaseBySeller(deps, media_buy_id),
    askForReport: (media_buy_id) => askForReport(deps, media_buy_id),
    giveUp: (media_buy_id, how) => giveUpOrder(deps, media_buy_id, how),
  };
}

function overDeliveryIn(book: DeliveryBook | undefined): OrderInFull['over_delivery'] {
  return Object.entries(book?.lines ?? {}).flatMap(([package_id, line]) =>
    line.beyond === '' ? [] : [{ package_id, ...overDelivery(line) }],
  );
}
