import type { Catalog } from '../../sales/catalog.ts';
import { adcpGetProducts } from './get-products/translator.ts';
import { adcpGetTaskStatus, adcpTasksGet } from './get-task-status/translator.ts';
import { getAdcpCapabilities } from './get-adcp-capabilities/translator.ts';
import { adcpListCreativeFormats } from './list-creative-formats/translator.ts';
import { adcpListTasks } from './list-tasks/translator.ts';
import type { ReleaseChoice } from './release.ts';
import type { Translator } from './translator.ts';

/** What translators look things up in. */
export interface TranslatorSources {
  catalog: Catalog;
  releases: ReleaseChoice;
  /** The product's own version. */
  version: string;
}

/** Every public task, in the order of the card. Card skills and tools follow from this list. */
export const TRANSLATORS: readonly ((sources: TranslatorSources) => Translator)[] = [
  getAdcpCapabilities,
  adcpGetProducts,
  adcpListCreativeFormats,
  adcpGetTaskStatus,
  adcpTasksGet,
  adcpListTasks,
];
