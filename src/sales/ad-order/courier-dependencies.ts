import type { Clock } from '../../platform/clock.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { Counters } from '../../platform/metrics/metrics.ts';
import type { Logger } from '../../platform/log.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { AdServer } from '../ad-server/ad-server.ts';
import type { Approval } from '../approval/approval.ts';
import type { Creative } from '../creative/creative.ts';
import type { FlightClock } from '../flight/flight-clock.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { AdOrderRow } from './ad-order-row.ts';
import type { DeliveryBook } from '../statement/delivery-book.ts';
import type { Breaker } from './breaker.ts';
import type { Describer } from './describer.ts';

/**
 * Whoever tells an order has it in hand for so long, and says so again while a call takes longer; somebody else takes it up
 * after that. Short, since what is less urgent, and what the system has to tell, waits so long for a process that has died.
 */
export const IN_HAND_MS = 15_000;
/** Orders that one process has on their way at once. */
export const ORDERS_AT_ONCE = 4;

export interface CourierDependencies {
  mediaBuys: Collection<MediaBuy>;
  creatives: Collection<Creative>;
  adOrders: Collection<AdOrderRow>;
  adServer: Pick<AdServer, 'put' | 'read' | 'describe'>;
  describer: Describer;
  books: Collection<DeliveryBook>;
  /** To know who waits for a person about a buy that ends. */
  approvals: Collection<Approval>;
  ad_server_id: string;
  breaker: Breaker;
  clock: Clock;
  flightClock: FlightClock;
  log: Logger;
  counters: Counters;
  /** What the ad server is to know of a product. */
  configOf: (product_id: string) => JsonObject;
  /** From 0 to 1. */
  chance: () => number;
  /** A task has its verdict, or nothing to wait for any more. Its turn is owed once this has answered. */
  wakeTask: (task_id: TaskId) => Promise<unknown>;
}
