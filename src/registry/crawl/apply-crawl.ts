import { authorizationId, authorizations } from '../../directory/authorization/authorization.ts';
import type { Authorization } from '../../directory/authorization/authorization.ts';
import { announcing } from '../../directory/feed/announcing.ts';
import { authorizationSubject } from '../../directory/feed/public-state.ts';
import type { FeedDeps } from '../../directory/feed/publish.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { RegistryPublisher } from '../../directory/publisher/publisher.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { readAll } from '../read-all.ts';
import type { AdAgents } from './adagents-file.ts';

/**
 * Makes the registry's crawled entries of a publisher what its file says: adds, changes, and takes back what is no longer
 * there. Operator-hosted entries are left alone (rule R15). Safe to repeat.
 */
export async function applyCrawl(
  deps: FeedDeps,
  publisher_domain: string,
  { file, source_url }: { file: AdAgents; source_url: string },
): Promise<void> {
  const { store, clock } = deps;
  const rows = store.collection(authorizations);
  const seen_at = toTimestamp(clock.now());
  await savePublisher(deps, publisher_domain, file);
  const held = await crawledOf(deps, publisher_domain);
  const kept = new Set<string>();
  for (const { url: agent_url, authorized_for } of file.authorized) {
    const authorization_id = authorizationId(publisher_domain, agent_url, 'adagents_json');
    kept.add(authorization_id);
    const known = held.find((row) => row.authorization_id === authorization_id);
    const isNews = known?.authorized_for !== authorized_for;
    const fresh: Authorization = {
      ...{ authorization_id, publisher_domain, agent_url, authorized_for },
      ...{ source: 'adagents_json', source_url, seen_at, revision: 1 },
    };
    await announcing(deps, isNews ? [authorizationSubject(publisher_domain, agent_url)] : [], async () => {
      if ((await rows.insert(fresh)).inserted) return;
      await rows.update(authorization_id, (row) => ({ ...row, authorized_for, source_url, seen_at }));
    });
  }
  await takeBack(
    deps,
    held.filter((row) => !kept.has(row.authorization_id)),
  );
}

/** What applying a file would come to. */
export interface CrawlNews {
  /** The registry knows nothing of the publisher yet. */
  isNew: boolean;
  /** Authorizations that it would add, change or take back, each of them told by the feed. */
  changes: number;
}

export async function newsOfCrawl(deps: FeedDeps, publisher_domain: string, file: AdAgents): Promise<CrawlNews> {
  const held = await crawledOf(deps, publisher_domain);
  const before = new Map(held.map((row) => [row.agent_url, row.authorized_for]));
  const changed = file.authorized.filter(({ url, authorized_for }) => before.get(url) !== authorized_for);
  const named = new Set(file.authorized.map(({ url }) => url));
  const gone = held.filter(({ agent_url }) => !named.has(agent_url));
  const known = await deps.store.collection(publishers).get(publisher_domain);
  return { isNew: known === undefined, changes: changed.length + gone.length };
}

/** Forgets what a publisher's file said: it has been unreadable for too long. */
export async function forgetCrawl(deps: FeedDeps, publisher_domain: string): Promise<void> {
  await takeBack(deps, await crawledOf(deps, publisher_domain));
  await deps.store
    .collection(publishers)
    .update(publisher_domain, (row) =>
      row.source === 'adagents_json' && row.verified
        ? { ...row, verified: false, updated_at: toTimestamp(deps.clock.now()) }
        : undefined,
    );
}

async function crawledOf({ store }: FeedDeps, publisher_domain: string): Promise<Authorization[]> {
  const all = await readAll(store.collection(authorizations), { publisher_domain });
  return all.filter((row) => row.source === 'adagents_json');
}

async function takeBack(deps: FeedDeps, gone: readonly Authorization[]): Promise<void> {
  for (const { authorization_id, publisher_domain, agent_url } of gone)
    await announcing(deps, [authorizationSubject(publisher_domain, agent_url)], () =>
      deps.store.collection(authorizations).delete(authorization_id),
    );
}

async function savePublisher({ store, clock }: FeedDeps, publisher_domain: string, file: AdAgents): Promise<void> {
  const now = toTimestamp(clock.now());
  const fresh: RegistryPublisher = {
    ...{ publisher_domain, source: 'adagents_json', verified: true, properties: file.properties },
    ...{ created_at: now, updated_at: now, revision: 1 },
  };
  const rows = store.collection(publishers);
  if ((await rows.insert(fresh)).inserted) return;
  await rows.update(publisher_domain, (row) =>
    row.source === 'hosted'
      ? undefined
      : { ...row, source: 'adagents_json', verified: true, properties: file.properties, updated_at: now },
  );
}
