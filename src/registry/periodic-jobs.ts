import { noteCheck } from '../directory/scheduled-check/scheduled-check.ts';
import type { Ids } from '../platform/clock.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import { refreshBadges } from './badge/refresh-badges.ts';
import { crawlPublisher } from './crawl/crawl-publisher.ts';
import type { CrawlDeps } from './crawl/crawl-publisher.ts';
import { runDueChecks } from './schedule/run-due-checks.ts';
import type { RunDeps } from './schedule/run-due-checks.ts';

type CrawlJobDeps = CrawlDeps & RunDeps;

export interface RegistryJobDeps extends CrawlJobDeps {
  ids: Ids;
  names: ProtocolNames;
  /** Where this house's own agent is. */
  baseUrl: string;
}

/** Crawls publishers until none is due (rule R15); any number of workers may do it at once. Answers how many. */
export function crawlDue(deps: CrawlJobDeps, stop?: AbortSignal): Promise<number> {
  const hostOf = (publisherDomain: string) => publisherDomain;
  return runDueChecks(deps, { kind: 'adagents', hostOf, look }, stop);

  async function look({ subject }: { subject: string }, signal: AbortSignal, onAnswer: () => void): Promise<void> {
    const result = await crawlPublisher(deps, subject, undefined, { signal, onAnswer });
    deps.log.info({ publisher_domain: subject, result: result.kind }, 'publisher crawled');
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
