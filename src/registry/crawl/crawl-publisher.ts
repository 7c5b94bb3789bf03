import type { FeedDeps } from '../../directory/feed/publish.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { CrawlState } from '../../directory/publisher/publisher.ts';
import { holdWatches, ringWatches } from '../../directory/publisher-watch/ring-watches.ts';
import { ABSENT_MS, isOlderThan, STALE_MS } from '../../directory/scheduled-check/grace.ts';
import {
  checkId,
  findCheck,
  holdCheck,
  noteCheck,
  scheduleCheck,
} from '../../directory/scheduled-check/scheduled-check.ts';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { atMost } from '../../platform/at-most.ts';
import type { AtMost } from '../../platform/at-most.ts';
import type { Store } from '../../platform/store/collection.ts';
import { createLeases, LeaseRows } from '../../platform/store/lease.ts';
import type { Out, Turns } from '../probe/ask.ts';
import { askForAdsTxt } from '../sellers/ask-for-sellers.ts';
import { applyCrawl, newsOfCrawl } from './apply-crawl.ts';
import type { CrawlNews } from './apply-crawl.ts';
import { blankState, isOvertaken, managerSeenAt, rememberLook, stateOfFile, whyNotYet } from './crawl-state.ts';
import type { Elsewhere } from './elsewhere-on-request.ts';
import { fetchAdAgents, withManager } from './fetch-adagents.ts';
import type { AbsentFile, FoundFile, ReadFile } from './fetch-adagents.ts';
import { forgetFile } from './forget-file.ts';
import type { SharedFiles } from './shared-files.ts';
import { hastenHosted, noteHosted, settleHosted } from './settle-hosted.ts';

export interface CrawlDeps extends FeedDeps {
  outbound: Out;
  /** How long one publisher may take in all, in milliseconds. Default 9,500. */
  probeMs?: number;
  /** Where a publisher's file is; `ads.txt` is at the top of the same host. Default: `https://{domain}/.well-known/adagents.json`. */
  adAgentsUrl?: (publisherDomain: string) => string;
}

const CRAWL_MS = 9_500;
/** Fetched in the instant before it ended. */
const NOT_HOSTED = 'authoritative_location: the file is no longer hosted here';

/**
 * Reads a publisher's file and brings the registry up to date; on a failure what is known stays, up to seven days, and up to one where
 * the file is gone. Of two looks at once the one that began later stays, whichever ends first, over all processes. `admit` is told what
 * would change, and may refuse by throwing: then nothing does.
 * @throws the reason of `signal`, as long as nothing was changed.
 */
export async function crawlPublisher(
  deps: CrawlDeps,
  publisherDomain: string,
  admit: (news: CrawlNews) => Promise<void> = () => Promise.resolve(),
  { signal, onAnswer, turns, elsewhere, files }: CrawlOptions = {},
): Promise<Exclude<FoundFile, AbsentFile>> {
  const {
    outbound: out,
    clock,
    store,
    probeMs = CRAWL_MS,
    adAgentsUrl = (domain: string) => adAgentsUrlOf(`https://${domain}`),
  } = deps;
  const startedAt = clock.now();
  const asking = { out, deadline: performance.now() + probeMs, signal, turns };
  const url = adAgentsUrl(publisherDomain);
  const began = performance.now();
  const knownMs = async () => {
    const crawl = (await store.collection(publishers).get(publisherDomain))?.crawl;
    return crawl === undefined ? -Infinity : fromTimestamp(crawl.started_at);
  };
  const shared = files && { files, knownMs };
  const found = await fetchAdAgents(asking, { url, publisherDomain, nowMs: startedAt, elsewhere, shared });
  onAnswer?.();
  const waitedMs = (turns?.waitedMs ?? 0) + (elsewhere?.turns.waitedMs ?? 0);
  const look = { publisherDomain, startedAt, tookMs: performance.now() - began - waitedMs, admit };
  const leases = createLeases(() => store.collection(LeaseRows), clock);
  // Of one publisher one at a time is taken over; others wait here, in this process or another.
  return leases.hold(`crawl ${publisherDomain}`, async (lost) => {
    await holdWatches(deps, publisherDomain);
    const hosted = await settleHosted(deps, publisherDomain, startedAt);
    const state = (await store.collection(publishers).get(publisherDomain))?.crawl;
    if (state !== undefined && isOvertaken(state, readMs(found, startedAt), clock.now())) {
      if (hosted !== undefined && found.kind === 'read') await hastenHosted(deps, hosted, found, state);
      return found.kind === 'absent' ? failed(found.reason) : found;
    }
    const isOver = hosted?.isOver === true && found.kind === 'read' && found.location === hosted.row.url;
    const taken = await takeOver(deps, look, isOver ? failed(NOT_HOSTED) : found, state);
    if (hosted !== undefined) await noteHosted(deps, hosted);
    await ringWatches(deps, publisherDomain);
    // Held up for so long that another was let in beside: what both wrote is set right by the next look, which is soon.
    if (lost.aborted) await holdCheck(deps, 'adagents', publisherDomain);
    return taken;
  });
}

export interface CrawlOptions {
  /** Breaks off the asking. */
  signal?: AbortSignal;
  /** The publisher has answered, or will not: the rest is our own time. */
  onAnswer?: () => void;
  /** Where it waits for origins that others ask. Default: nowhere. */
  turns?: Turns;
  /** What goes before the fetch of a file that the publisher's own only names. Default: nothing. */
  elsewhere?: Elsewhere;
  /** Where files that several publishers point to are found and kept. Default: nowhere. */
  files?: SharedFiles;
}

