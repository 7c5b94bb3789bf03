import { adcpComplyTestController } from './comply-test-controller/translator.ts';
import { adcpBuyProducts } from './buy-products/translator.ts';
import { adcpControlMediaBuy } from './control-media-buy/translator.ts';
import { adcpCreateMediaBuy } from './create-media-buy/translator.ts';
import { adcpGetMediaBuyDelivery } from './get-media-buy-delivery/translator.ts';
import { adcpGetMediaBuys } from './get-media-buys/translator.ts';
import { adcpGetProducts } from './get-products/translator.ts';
import { adcpGetTaskStatus, adcpTasksGet } from './get-task-status/translator.ts';
import { getAdcpCapabilities } from './get-adcp-capabilities/translator.ts';
import { adcpListCreativeFormats } from './list-creative-formats/translator.ts';
import { adcpListAccounts } from './list-accounts/translator.ts';
import { adcpSyncAccounts } from './sync-accounts/translator.ts';
import { adcpListProducts } from './list-products/translator.ts';
import { adcpListCreatives } from './list-creatives/translator.ts';
import { adcpListTasks } from './list-tasks/translator.ts';
import { adcpProvidePerformanceFeedback } from './provide-performance-feedback/translator.ts';
import type { TranslatorSources } from './sources.ts';
import { adcpSyncCreatives } from './sync-creatives/translator.ts';
import { adcpSyncGovernance } from './sync-governance/translator.ts';
import type { Translator } from './translator.ts';
import { adcpUpdateMediaBuy } from './update-media-buy/translator.ts';
import { translatorWithFixtures } from './with-fixtures.ts';

/** Every public task, in the order of the card. Card skills and tools follow from this list. */
export const TRANSLATORS: readonly ((sources: TranslatorSources) => Translator)[] = [
  getAdcpCapabilities,
  adcpGetProducts,
  adcpListProducts,
  adcpListCreativeFormats,
  adcpCreateMediaBuy,
  adcpBuyProducts,
  adcpUpdateMediaBuy,
  adcpControlMediaBuy,
  adcpGetMediaBuys,
  adcpGetMediaBuyDelivery,
  adcpProvidePerformanceFeedback,
  adcpSyncCreatives,
  adcpListCreatives,
  adcpSyncAccounts,
  adcpListAccounts,
  adcpSyncGovernance,
  adcpGetTaskStatus,
  adcpTasksGet,
  adcpListTasks,
];

/** The same with those for tests, where the settings ask for them. */
export function translatorsFor(sources: TranslatorSources): Translator[] {
  const { tested } = sources;
  if (tested === undefined) return TRANSLATORS.map((make) => make(sources));
  const makers = [...TRANSLATORS, adcpComplyTestController];
  return makers.map((make) => translatorWithFixtures(make, sources, tested.fixtures));
}
