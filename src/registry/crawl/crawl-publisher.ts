import type { FeedDeps } from '../../directory/feed/publish.ts';
import { checkId, noteCheck, scheduleCheck, scheduledChecks } from '../../directory/scheduled-check/scheduled-check.ts';
import { fromTimestamp } from '../../platform/clock.ts';
import { getJson } from '../probe/ask.ts';
import type { Out, Asking } from '../probe/ask.ts';
import { readAdAgents } from './adagents-file.ts';
import type { AdAgents } from './adagents-file.ts';
import { applyCrawl, forgetCrawl, newsOfCrawl } from './apply-crawl.ts';
import type { CrawlNews } from './apply-crawl.ts';

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

/**
 * Reads a publisher's file and brings the registry up to date; on a failure what is known stays, up to seven days. `admit` is
 * told what would change, and may refuse by throwing: then nothing does.
 */
export async function crawlPublisher(
  deps: CrawlDeps,
  publisherDomain: string,
  admit: (news: CrawlNews) => Promise<void> = () => Promise.resolve(),
): Promise<CrawlResult> {
  const { outbound: out, clock, probeMs = CRAWL_MS, adAgentsUrl = defaultUrl } = deps;
  const asking = { out, deadline: performance.now() + probeMs };
  const result = await fetchAdAgents(asking, adAgentsUrl(publisherDomain), clock.now());
  const key = checkId('adagents', publisherDomain);
  if (result.kind === 'read') {
    await admit(await newsOfCrawl(deps, publisherDomain, result.file));
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

/** A publisher's file as it was found, or why not. */
type CrawlResult = { kind: 'read'; file: AdAgents; source_url: string } | { kind: 'failed'; reason: string };

/**
 * Reads a file, and the one place it may point to instead (rule R15). Redirects stay on the site; the hop may leave it.
 */
async function fetchAdAgents(asking: Asking, url: string, nowMs: number): Promise<CrawlResult> {
  const first = await readFrom(asking, url, nowMs);
  if (first.kind === 'failed' || first.file.authoritative_location === undefined) return first;
  const there = await readFrom(asking, first.file.authoritative_location, nowMs);
  if (there.kind === 'failed') return { kind: 'failed', reason: `authoritative_location: ${there.reason}` };
  if (there.file.authoritative_location === undefined) return there;
  return { kind: 'failed', reason: 'authoritative_location points to a file that points elsewhere again' };
}

async function readFrom(asking: Asking, url: string, nowMs: number): Promise<CrawlResult> {
  const answer = await getJson(asking, url);
  if (answer.kind !== 'json') return { kind: 'failed', reason: answer.reason };
  const file = readAdAgents(answer.json, nowMs);
  return file === undefined
    ? { kind: 'failed', reason: 'the file has no list authorized_agents' }
    : { kind: 'read', file, source_url: url };
}
