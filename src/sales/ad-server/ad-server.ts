import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { AdCreative, AdOrder } from './ad-order.ts';
import type { CreativeAnswer } from './creative-answer.ts';
import type { Description } from './description.ts';
import type { Held } from './held.ts';
import type { AdForecast, ForecastQuery, InventoryPage } from './inventory.ts';
import type { CheckAnswer, PutAnswer } from './put-answer.ts';
import type { Statement, StatementQuery } from './statement.ts';

/**
 * The port that a seller's ad server fills, by what an order *is to be*, under a version that only grows:
 *
 * - P1 The same version and digest again gets the same outcome; what was `pending` may have become `done` or `refused`. Another
 *   digest under a version that was taken is the caller's `Broken`.
 * - P2 A lower version is `stale`, without effect.
 * - P3 What is `refused` leaves the version before whole; its number is used up.
 * - P4 No half order spends: new lines are made idle and released last; pauses and cuts come first, raises and resumes last.
 * - P5 Before it makes anything, an adapter looks it up by our ids: what was made and never answered is found.
 * - P6 `ended` is final.
 * - P7 What takes longer than 30 s is `pending`.
 * - P8 Never wider than asked: what cannot be expressed is `refused`.
 *
 * Every method may throw `Unreachable`, `Misconfigured` or `Broken`: then the outcome is not known.
 */
export interface AdServer {
  /** What it can do; asked at the start, hourly, and as a probe. */
  describe(): Promise<Description>;
  /** Whether `put` would take an order. Writes nothing, promises nothing. */
  check(order: AdOrder): Promise<CheckAnswer>;
  /** Makes the order this version of it. */
  put(order: AdOrder): Promise<PutAnswer>;
  /** What it holds, looked up by our ids, never by what we remember of its own. */
  read(media_buy_id: MediaBuyId): Promise<Held>;
  /** Counts by the hour as known now, of many orders at once. */
  statements(query: StatementQuery): Promise<Statement>;
  /** Uploads a version of a creative once, however often it is asked, and tells its review. */
  putCreative(creative: AdCreative): Promise<CreativeAnswer>;
  forecast?(query: ForecastQuery): Promise<AdForecast>;
  /** What the configuration of products is checked against, page by page. */
  inventory?(cursor?: string): Promise<InventoryPage>;
}
