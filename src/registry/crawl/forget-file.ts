import { publishers } from '../../directory/publisher/publisher.ts';
import type { FeedDeps } from '../../directory/feed/publish.ts';
import { forgetCrawl } from './apply-crawl.ts';
import { blankState, managerSeenAt, rememberLook } from './crawl-state.ts';

/** Takes back what the last file said, and all that was remembered of it but when it was looked for. */
export async function forgetFile(
  deps: FeedDeps,
  publisherDomain: string,
  started_at: string,
  manager: 'stays' | 'goes',
): Promise<void> {
  await forgetCrawl(deps, publisherDomain);
  const row = await deps.store.collection(publishers).get(publisherDomain);
  if (row === undefined) return;
  const blank = blankState(started_at);
  const look =
    manager === 'goes' || row.crawl === undefined
      ? { crawl: blank, ...(manager === 'goes' && { manager_domain: null }) }
      : { crawl: { ...blank, manager_seen_at: managerSeenAt(row.crawl) } };
  await rememberLook(deps, publisherDomain, look);
}
