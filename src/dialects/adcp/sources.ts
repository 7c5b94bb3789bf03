import type { Clock } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { BuyerAccount } from '../../sales/account/account.ts';
import type { MayAskPerson } from '../../sales/approval/may-ask-person.ts';
import type { Catalog } from '../../sales/catalog.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import type { FlightClock } from '../../sales/flight/flight-clock.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { TestedParts } from '../../tasks/tested-parts.ts';
import type { BuyChannelConfig } from '../../webhooks/registration/buy-channel.ts';
import type { ReleaseChoice } from './release.ts';

/** What translators look things up in. */
export interface TranslatorSources {
  catalog: Catalog;
  mediaBuys: Collection<MediaBuy>;
  creatives: Collection<Creative>;
  accounts: Collection<BuyerAccount>;
  clock: Clock;
  flightClock: FlightClock;
  /** The ad server is the embedded simulator: whatever is ordered costs nobody anything. */
  isSimulated: boolean;
  /** Where tests of the public protocol are served, with `comply_test_controller`; absent where none are. */
  tested?: Pick<TestedParts, 'fixtures' | 'forcedArms'> | undefined;
  mayAskPerson: MayAskPerson;
  releases: ReleaseChoice;
  /** The product's own version. */
  version: string;
  /** Where the agent is reached from outside, without a slash at the end. */
  baseUrl: string;
  /** The public keys that webhooks are verified with. */
  publishedKeys: () => Promise<{ keys: readonly { alg: string }[] }>;
  /** @throws {AppError} for where no webhook may go, and how none is proved, naming a part of `field`. */
  checkWebhook: (config: BuyChannelConfig, field: string) => void;
}
