import type { HostedFile } from '../../directory/hosted-file/hosted-file.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { CrawlState } from '../../directory/publisher/publisher.ts';
import { findCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import type { ScheduledCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { ABSENT_MS, STALE_MS } from '../../directory/scheduled-check/grace.ts';
import { adAgentsUrlOf } from '../crawl/crawl-publisher.ts';
import { LOCATION_STANDS_MS } from '../crawl/crawl-state.ts';
import type { EndpointCall } from '../endpoint.ts';
import { hostedUrl } from './own-file.ts';
import type { HostedView, ORIGIN_FINDINGS } from './schema.ts';

type OriginFinding = (typeof ORIGIN_FINDINGS)[number];

/** What is known of a hosted file now: worked out from what crawls noted, so that nothing here can lag behind them (rule R15.hosted). */
export async function viewOfHosted(call: EndpointCall, row: HostedFile): Promise<HostedView> {
  const { store, adAgentsUrl = (domain: string) => adAgentsUrlOf(`https://${domain}`) } = call;
  const { publisher_domain, organization_id, etag } = row;
  const crawl = (await store.collection(publishers).get(publisher_domain))?.crawl;
  const check = await findCheck(call, 'adagents', publisher_domain);
  const counts = crawl?.location === row.url;
  const found = findingOf(row, crawl, check);
  const isConfirmed = counts && found === 'this_file';
  const isKept = counts && found === 'unreadable';
  const last = row.saves.at(-1);
  const saved_at = last?.saved_at ?? row.created_at;
  const wasVerified = counts || row.verified_at !== null;
  const url = hostedUrl(call, publisher_domain);
  const originUrl = adAgentsUrl(publisher_domain);
  return {
    ...{ publisher_domain, organization_id, url, etag, revision_number: last?.number ?? 1, saved_at },
    status: isConfirmed || isKept ? 'verified' : wasVerified ? 'lost' : 'unverified',
    ...{ counts, counts_until: counts && !isConfirmed ? graceOf(found, crawl, check) : null },
    verified_at: row.verified_at ?? (counts ? crawl.started_at : null),
    confirmed_at: isConfirmed ? crawl.started_at : null,
    lost_at: counts ? null : row.lost_at,
    read_since_saved: isConfirmed && crawl.started_at >= saved_at && !isAhead(crawl, call.clock.now()),
    origin: {
      ...{ url: originUrl, looked_at: check?.last_tried_at ?? null, found },
      location: found === 'another_location' ? (crawl?.pending?.location ?? crawl?.location ?? null) : null,
      ...{ error: check?.last_error ?? null, next_look_at: check?.due_at ?? null },
    },
    place: { url: originUrl, file: { authoritative_location: url } },
    revisions: [...row.saves].reverse(),
  };
}

/** Begun by a clock that is ahead, so that nobody knows what was before it. */
function isAhead({ started_at }: CrawlState, nowMs: number): boolean {
  return fromTimestamp(started_at) > nowMs;
}

function findingOf(
  { url }: HostedFile,
  crawl: CrawlState | undefined,
  check: ScheduledCheck | undefined,
): OriginFinding {
  if (check?.last_tried_at == null) return 'not_looked';
  if (check.last_error !== null && check.absent_since != null) return 'nothing';
  if (check.last_error !== null && crawl?.pending != null)
    return crawl.pending.location === url ? 'this_file_too_new' : 'another_location';
  if (check.last_error !== null) return 'unreadable';
  if (crawl?.location === url) return 'this_file';
  return crawl?.location == null ? 'own_file' : 'another_location';
}

/** Until when what was read last goes on counting. */
function graceOf(found: OriginFinding, crawl: CrawlState | undefined, check: ScheduledCheck | undefined) {
  const after = (since: string | null | undefined, ms: number) =>
    since == null ? null : toTimestamp(fromTimestamp(since) + ms);
  switch (found) {
    case 'nothing':
      return after(check?.absent_since, ABSENT_MS);
    case 'another_location':
      return after(crawl?.pending?.since, LOCATION_STANDS_MS);
    case 'unreadable':
      return after(check?.last_ok_at, STALE_MS);
    case 'not_looked':
    case 'this_file':
    case 'this_file_too_new':
    case 'own_file':
      return null;
  }
}
