import { createAdServerSimulator } from '../../../../src/adservers/simulator/ad-server-simulator.ts';
import type { SimulatorControls } from '../../../../src/adservers/simulator/ad-server-simulator.ts';
import type { SimulatorAbilities } from '../../../../src/adservers/simulator/description.ts';
import { UploadedCreatives } from '../../../../src/adservers/simulator/creatives.ts';
import { AdOrderRecords } from '../../../../src/adservers/simulator/order-row.ts';
import { StatedDays } from '../../../../src/adservers/simulator/stated-hours.ts';
import type { Collection, Store } from '../../../../src/platform/store/collection.ts';
import { noCounters } from '../../../../src/platform/metrics/metrics.ts';
import type { Logger } from '../../../../src/platform/log.ts';
import type { TaskId } from '../../../../src/platform/task-id.ts';
import { AdOrderRows } from '../../../../src/sales/ad-order/ad-order-row.ts';
import type { AdOrderRow } from '../../../../src/sales/ad-order/ad-order-row.ts';
import { AdServerHealths, createBreaker } from '../../../../src/sales/ad-order/breaker.ts';
import type { Breaker } from '../../../../src/sales/ad-order/breaker.ts';
import type { CourierDependencies } from '../../../../src/sales/ad-order/courier-dependencies.ts';
import { createCourier } from '../../../../src/sales/ad-order/courier.ts';
import type { Courier } from '../../../../src/sales/ad-order/courier.ts';
import { createOrderDesk } from '../../../../src/sales/ad-order/order-desk.ts';
import type { OrderDesk } from '../../../../src/sales/ad-order/order-desk.ts';
import { withOpenChange } from '../../../../src/sales/ad-order/open.ts';
import { createDescriber } from '../../../../src/sales/ad-order/describer.ts';
import { hurryLook } from '../../../../src/sales/ad-order/hurry-look.ts';
import { AskedReportRows, createReportQuota } from '../../../../src/sales/statement/report-quota.ts';
import { guarded } from '../../../../src/sales/ad-order/guarded.ts';
import { wakeOrders } from '../../../../src/sales/ad-order/wake-orders.ts';
import type { AdServer } from '../../../../src/sales/ad-server/ad-server.ts';
import { Unreachable } from '../../../../src/sales/ad-server/faults.ts';
import { SimulatedOrders } from '../../../../src/adservers/simulator/simulated-order.ts';
import type { Approval } from '../../../../src/sales/approval/approval.ts';
import { Approvals } from '../../../../src/sales/approval/approval.ts';
import { Creatives, creativeKey } from '../../../../src/sales/creative/creative.ts';
import type { Creative } from '../../../../src/sales/creative/creative.ts';
import { bookedFacts, DeliveryBooks } from '../../../../src/sales/statement/delivery-book.ts';
import type { BookedFacts } from '../../../../src/sales/statement/delivery-book.ts';
import { DeliveryDays, DeliveryMonths } from '../../../../src/sales/delivery/delivery-facts.ts';
import { FlightRows } from '../../../../src/sales/flight/flight.ts';
import { createFlights } from '../../../../src/sales/flight/flights.ts';
import type { Flights } from '../../../../src/sales/flight/flights.ts';
import { createFlightClock } from '../../../../src/sales/flight/flight-clock.ts';
import { Impairments } from '../../../../src/sales/impairment/impairment.ts';
import type { Impairment } from '../../../../src/sales/impairment/impairment.ts';
import type { MediaBuyId } from '../../../../src/sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../../../../src/sales/media-buy/media-buy.ts';
import { MediaBuys } from '../../../../src/sales/media-buy/media-buys.ts';
import { recheckMediaBuy } from '../../../../src/sales/media-buy/recheck.ts';
import { installation, silent } from '../../../directory/support/installation.ts';
import type { TestClock } from '../../../directory/support/installation.ts';
import { mediaBuyId, taskId } from '../../../support/ids.ts';
import { sampleCreative } from '../../support/sample-creative.ts';
import { sampleMediaBuy } from '../../support/sample-media-buy.ts';

const DAY_MS = 86_400_000;

/** Orders on a store of their own, told to the simulated ad server. */
export interface Orders {
  clock: TestClock;
  mediaBuys: Collection<MediaBuy>;
  adOrders: Collection<AdOrderRow>;
  impairments: Collection<Impairment>;
  approvals: Collection<Approval>;
  /** The buyers' library: `c1` of it is on every line. */
  creatives: Collection<Creative>;
  courier: Courier;
  flights: Flights;
  breaker: Breaker;
  facts: BookedFacts;
  desk: OrderDesk;
  adServer: AdServer;
  controls: SimulatorControls;
  /** While true, no call reaches the ad server, and none is noted there. */
  cut: boolean;
  /** No call is answered before this has come to pass. */
  answersAfter: Promise<void>;
  /** Every call that was made, that reached it or not, oldest first. */
  calls: string[];
  /** What the hooks were told, oldest first. */
  told: { impairments: Impairment[]; woken: TaskId[] };
  recheck(media_buy_id: MediaBuyId): Promise<unknown>;
  /** A running buy in its flight, held by the ad server. */
  running(): Promise<MediaBuy>;
  /** A new buy whose inventory is to be held for the task of its name, not told yet. */
  held(changes?: Partial<MediaBuy>): Promise<MediaBuy>;
  close(): Promise<void>;
}

