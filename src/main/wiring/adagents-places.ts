import type { Config } from '../config/config.ts';
import { adAgentsUrlOf } from '../../registry/crawl/crawl-publisher.ts';

/** Where publishers' files are: at their domains, but for those of a rehearsal on this machine (`LOOPBACK_PUBLISHERS`). */
export function adAgentsPlaces({ loopbackPublishers }: Pick<Config, 'loopbackPublishers'>) {
  const adAgentsUrl = (publisherDomain: string): string => {
    const port = loopbackPublishers.get(publisherDomain);
    return adAgentsUrlOf(port === undefined ? `https://${publisherDomain}` : `http://127.0.0.1:${port}`);
  };
  return { adAgentsUrl };
}
