import type { Clock } from '../../platform/clock.ts';
import type { Collection, Store } from '../../platform/store/collection.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { noCounters } from '../../platform/metrics/metrics.ts';
import type { Counters } from '../../platform/metrics/metrics.ts';
import type { Logger } from '../../platform/log.ts';
import { Accounts } from '../../sales/account/account.ts';
import type { BuyerAccount } from '../../sales/account/account.ts';
import { AdOrderRows } from '../../sales/ad-order/ad-order-row.ts';
import type { AdOrderRow } from '../../sales/ad-order/ad-order-row.ts';
import { AdServerHealths, createBreaker } from '../../sales/ad-order/breaker.ts';
import type { Breaker } from '../../sales/ad-order/breaker.ts';
import type { CourierDependencies } from '../../sales/ad-order/courier-dependencies.ts';
import { createCourier } from '../../sales/ad-order/courier.ts';
import type { Courier } from '../../sales/ad-order/courier.ts';
import { createDescriber } from '../../sales/ad-order/describer.ts';
import type { Describer } from '../../sales/ad-order/describer.ts';
import { hurryLook } from '../../sales/ad-order/hurry-look.ts';
import { guarded } from '../../sales/ad-order/guarded.ts';
import { createOrderDesk } from '../../sales/ad-order/order-desk.ts';
import type { OrderDesk } from '../../sales/ad-order/order-desk.ts';
import { createAdServerSimulator } from '../../adservers/simulator/ad-server-simulator.ts';
import { bookedFacts, DeliveryBooks } from '../../sales/statement/delivery-book.ts';
import type { BookedFacts } from '../../sales/statement/delivery-book.ts';
import { AskedReportRows, createReportQuota } from '../../sales/statement/report-quota.ts';
import { wakeOrders } from '../../sales/ad-order/wake-orders.ts';
import type { AdServer } from '../../sales/ad-server/ad-server.ts';
import { Approvals } from '../../sales/approval/approval.ts';
import type { Approval } from '../../sales/approval/approval.ts';
import type { Catalog } from '../../sales/catalog.ts';
import { Creatives } from '../../sales/creative/creative.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import type { CreativeReview } from '../../sales/creative/review/creative-review.ts';
import { simulatedReview } from '../../sales/creative/review/simulated-review.ts';
import { CreditLedgers } from '../../sales/credit/credit-ledger.ts';
import type { CreditDependencies } from '../../sales/credit/credit.ts';
import { createFlightClock } from '../../sales/flight/flight-clock.ts';
import type { FlightClock } from '../../sales/flight/flight-clock.ts';
import { createFlights } from '../../sales/flight/flights.ts';
import type { Flights } from '../../sales/flight/flights.ts';
import { Impairments } from '../../sales/impairment/impairment.ts';
import type { Impairment } from '../../sales/impairment/impairment.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { recheckMediaBuy } from '../../sales/media-buy/recheck.ts';
import { MediaBuys } from '../../sales/media-buy/media-buys.ts';
import { PerformanceFeedbacks } from '../../sales/performance-feedback/performance-feedback.ts';
import type { PerformanceFeedback } from '../../sales/performance-feedback/performance-feedback.ts';
import type { Product } from '../../sales/product/product.ts';
import { Outages, readOutages } from '../../sales/property/outage.ts';
import type { Outage } from '../../sales/property/outage.ts';
import { readLimits } from '../../directory/organization/limits.ts';
import { organizations } from '../../directory/organization/organization.ts';
import type { OpenAdServer } from './ad-server.ts';

/** What is sold and delivered: the nouns that tasks, edges and periodic jobs share. */
export interface Sales {
  mediaBuys: Collection<MediaBuy>;
  creatives: Collection<Creative>;
  accounts: Collection<BuyerAccount>;
  performanceFeedback: Collection<PerformanceFeedback>;
  impairments: Collection<Impairment>;
  outages: Collection<Outage>;
  credit: CreditDependencies;
  /** See `RecheckDependencies`. */
  readOutages: (product_ids: readonly string[]) => Promise<ReadonlyMap<string, Outage[]>>;
  clock: Clock;
  review: CreativeReview;
  adServer: AdServer;
  courier: Courier;
  breaker: Breaker;
  /** What the ad server can do, as far as it has said. */
  adServerCan: Describer['known'];
  adOrders: Collection<AdOrderRow>;
  orders: OrderDesk;
  /** The ad server is the embedded simulator: whatever is ordered costs nobody anything. */
  isSimulated: boolean;
  flightClock: FlightClock;
  flights: Flights;
  facts: BookedFacts;
  approvals: Collection<Approval>;
}