const SPECS = [
  ...[Creatives, MediaBuys, Impairments, AdOrderRows, AdServerHealths, Approvals],
  ...[AdOrderRecords, StatedDays, UploadedCreatives, SimulatedOrders, DeliveryDays, DeliveryMonths, DeliveryBooks],
  ...[FlightRows, AskedReportRows],
];

export async function openOrders(
  kind: Store['kind'] = 'sqlite',
  wrapStore: (store: Store) => Store = (store) => store,
  abilities: SimulatorAbilities = {},
  log: Logger = silent,
): Promise<Orders> {
  const place = await installation(SPECS, kind);
  const { clock } = place;
  const store = wrapStore(place.store);
  const mediaBuys = store.collection(MediaBuys);
  const adOrders = store.collection(AdOrderRows);
  const creatives = store.collection(Creatives);
  const impairments = store.collection(Impairments);
  const approvals = store.collection(Approvals);
  const simulator = createAdServerSimulator({ store, clock, abilities });
  const told: Orders['told'] = { impairments: [], woken: [] };
  const calls: string[] = [];
  const link = { isCut: false, answersAfter: Promise.resolve() };
  const reach = async <T>(name: string, ask: () => Promise<T>): Promise<T> => {
    calls.push(name);
    if (link.isCut) throw new Unreachable('the line is cut', { sent: 'no' });
    await link.answersAfter;
    return ask();
  };
  const adServer: AdServer = {
    ...simulator,
    describe: () => reach('describe', () => simulator.describe()),
    put: (order) => reach(`put ${order.state}`, () => simulator.put(order)),
    read: (id) => reach('read', () => simulator.read(id)),
    statements: (query) => reach('statements', () => simulator.statements(query)),
  };
  const breaker = createBreaker({
    ...{ health: store.collection(AdServerHealths), clock, log: silent, ad_server_id: 'default' },
    probe: () => adServer.describe(),
    onClosing: () => wakeOrders({ mediaBuys, clock }),
  });
  const telling: CourierDependencies = {
    ...{ mediaBuys, creatives, adOrders, adServer, ad_server_id: 'default', breaker, clock, log: silent },
    counters: noCounters,
    flightClock: createFlightClock(clock, 1),
    describer: createDescriber(clock),
    books: store.collection(DeliveryBooks),
    approvals,
    configOf: () => ({}),
    chance: () => 0.5,
    wakeTask: (task_id) => Promise.resolve(told.woken.push(task_id)),
  };
  await telling.describer.renew(() => simulator.describe());
  const courier = createCourier(telling);
  const asked = guarded(adServer, breaker);
  const flights = createFlights({
    ...{ store, courier, adServer: asked, clock, log, flightClock: telling.flightClock, counters: noCounters },
    reports: createReportQuota({ rows: store.collection(AskedReportRows), clock, ad_server_id: 'default' }),
    onSilence: (media_buy_id) => hurryLook(telling, media_buy_id),
    describe: () => telling.describer.describe(() => asked.describe()),
  });
  const recheck = (media_buy_id: MediaBuyId) =>
    recheckMediaBuy(
      {
        ...{ clock, mediaBuys, creatives, impairments, adOrders, courier },
        onImpairment: (impairment) => void told.impairments.push(impairment),
      },
      media_buy_id,
    );
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  const c1 = sampleCreative({ status: 'approved' });
  await creatives.insert({ ...c1, creative_id: 'c1', creative_key: creativeKey(c1.organization_id, 'c1') });
  let made = 0;
  async function held(changes: Partial<MediaBuy> = {}): Promise<MediaBuy> {
    made += 1;
    const { packages, ...buy } = sampleMediaBuy({
      ...{ media_buy_id: mediaBuyId(`mb_${made}`), task_id: taskId(`task_${made}`), buyer_ref: `buy-${made}` },
      ...{ organization_id: c1.organization_id, start_time: at(-DAY_MS), end_time: at(20 * DAY_MS) },
      ...{ created_at: at(-DAY_MS), ad_version: 0, held: null, pending_reason: 'ad_server', ...changes },
    });
    const lines = packages.map((line) => ({ ...line, package_id: `${line.package_id}_${made}`, creative_ids: ['c1'] }));
    const blank: MediaBuy = { ...buy, packages: lines };
    const opened = withOpenChange(blank, { kind: 'hold', task_id: buy.task_id }, await courier.look(blank));
    await mediaBuys.insert(opened);
    return opened;
  }
  return {
    ...{
      clock,
      mediaBuys,
      adOrders,
      impairments,
      approvals,
      creatives,
      courier,
      flights,
      breaker,
      adServer,
      controls: simulator.controls,
      calls,
      told,
    },
    facts: bookedFacts({ store, clock }),
    desk: createOrderDesk({
      ...telling,
      adServer: asked,
      courier,
      recheck,
    }),
    get cut() {
      return link.isCut;
    },
    set cut(isCut) {
      link.isCut = isCut;
    },
    get answersAfter() {
      return link.answersAfter;
    },
    set answersAfter(promise) {
      link.answersAfter = promise;
    },
    recheck,
    held,
    async running() {
      const { media_buy_id } = await held();
      const told = await courier.tell(media_buy_id, { inHand: true });
      if (told?.status !== 'active') throw new Error(`the buy is ${told?.status ?? 'gone'}`);
      return told;
    },
    close: () => place.close(),
  };
}
