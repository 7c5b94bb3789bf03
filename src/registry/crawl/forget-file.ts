import { publishers } from '../../directory/publisher/publisher.ts';
import type { FeedDeps } from '../../directory/feed/publish.ts';
import { forgetCrawl } from './apply-crawl.ts';
import { blankState, rememberLook } from './crawl-state.ts';

/** Takes back what the last file said, and all that was remembered of it but when it was looked for. */
export async function forgetFile(
  deps: FeedDeps,
  publisherDomain: string,
  started_at: string,
  manager: 'stays' | 'goes',
): Promise<void> {
  await forgetCrawl(deps, publisherDomain);
  if ((await deps.store.collection(publishers).get(publisherDomain)) === undefined) return;
  const look = { crawl: blankState(started_at), ...(manager === 'goes' && { manager_domain: null }) };
  await rememberLook(deps, publisherDomain, look);
}
