import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import { AppError } from '../../platform/errors.ts';
import type { CrawlNews } from '../crawl/apply-crawl.ts';
import { crawlPublisher } from '../crawl/crawl-publisher.ts';
import { elsewhereOnRequest } from '../crawl/elsewhere-on-request.ts';
import type { EndpointCall } from '../endpoint.ts';
import { refuseBlocked } from '../refuse-blocked.ts';
import { admitCrawl } from './admit-crawl.ts';

/**
 * Reads a publisher's file now, for somebody who asks: the same work, rules and budgets under whichever path.
 * @throws {AppError} `VALIDATION_ERROR` for what is no publisher's domain, `RATE_LIMITED`; nothing is changed then.
 */
export async function crawlOnRequest(call: EndpointCall, domain: string) {
  const publisher_domain = normalizeDomain(domain)?.domain;
  if (publisher_domain === undefined)
    throw new AppError('VALIDATION_ERROR', 'domain: this is not a domain name', { field: 'domain' });
  await refuseBlocked(call, publisher_domain);
  const elsewhere = elsewhereOnRequest(call.outbound, call.budgets, new URL(call.baseUrl()).origin);
  const admit = (news: CrawlNews) => admitCrawl(call, publisher_domain, news);
  const result = await crawlPublisher(call, publisher_domain, admit, { elsewhere });
  return { publisher_domain, result };
}

/** Why a crawl found nothing, in one sentence. */
export function unreadable(reason: string): string {
  return `the publisher's adagents.json cannot be read: ${reason}`;
}
