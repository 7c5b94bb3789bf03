import { registrableDomain } from '../directory/domain/normalize-domain.ts';
import { noteCheck } from '../directory/scheduled-check/scheduled-check.ts';
import type { Ids } from '../platform/clock.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import { refreshBadges } from './badge/refresh-badges.ts';
import { crawlPublisher } from './crawl/crawl-publisher.ts';
import type { CrawlDeps } from './crawl/crawl-publisher.ts';
import { sharedFiles } from './crawl/shared-files.ts';
import type { Turns } from './probe/ask.ts';
import { lookAtAdsTxt } from './sellers/look-at-ads-txt.ts';
import { lookAtSellersJson } from './sellers/look-at-sellers-json.ts';
import { runDueChecks } from './schedule/run-due-checks.ts';
import type { RunDeps } from './schedule/run-due-checks.ts';

type CrawlJobDeps = CrawlDeps & RunDeps;

export interface RegistryJobDeps extends CrawlJobDeps {
  ids: Ids;
  names: ProtocolNames;
  /** Where this house's own agent is. */
  baseUrl: string;
}

/**
 * Crawls publishers until none is due (rule R15); any number of workers may do it at once. A file that several point to is fetched once for
 * them. Answers how many.
 */
export function crawlDue(deps: CrawlJobDeps, stop?: AbortSignal): Promise<number> {
  const hostOf = (publisherDomain: string) => publisherDomain;
  const files = sharedFiles(deps.clock);
  return runDueChecks(deps, { kind: 'adagents', hostOf, look }, stop);

  async function look(
    { subject }: { subject: string },
    signal: AbortSignal,
    onAnswer: () => void,
    turns: Turns,
  ): Promise<void> {
    const result = await crawlPublisher(deps, subject, undefined, { signal, onAnswer, turns, files });
    deps.log.info({ publisher_domain: subject, result: result.kind }, 'publisher crawled');
  }
}

/** Documents may be large: fewer at once, so that the memory they take has a bound, and each is over before its claim runs out. */
const PLACES = { ads_txt: { usual: 16, slow: 8 }, sellers_json: { usual: 4, slow: 2 } } as const;

/** Reads publishers' ads.txt until none is due, as {@link crawlDue} does. Answers how many. */
export function readAdsTxtDue(deps: CrawlJobDeps, stop?: AbortSignal): Promise<number> {
  const hostOf = (publisherDomain: string) => publisherDomain;
  return runDueChecks(deps, { kind: 'ads_txt', places: PLACES.ads_txt, hostOf, look }, stop);

  async function look({ subject }: { subject: string }, signal: AbortSignal, onAnswer: () => void): Promise<void> {
    const error = await lookAtAdsTxt(deps, subject, { signal, onAnswer });
    deps.log.info({ publisher_domain: subject, error }, 'ads.txt read');
  }
}

/** Reads ad systems' sellers.json until none is due: each once for all publishers, and of one site one at a time. Answers how many. */
export function readSellersJsonDue(deps: CrawlJobDeps, stop?: AbortSignal): Promise<number> {
  const hostOf = (adSystem: string) => registrableDomain(adSystem) ?? adSystem;
  return runDueChecks(deps, { kind: 'sellers_json', places: PLACES.sellers_json, hostOf, look }, stop);

  async function look({ subject }: { subject: string }, signal: AbortSignal, onAnswer: () => void): Promise<void> {
    const error = await lookAtSellersJson(deps, subject, { signal, onAnswer });
    deps.log.info({ ad_system: subject, error }, 'sellers.json read');
  }
}

/** Checks agents for their badges until none is due (rule R11), as {@link crawlDue} does. Answers how many. */
export function checkAgentsDue(deps: RegistryJobDeps, stop?: AbortSignal): Promise<number> {
  const { log, clock, baseUrl: ownUrl } = deps;
  return runDueChecks(deps, { kind: 'badges', hostOf: (url) => URL.parse(url)?.host ?? url, look }, stop);

  async function look(
    { check_id, subject }: { check_id: string; subject: string },
    signal: AbortSignal,
  ): Promise<void> {
    const startedAt = clock.now();
    const began = performance.now();
    const refreshed = await refreshBadges({ ...deps, ownUrl, signal }, subject);
    if (refreshed === undefined) return;
    const { outcome, changed } = refreshed;
    const tookMs = performance.now() - began;
    const error = outcome.kind === 'unreachable' ? outcome.reason : null;
    await noteCheck(deps, check_id, { startedAt, tookMs, error });
    log.info({ agent_url: subject, result: outcome.kind, badges_changed: changed.length }, 'agent checked');
  }
}