/** Changes all go into one feed; more at once would only get in each other's way there. */
const CHANGES_AT_ONCE = 4;
const CHANGES = new WeakMap<Store, AtMost>();

/** The places for changes, one set to each store. */
function changesOf(store: Store): AtMost {
  const known = CHANGES.get(store) ?? atMost(CHANGES_AT_ONCE);
  CHANGES.set(store, known);
  return known;
}

/** The well-known address of the file at an origin. */
export function adAgentsUrlOf(origin: string): string {
  return `${origin}/.well-known/adagents.json`;
}

/** When what was found was there: a file that was fetched for another publisher is as old as that look. */
function readMs(found: FoundFile, startedAt: number): number {
  return found.kind === 'read' ? Math.min(startedAt, found.fetchedMs ?? startedAt) : startedAt;
}

interface Look {
  publisherDomain: string;
  /** By the clock, in milliseconds. */
  startedAt: number;
  /** How long the publisher took. */
  tookMs: number;
  admit: (news: CrawlNews) => Promise<void>;
}

async function takeOver(deps: CrawlDeps, look: Look, found: FoundFile, state: CrawlState | undefined) {
  if (found.kind === 'absent') return takeAbsence(deps, look, found, state);
  if (found.kind === 'failed') return takeFailure(deps, look, found.reason, state);
  const notYet = whyNotYet(state, found, look.startedAt);
  if (notYet === undefined || state === undefined) return takeFile(deps, look, found);
  await rememberLook(deps, look.publisherDomain, { crawl: { ...state, pending: notYet.pending } });
  return takeFailure(deps, look, notYet.reason, state);
}

async function takeFile(
  deps: CrawlDeps,
  { publisherDomain, startedAt, tookMs, admit }: Look,
  found: ReadFile,
): Promise<ReadFile> {
  const news = await newsOfCrawl(deps, publisherDomain, found);
  await admit(news);
  await holdCheck(deps, 'adagents', publisherDomain);
  await askForAdsTxt(deps, publisherDomain);
  // First, so that whatever becomes of this process no older look is taken over.
  await rememberLook(deps, publisherDomain, {
    manager_domain: null,
    crawl: stateOfFile(found, readMs(found, startedAt)),
  });
  const apply = () => applyCrawl(deps, publisherDomain, found);
  await (news.changes > 0 ? changesOf(deps.store)(apply) : apply());
  await noteCheck(deps, checkId('adagents', publisherDomain), { startedAt, tookMs, error: null });
  return found;
}

async function takeFailure(
  deps: CrawlDeps,
  { publisherDomain, startedAt, tookMs }: Look,
  reason: string,
  state: CrawlState | undefined,
) {
  const check = await findCheck(deps, 'adagents', publisherDomain);
  if (check !== undefined && isOlderThan(STALE_MS, check.last_ok_at, startedAt)) {
    const isKnown = state !== undefined && !isOlderThan(STALE_MS, managerSeenAt(state), startedAt);
    await forgetFile(deps, publisherDomain, state?.started_at ?? toTimestamp(startedAt), isKnown ? 'stays' : 'goes');
  }
  if (check !== undefined) await askForAdsTxt(deps, publisherDomain);
  await noteCheck(deps, checkId('adagents', publisherDomain), { startedAt, tookMs, error: reason });
  return failed(reason);
}

async function takeAbsence(
  deps: CrawlDeps,
  { publisherDomain, startedAt, tookMs, admit }: Look,
  { reason, manager_domain, names_sellers }: AbsentFile,
  state: CrawlState | undefined,
) {
  const check = await findCheck(deps, 'adagents', publisherDomain);
  const row = await deps.store.collection(publishers).get(publisherDomain);
  const started_at = toTimestamp(startedAt);
  // An `ads.txt` that cannot be read prolongs nothing.
  const manager_seen_at = manager_domain === undefined && state !== undefined ? managerSeenAt(state) : started_at;
  const isStale = isOlderThan(STALE_MS, manager_seen_at, startedAt);
  const before = isStale ? null : (row?.manager_domain ?? null);
  const manager = manager_domain === undefined ? before : manager_domain;
  // Somebody of whom nothing is known, and who names nobody, is not remembered.
  if (check === undefined && manager === null) {
    if (names_sellers !== true) return failed(reason);
    if ((await findCheck(deps, 'ads_txt', publisherDomain)) === undefined)
      await admit({ isNew: true, changes: 0, rows: 0 });
    await askForAdsTxt(deps, publisherDomain);
    return failed(`${reason}; its ads.txt is read for its sellers`);
  }
  if (row === undefined) await admit({ isNew: true, changes: 0, rows: 0 });
  await holdCheck(deps, 'adagents', publisherDomain);
  await askForAdsTxt(deps, publisherDomain);
  const crawl = { ...(state ?? blankState(started_at)), started_at, manager_seen_at };
  await rememberLook(deps, publisherDomain, { manager_domain: manager, crawl });
  if (manager !== null) await scheduleCheck(deps, 'adagents', manager);
  const since = check?.absent_since ?? started_at;
  const isOver =
    isOlderThan(ABSENT_MS, since, startedAt) || isOlderThan(STALE_MS, check?.last_ok_at ?? null, startedAt);
  if (isOver) await forgetFile(deps, publisherDomain, started_at, 'stays');
  const absent = { since, untilMs: fromTimestamp(since) + ABSENT_MS };
  await noteCheck(deps, checkId('adagents', publisherDomain), { startedAt, tookMs, error: reason, absent });
  return failed(manager === null ? reason : withManager(reason, manager));
}

function failed(reason: string): { kind: 'failed'; reason: string } {
  return { kind: 'failed', reason };
}
