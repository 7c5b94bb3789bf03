import type { Config } from '../config/config-shape.ts';
import { claimFileUrlOf } from '../../directory/domain-claim/domain-claim.ts';
import { brandJsonUrlOf } from '../../registry/brands/look.ts';
import { adAgentsUrlOf } from '../../registry/crawl/crawl-publisher.ts';

/** Where publishers' and brands' files are, and those that prove a domain: at their domains, but for those of a rehearsal on this machine (`LOOPBACK_PUBLISHERS`). */
export function adAgentsPlaces({ loopbackPublishers }: Pick<Config, 'loopbackPublishers'>) {
  const originOf = (domain: string): string => {
    const port = loopbackPublishers.get(domain);
    return port === undefined ? `https://${domain}` : `http://127.0.0.1:${port}`;
  };
  return {
    adAgentsUrl: (publisherDomain: string) => adAgentsUrlOf(originOf(publisherDomain)),
    brandJsonUrl: (domain: string) => brandJsonUrlOf(originOf(domain)),
    claimFileUrl: (domain: string) => claimFileUrlOf(originOf(domain)),
  };
}
