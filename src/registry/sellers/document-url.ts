import { adAgentsUrlOf } from '../crawl/crawl-publisher.ts';
import type { SellerLookDeps } from './look-at-document.ts';

/** Where a domain has one of the two documents: at the top of the host of its adagents.json. */
export function documentUrl(
  { adAgentsUrl = (name) => adAgentsUrlOf(`https://${name}`) }: Pick<SellerLookDeps, 'adAgentsUrl'>,
  domain: string,
  document: 'ads.txt' | 'sellers.json',
): string {
  return new URL(`/${document}`, adAgentsUrl(domain)).href;
}
