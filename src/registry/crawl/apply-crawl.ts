import { authorizationId, authorizations } from '../../directory/authorization/authorization.ts';
import type { Authorization } from '../../directory/authorization/authorization.ts';
import { announcing } from '../../directory/feed/announcing.ts';
import { subjectName } from '../../directory/feed/feed-event.ts';
import type { FeedSubject } from '../../directory/feed/feed-event.ts';
import { newestEvent } from '../../directory/feed/newest-event.ts';
import { authorizationSubject, propertiesSubject, publisherSubject } from '../../directory/feed/public-state.ts';
import type { FeedDeps } from '../../directory/feed/publish.ts';
import {
  dropOtherIdentifiers,
  identifiersToWrite,
  keepIdentifiers,
} from '../../directory/publisher/property-identifier.ts';
import { dropOtherLists, keepProperties, allPropertiesOf } from '../../directory/publisher/property-list.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { RegistryPublisher } from '../../directory/publisher/publisher.ts';
import { oweIndex } from '../../directory/search/owed-index.ts';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { readAll } from '../read-all.ts';
import type { AdAgents, FileEntry } from './adagents-file.ts';
import { agentChanges, isChange, propertyChanges, publisherChange } from './crawl-changes.ts';
import type { Difference } from './crawl-changes.ts';
import { isOwn, ownProperties } from './own-properties.ts';

/** A file that was read, and where. */
interface ReadAdAgents {
  file: AdAgents;
  source_url: string;
  /** Where the publisher says that its file is kept, such as one that many share; null for its own. */
  location?: string | null;
  /** When it was fetched for another publisher, in milliseconds; absent: for this one. */
  fetchedMs?: number;
}

/** A publisher that a file takes back stays so for this long, though a later file no longer says it; in milliseconds. */
const REVOKED_MS = 7 * 24 * 3_600_000;

const NOTHING: Difference = { added: [], removed: [], changed: [] };

/**
 * Makes the registry's crawled entries of a publisher what its file says: adds, changes, and takes back what is no longer
 * there, and tells it as one change. Operator-hosted entries are left alone (rule R15). Safe to repeat.
 */
export async function applyCrawl(deps: FeedDeps, publisher_domain: string, read: ReadAdAgents): Promise<void> {
  const { authorized } = read.file;
  const held = await crawledOf(deps, publisher_domain);
  const agents = agentChanges(held, authorized);
  const subjects = [publisherSubject(publisher_domain), propertiesSubject(publisher_domain)];
  const told = await toldOf(deps, publisher_domain, [...agents.removed, ...agents.changed]);
  await announcing(deps, [...subjects, ...told], async () => {
    // First, so that a process that dies in between leaves a change told too early, not one that nobody is told.
    await savePublisher(deps, publisher_domain, { ...read, agents });
    const kept = new Set<string>();
    for (const entry of authorized) kept.add(await saveEntry(deps, { publisher_domain, ...read }, entry));
    await takeBack(
      deps,
      held.filter((row) => !kept.has(row.authorization_id)),
    );
    // Its entries are there now, too: it is found by their countries.
    if (isChange(agents)) await oweIndex(deps.store.collection(publishers), publisher_domain);
  });
}

/** What applying a file would come to. */
export interface CrawlNews {
  /** The registry knows nothing of the publisher yet. */
  isNew: boolean;
  /** Agents that it would add, change or take back, and its list of properties. */
  changes: number;
  /** Entries and identifiers that are not stored yet. */
  rows: number;
}

export async function newsOfCrawl(deps: FeedDeps, publisher_domain: string, read: ReadAdAgents): Promise<CrawlNews> {
  const held = await crawledOf(deps, publisher_domain);
  const { added, removed, changed } = agentChanges(held, read.file.authorized);
  const known = await deps.store.collection(publishers).get(publisher_domain);
  const entries = new Set(held.map(({ entry_id }) => entry_id));
  const fresh = read.file.authorized.filter(({ entry_id }) => !entries.has(entry_id)).length;
  const agents = added.length + removed.length + changed.length;
  // What an operator entered is not replaced by the file.
  if (known?.source === 'hosted') return { isNew: false, changes: agents, rows: fresh };
  const own = ownProperties(read, publisher_domain);
  const listed = known === undefined ? [] : await allPropertiesOf(deps.store, known);
  const properties = isChange(await propertyChanges(listed, own));
  const identifiers = await identifiersToWrite(own, known?.identifier_list);
  return { isNew: known === undefined, changes: agents + (properties ? 1 : 0), rows: fresh + identifiers };
}

/** Forgets what a publisher's file said: it has been unreadable for too long. */
export async function forgetCrawl(deps: FeedDeps, publisher_domain: string): Promise<void> {
  const gone = await crawledOf(deps, publisher_domain);
  const agents = agentChanges(gone, []);
  const told = await toldOf(deps, publisher_domain, agents.removed);
  await announcing(deps, [publisherSubject(publisher_domain), ...told], async () => {
    await deps.store.collection(publishers).update(publisher_domain, (row) => {
      const isOver = row.source === 'adagents_json' && row.verified;
      if (!isOver && gone.length === 0) return undefined;
      const updated_at = toTimestamp(deps.clock.now());
      return { ...row, ...(isOver && { verified: false }), ...changeOf(row, agents, NOTHING), updated_at };
    });
    await takeBack(deps, gone);
  });
}

