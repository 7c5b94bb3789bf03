import type { TranslatorSources } from '../../dialects/adcp/sources.ts';
import { mayAskPerson } from '../../sales/approval/may-ask-person.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Notifications } from './notifications.ts';
import { productVersion } from './product-version.ts';
import type { Sales } from './sales.ts';

/** What the public dialects are translated with, at the edges and where events are told. */
export async function dialectSources(
  { config, catalog, clock, baseUrl }: Pick<Infrastructure, 'config' | 'catalog' | 'clock' | 'baseUrl'>,
  {
    credit,
    mediaBuys,
    creatives,
    accounts,
    isSimulated,
    flightClock,
    tested,
  }: Sales & Pick<TranslatorSources, 'tested'>,
  { webhooks }: { webhooks: Pick<Notifications['webhooks'], 'jwks' | 'sealBuyChannel'> },
): Promise<TranslatorSources> {
  return {
    ...{ catalog, clock, baseUrl, mediaBuys, creatives, accounts, isSimulated, flightClock, tested },
    ...{ version: await productVersion(), releases: config.releases },
    mayAskPerson: mayAskPerson(config.approvalOver, credit.limitsOf),
    publishedKeys: () => webhooks.jwks(),
    checkWebhook: (config, field) => void webhooks.sealBuyChannel(config, field),
  };
}
