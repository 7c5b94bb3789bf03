import type { Clock, Ids } from '../platform/clock.ts';
import type { Collection } from '../platform/store/collection.ts';
import type { Logger } from '../platform/log.ts';
import type { DeliveryFacts } from '../sales/delivery/delivery-facts.ts';
import type { FlightClock } from '../sales/flight/flight-clock.ts';
import type { Flights } from '../sales/flight/flights.ts';
import type { Impairment } from '../sales/impairment/impairment.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import type { Notification } from '../webhooks/delivery/notification.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { BuyParts } from '../sales/media-buy/buy-part.ts';
import type { BuySchedule } from './schedule.ts';

/** What the reports and impairments of media buys are made from. */
export interface ReportingDependencies {
  schedules: BuyParts<BuySchedule>;
  mediaBuys: Collection<MediaBuy>;
  impairments: Collection<Impairment>;
  facts: DeliveryFacts;
  flights: Pick<Flights, 'get' | 'processDue'>;
  flightClock: FlightClock;
  webhooks: Pick<Webhooks, 'enqueue' | 'activity'>;
  clock: Clock;
  ids: Ids;
  log: Logger;
  /**
   * A notification in the dialect of whoever registered for it; undefined where that has no word for it. `reporting` owns this and
   * `dialects` implements it.
   */
  inDialect: (notification: Notification, buy: MediaBuy) => Promise<Notification | undefined>;
  /** How long a notification of a general impairment waits for more (rule W9). */
  impairmentWindowMs: number;
}