export interface SalesOptions {
  store: Store;
  clock: Clock;
  log: Logger;
  /** How many times faster than real time flights are played. */
  simSpeed: number;
  /** How long the simulated review of a creative takes; default 0. */
  creativeReviewMs?: number;
  /** Where orders go; default: an embedded simulator on the same store. */
  adServer?: Pick<OpenAdServer, 'id' | 'adServer' | 'isSimulated'>;
  /** What it is known to be able to do; default: nothing yet. */
  describer?: Describer;
  /** What that ad server is to know of a product; default: nothing. */
  configOf?: (product_id: string) => JsonObject;
  /** What is for sale, to know which properties a product runs on; none are watched without. */
  catalog?: Pick<Catalog, 'products'>;
  /** See `CourierDependencies`; default: `Math.random`. */
  chance?: () => number;
  /** What a buy's row says besides once its flight has come further; see `FlightsDependencies`. */
  onFlightProgress?: (buy: MediaBuy) => MediaBuy;
  /** Counts money; default: nobody does. */
  counters?: Counters;
  /** Told when a task's change has come out; see `Courier`. */
  wakeTask?: (task_id: TaskId) => Promise<unknown>;
}

/** Wires the nouns with the ad server and the creative review. */
export function composeSales(options: SalesOptions): Sales {
  const { store, clock, log, simSpeed, creativeReviewMs = 0, onFlightProgress: onProgress } = options;
  const { describer = createDescriber(clock), counters = noCounters } = options;
  const flightClock = createFlightClock(clock, simSpeed);
  const { id: ad_server_id, adServer, isSimulated } = options.adServer ?? embedded(options);
  const mediaBuys = store.collection(MediaBuys);
  const creatives = store.collection(Creatives);
  const accounts = store.collection(Accounts);
  const adOrders = store.collection(AdOrderRows);
  const breaker = createBreaker({
    ...{ health: store.collection(AdServerHealths), clock, log, ad_server_id },
    probe: () => describer.renew(() => adServer.describe()),
    onClosing: () => wakeOrders({ mediaBuys, clock }),
  });
  const telling: CourierDependencies = {
    ...{
      mediaBuys,
      creatives,
      adOrders,
      adServer,
      ad_server_id,
      breaker,
      clock,
      flightClock,
      log,
      describer,
      counters,
    },
    books: store.collection(DeliveryBooks),
    approvals: store.collection(Approvals),
    configOf: options.configOf ?? (() => ({})),
    chance: options.chance ?? Math.random,
    wakeTask: options.wakeTask ?? (() => Promise.resolve()),
  };
  const courier = createCourier(telling);
  const asked = guarded(adServer, breaker);
  const describe = () => describer.describe(() => asked.describe());
  const flights = createFlights({
    ...{ store, courier, adServer: asked, describe, flightClock, clock, log, counters },
    reports: createReportQuota({ rows: store.collection(AskedReportRows), clock, ad_server_id }),
    onSilence: (media_buy_id) => hurryLook(telling, media_buy_id),
    ...(onProgress && { onProgress }),
  });
  const orders = createOrderDesk({
    ...{ ...telling, courier, recheck: (media_buy_id) => recheckMediaBuy(sales, media_buy_id) },
    adServer: asked,
  });
  const outages = store.collection(Outages);
  const products = options.catalog?.products ?? new Map<string, Product>();
  const sales: Sales = {
    outages,
    readOutages: (product_ids) => readOutages({ outages, products }, product_ids),
    mediaBuys,
    creatives,
    accounts,
    performanceFeedback: store.collection(PerformanceFeedbacks),
    impairments: store.collection(Impairments),
    clock,
    review: simulatedReview({ delayMs: creativeReviewMs }),
    adServer,
    courier,
    breaker,
    adServerCan: () => describer.known(),
    adOrders,
    isSimulated,
    flightClock,
    facts: bookedFacts({ store, clock }),
    approvals: store.collection(Approvals),
    credit: creditOn(store, mediaBuys),
    flights,
    orders,
  };
  return sales;
}

/** What is committed by what stands in the rows, and the limits of the buyers' organizations. */
function creditOn(store: Store, mediaBuys: Collection<MediaBuy>): CreditDependencies {
  const buyers = store.collection(organizations);
  return {
    mediaBuys,
    ledgers: store.collection(CreditLedgers),
    async limitsOf(organization_id) {
      const { approval_over, credit } = await readLimits(buyers, organization_id);
      return { approvalOver: new Map(Object.entries(approval_over)), credit: new Map(Object.entries(credit)) };
    },
  };
}

function embedded({ store, clock, simSpeed }: SalesOptions) {
  const adServer = createAdServerSimulator({ store, clock, clockSpeed: simSpeed });
  return { id: 'default', adServer, isSimulated: true };
}
