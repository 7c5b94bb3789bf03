import type { FeedDeps } from '../../directory/feed/publish.ts';
import { hostedFiles } from '../../directory/hosted-file/hosted-file.ts';
import type { HostedFile } from '../../directory/hosted-file/hosted-file.ts';
import { provedHolder } from '../../directory/organization/organization-domain.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { CrawlState } from '../../directory/publisher/publisher.ts';
import { holdWatches, ringWatches } from '../../directory/publisher-watch/ring-watches.ts';
import { hastenCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { createLeases, LeaseRows } from '../../platform/store/lease.ts';
import { newsOfCrawl } from './apply-crawl.ts';
import type { ReadFile } from './fetch-adagents.ts';
import { forgetFile } from './forget-file.ts';

/** A look that began before a file ended has come to its end long before; in milliseconds. */
const LOOKS_END_MS = 300_000;

/** A publisher's hosted file, if it has one: whether it counts, or is over. */
export interface HostedNow {
  row: HostedFile;
  /** It was taken down, or its organization has the domain no longer: nothing that says so may be taken over. */
  isOver: boolean;
}

/**
 * Takes back what a hosted file lets agents sell once it is over: at once, with none of the grace that files have which cannot be read,
 * since whoever has the domain now said nothing of the kind. For who holds the publisher's crawl. Safe to repeat; the row goes last.
 * @param startedAt when the look began that finds it so, in milliseconds.
 */
export async function settleHosted(
  deps: FeedDeps,
  publisherDomain: string,
  startedAt: number,
): Promise<HostedNow | undefined> {
  const { store, clock } = deps;
  const rows = store.collection(hostedFiles);
  const row = await rows.get(publisherDomain);
  if (row === undefined) return undefined;
  const holder = await provedHolder(store, publisherDomain);
  const isHeld = holder?.organization_id === row.organization_id;
  if (row.ended_at === null && isHeld) return { row, isOver: false };
  const nowMs = clock.now();
  if (row.ended_at === null) {
    const ended = { file_json: '', ended_at: toTimestamp(nowMs) };
    // Whoever has saved another meanwhile has the domain.
    if ((await rows.replace({ ...row, ...ended })) === undefined) return settleHosted(deps, publisherDomain, startedAt);
  }
  if (await isCounted(deps, row)) await forgetFile(deps, publisherDomain, toTimestamp(startedAt), 'stays');
  if (row.ended_at !== null && nowMs - fromTimestamp(row.ended_at) > LOOKS_END_MS)
    await rows.delete(publisherDomain, row.revision);
  return { row, isOver: true };
}

/** After a look was taken over: since when the publisher's origin names the hosted file, or no longer does. */
export async function noteHosted(deps: FeedDeps, { row, isOver }: HostedNow): Promise<void> {
  if (isOver) return;
  const now = toTimestamp(deps.clock.now());
  const counts = await isCounted(deps, row);
  if (counts ? row.verified_at !== null && row.lost_at === null : row.verified_at === null || row.lost_at !== null)
    return;
  await deps.store
    .collection(hostedFiles)
    .update(row.publisher_domain, (stored) =>
      stored.organization_id === row.organization_id && stored.ended_at === null
        ? { ...stored, ...(counts ? { verified_at: now, lost_at: null } : { lost_at: now }) }
        : undefined,
    );
}

/**
 * After a look that does not count, since one that is said to have begun later does: by a clock that is ahead, that one may have read the
 * file of before. Where another is hosted than the one that counts, the next look is made as soon as it can count.
 */
export async function hastenHosted(
  deps: FeedDeps,
  { row, isOver }: HostedNow,
  found: ReadFile,
  { started_at }: CrawlState,
): Promise<void> {
  if (isOver || found.location !== row.url) return;
  const { changes, rows } = await newsOfCrawl(deps, row.publisher_domain, found);
  if (changes === 0 && rows === 0) return;
  const atMs = Math.max(deps.clock.now(), fromTimestamp(started_at) + 1);
  await hastenCheck(deps, 'adagents', row.publisher_domain, atMs);
}

/** Does what {@link settleHosted} does, at once and beside no crawl. */
export async function finishHosting(deps: FeedDeps, publisherDomain: string): Promise<void> {
  const leases = createLeases(() => deps.store.collection(LeaseRows), deps.clock);
  await leases.hold(`crawl ${publisherDomain}`, async () => {
    await holdWatches(deps, publisherDomain);
    await settleHosted(deps, publisherDomain, deps.clock.now());
    await ringWatches(deps, publisherDomain);
  });
}

/** Whether what the registry has of the publisher is what the hosted file says. */
async function isCounted({ store }: FeedDeps, { publisher_domain, url }: HostedFile): Promise<boolean> {
  return (await store.collection(publishers).get(publisher_domain))?.crawl?.location === url;
}