async function crawledOf({ store }: FeedDeps, publisher_domain: string): Promise<Authorization[]> {
  const all = await readAll(store.collection(authorizations), { publisher_domain });
  return all.filter((row) => row.source === 'adagents_json');
}

/**
 * Agents that the feed told one by one, as 0.1.0 did and as a seed's are: what it said of these is set right. What a crawl adds is
 * told by the publisher's one event alone.
 */
async function toldOf({ store }: FeedDeps, publisher_domain: string, agents: string[]): Promise<FeedSubject[]> {
  const told: FeedSubject[] = [];
  for (const agent of agents) {
    const subject = authorizationSubject(publisher_domain, agent);
    const last = await newestEvent(store, { subject: subjectName(subject) });
    if (last !== undefined && last.state_json !== null) told.push(subject);
  }
  return told;
}

/** Answers the row's id. */
async function saveEntry(
  { store, clock }: FeedDeps,
  { publisher_domain, source_url, fetchedMs }: { publisher_domain: string; source_url: string; fetchedMs?: number },
  { url: agent_url, authorized_for, entry_id, entry_json, is_exclusive }: FileEntry,
): Promise<string> {
  const rows = store.collection(authorizations);
  const authorization_id = authorizationId(publisher_domain, agent_url, 'adagents_json', entry_id);
  const seen_at = toTimestamp(fetchedMs ?? clock.now());
  const fresh: Authorization = {
    ...{ authorization_id, publisher_domain, agent_url, authorized_for, source: 'adagents_json' },
    ...{ entry_id, entry_json, ...(is_exclusive && { is_exclusive }) },
    ...{ source_url, seen_at, revision: 1 },
  };
  if (!(await rows.insert(fresh)).inserted)
    await rows.update(authorization_id, (row) => ({ ...row, authorized_for, source_url, seen_at }));
  return authorization_id;
}

async function takeBack({ store }: FeedDeps, gone: readonly Authorization[]): Promise<void> {
  for (const { authorization_id } of gone) await store.collection(authorizations).delete(authorization_id);
}

async function savePublisher(
  { store, clock }: FeedDeps,
  publisher_domain: string,
  { file, location = null, agents }: ReadAdAgents & { agents: Difference },
): Promise<void> {
  const nowMs = clock.now();
  const now = toTimestamp(nowMs);
  const properties = ownProperties({ file, location }, publisher_domain);
  const revoked = file.revoked.filter((domain) => isOwn(domain, publisher_domain, location));
  const blank: RegistryPublisher = {
    ...{ publisher_domain, source: 'adagents_json', verified: true, properties: [] },
    ...{ created_at: now, updated_at: now, seen_at: now, revision: 1 },
  };
  const next = async (row: RegistryPublisher): Promise<RegistryPublisher> => {
    const isHosted = row.source === 'hosted';
    const listed = isHosted ? NOTHING : await propertyChanges(await allPropertiesOf(store, row), properties);
    const said = { revoked: stillRevoked(row.revoked ?? [], revoked, nowMs), ...changeOf(row, agents, listed) };
    if (isHosted) return { ...row, ...said };
    const kept = await keepProperties({ store, nowMs }, publisher_domain, properties, row);
    const identifier_list = await keepIdentifiers({ store, nowMs }, publisher_domain, properties, row.identifier_list);
    return { ...row, ...said, ...kept, identifier_list, source: 'adagents_json', verified: true, updated_at: now };
  };
  const rows = store.collection(publishers);
  for (;;) {
    const row = await rows.get(publisher_domain);
    const saved = await next(row ?? blank);
    const isSaved = row === undefined ? (await rows.insert(saved)).inserted : (await rows.replace(saved)) !== undefined;
    if (!isSaved) continue;
    await dropOtherIdentifiers({ store, nowMs }, publisher_domain, row?.identifier_list);
    return dropOtherLists({ store, nowMs }, publisher_domain, row?.property_list);
  }
}

function changeOf(row: RegistryPublisher, agents: Difference, properties: Difference) {
  if (!isChange(agents) && !isChange(properties)) return {};
  return { last_change: publisherChange((row.last_change?.number ?? 0) + 1, agents, properties) };
}

/** What the file takes back now, and what it took back within the last days: an old copy must not undo it. */
function stillRevoked(before: NonNullable<RegistryPublisher['revoked']>, now: readonly string[], nowMs: number) {
  const known = new Map(before.map((one) => [one.publisher_domain, one]));
  const named = new Set(now);
  const seen = now.map(
    (domain) => known.get(domain) ?? { publisher_domain: domain, first_seen_at: toTimestamp(nowMs) },
  );
  const held = before.filter(
    (one) => !named.has(one.publisher_domain) && nowMs - fromTimestamp(one.first_seen_at) < REVOKED_MS,
  );
  return [...seen, ...held];
}
