import { checkId, noteCheck, scheduleCheck, scheduledChecks } from '../../directory/scheduled-check/scheduled-check.ts';
import type { FeedDeps } from '../../directory/feed/publish.ts';
import { fromTimestamp } from '../../platform/clock.ts';
import type { Out } from '../probe/ask.ts';
import { applyCrawl, forgetCrawl } from './apply-crawl.ts';
import { fetchAdAgents } from './fetch-adagents.ts';
import type { CrawlResult } from './fetch-adagents.ts';

export interface CrawlDeps extends FeedDeps {
  outbound: Out;
  /** How long one publisher may take in all, in milliseconds. Default 9,500. */
  probeMs?: number;
  /** Where a publisher's file is. Default: `https://{domain}/.well-known/adagents.json`. */
  adAgentsUrl?: (publisherDomain: string) => string;
}

/** What a file said is believed this long after it could last be read, in milliseconds (rule R15). */
const STALE_MS = 7 * 24 * 3_600_000;

const CRAWL_MS = 9_500;

/** Reads a publisher's file and brings the registry up to date; on a failure what is known stays, up to seven days. */
export async function crawlPublisher(deps: CrawlDeps, publisherDomain: string): Promise<CrawlResult> {
  const { outbound: out, clock, probeMs = CRAWL_MS, adAgentsUrl = defaultUrl } = deps;
  const asking = { out, deadline: performance.now() + probeMs };
  const result = await fetchAdAgents(asking, adAgentsUrl(publisherDomain), clock.now());
  const key = checkId('adagents', publisherDomain);
  if (result.kind === 'read') {
    await applyCrawl(deps, publisherDomain, result);
    await scheduleCheck(deps, 'adagents', publisherDomain);
    await noteCheck(deps, key, null);
    return result;
  }
  const check = await deps.store.collection(scheduledChecks).get(key);
  const lastOk = check?.last_ok_at ?? null;
  if (check !== undefined && (lastOk === null || clock.now() - fromTimestamp(lastOk) > STALE_MS))
    await forgetCrawl(deps, publisherDomain);
  await noteCheck(deps, key, result.reason);
  return result;
}

function defaultUrl(publisherDomain: string): string {
  return `https://${publisherDomain}/.well-known/adagents.json`;
}
