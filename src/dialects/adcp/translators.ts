import type { Clock } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { Account } from '../../sales/account/account.ts';
import type { Catalog } from '../../sales/catalog.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { adcpCreateMediaBuy } from './create-media-buy/translator.ts';
import { adcpGetMediaBuyDelivery } from './get-media-buy-delivery/translator.ts';
import { adcpGetMediaBuys } from './get-media-buys/translator.ts';
import { adcpGetProducts } from './get-products/translator.ts';
import { adcpGetTaskStatus, adcpTasksGet } from './get-task-status/translator.ts';
import { getAdcpCapabilities } from './get-adcp-capabilities/translator.ts';
import { adcpListCreativeFormats } from './list-creative-formats/translator.ts';
import { adcpListCreatives } from './list-creatives/translator.ts';
import { adcpListTasks } from './list-tasks/translator.ts';
import type { ReleaseChoice } from './release.ts';
import { adcpSyncCreatives } from './sync-creatives/translator.ts';
import type { Translator } from './translator.ts';
import { adcpUpdateMediaBuy } from './update-media-buy/translator.ts';

/** What translators look things up in. */
export interface TranslatorSources {
  catalog: Catalog;
  mediaBuys: Collection<MediaBuy>;
  creatives: Collection<Creative>;
  accounts: Collection<Account>;
  clock: Clock;
  releases: ReleaseChoice;
  /** The product's own version. */
  version: string;
}

/** Every public task, in the order of the card. Card skills and tools follow from this list. */
export const TRANSLATORS: readonly ((sources: TranslatorSources) => Translator)[] = [
  getAdcpCapabilities,
  adcpGetProducts,
  adcpListCreativeFormats,
  adcpCreateMediaBuy,
  adcpUpdateMediaBuy,
  adcpGetMediaBuys,
  adcpGetMediaBuyDelivery,
  adcpSyncCreatives,
  adcpListCreatives,
  adcpGetTaskStatus,
  adcpTasksGet,
  adcpListTasks,
];
