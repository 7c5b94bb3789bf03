import { publishOverdue } from '../directory/feed/announcing.ts';
import { noteCheck, takeDue } from '../directory/scheduled-check/scheduled-check.ts';
import type { Logger } from '../platform/log.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import { refreshBadges } from './badge/refresh-badges.ts';
import { crawlPublisher } from './crawl/crawl-publisher.ts';
import type { CrawlDeps } from './crawl/crawl-publisher.ts';

export interface RegistryJobDeps extends CrawlDeps {
  log: Logger;
  names: ProtocolNames;
  /** Where this house's own agent is. */
  baseUrl: string;
}

/** Looked at in one round by one worker, of each kind. */
const AT_ONCE = 8;

/**
 * One round of what the registry does by itself: crawls publishers that are due (rule R15), checks agents for their
 * badges (rule R11), and tells changes whose process died before it could. Any number of workers may do it at once.
 * Answers how much was done.
 */
export async function doRegistryJobs(deps: RegistryJobDeps): Promise<number> {
  const { log, baseUrl: ownUrl } = deps;
  const crawls = (await takeDue(deps, 'adagents', AT_ONCE)).map(async ({ subject }) => {
    const result = await crawlPublisher(deps, subject);
    log.info({ publisher_domain: subject, result: result.kind }, 'publisher crawled');
  });
  const checks = (await takeDue(deps, 'badges', AT_ONCE)).map(async ({ check_id, subject }) => {
    const refreshed = await refreshBadges({ ...deps, ownUrl }, subject);
    if (refreshed === undefined) return;
    const { outcome, changed } = refreshed;
    await noteCheck(deps, check_id, outcome.kind === 'unreachable' ? outcome.reason : null);
    log.info({ agent_url: subject, result: outcome.kind, badges_changed: changed.length }, 'agent checked');
  });
  const done = await Promise.allSettled([...crawls, ...checks]);
  for (const { reason } of done.filter((one) => one.status === 'rejected'))
    log.warn({ err: reason as unknown }, 'a check of the registry failed; it comes up again');
  return done.length + (await publishOverdue(deps));
}
