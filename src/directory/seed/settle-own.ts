import { toTimestamp } from '../../platform/clock.ts';
import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import { authorizationId, authorizations } from '../authorization/authorization.ts';
import { announcing } from '../feed/announcing.ts';
import { authorizationSubject, propertiesSubject, publisherSubject } from '../feed/public-state.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { dropOtherIdentifiers, keepIdentifiers } from '../publisher/property-identifier.ts';
import { publishers, RegistryProperty } from '../publisher/publisher.ts';
import { SeedMarks } from './seed-mark.ts';
import { dropEntry } from '../search/keep-entry.ts';
import type { SeedPublisher } from './seed.ts';

/** This house's own publishers, as its catalog has them now. */
export interface OwnPublishers {
  /** The agent's address. */
  base_url: string;
  publishers: readonly SeedPublisher[];
}

/**
 * What was planted of this house's own publishers becomes what the catalog says now: properties that it lost go, and so does a publisher
 * that it has no more, with what it lets this agent sell. Whoever has a file of their own is their file's. After planting; safe to repeat
 * and to race. Costs two reads where nothing has changed.
 */
export async function settleOwnPublishers(deps: FeedDeps, own: OwnPublishers, name: string): Promise<void> {
  const marks = deps.store.collection(SeedMarks);
  const domains = own.publishers.map(({ publisher_domain }) => publisher_domain);
  const former = (await marks.get(name))?.own;
  for (const domain of former?.domains ?? [])
    if (!domains.includes(domain)) await letGo(deps, domain, [own.base_url, former?.base_url ?? own.base_url]);
  await follow(deps, own.publishers);
  const now = { base_url: own.base_url, domains };
  await marks.update(name, (row) =>
    canonicalJson(row.own ?? null) === canonicalJson(now) ? undefined : { ...row, own: now },
  );
}

async function follow(deps: FeedDeps, own: readonly SeedPublisher[]): Promise<void> {
  const rows = deps.store.collection(publishers);
  const wanted = new Map(own.map(({ publisher_domain, properties }) => [publisher_domain, properties]));
  for (const stored of await rows.getMany([...wanted.keys()], { skipUnreadable: true })) {
    const { publisher_domain } = stored;
    const properties = wanted.get(publisher_domain) ?? [];
    const isHinted = stored.identifier_list !== undefined;
    if (stored.source !== 'hosted' || (isHinted && isSame(stored.properties, properties))) continue;
    const means = { store: deps.store, nowMs: deps.clock.now() };
    const identifier_list = await keepIdentifiers(means, publisher_domain, properties, stored.identifier_list);
    await announcing(deps, [publisherSubject(publisher_domain), propertiesSubject(publisher_domain)], () =>
      rows.update(publisher_domain, (row) =>
        row.source === 'hosted' && !isSame(row.properties, properties)
          ? { ...row, properties, property_list: null, identifier_list, updated_at: toTimestamp(deps.clock.now()) }
          : row.source === 'hosted' && row.identifier_list === undefined
            ? { ...row, identifier_list }
            : undefined,
      ),
    );
    await dropOtherIdentifiers(means, publisher_domain, stored.identifier_list);
  }
}

/** The publisher itself goes where nothing else is known of it. */
async function letGo(deps: FeedDeps, domain: string, urls: readonly string[]): Promise<void> {
  const { store } = deps;
  const subjects = [...urls.map((url) => authorizationSubject(domain, url)), publisherSubject(domain)];
  await announcing(deps, [...subjects, propertiesSubject(domain)], async () => {
    for (const url of urls) await store.collection(authorizations).delete(authorizationId(domain, url, 'hosted'));
    const row = await store.collection(publishers).get(domain);
    const { rows: others } = await store
      .collection(authorizations)
      .find({ where: { publisher_domain: domain }, limit: 1 });
    if (
      row?.source === 'hosted' &&
      others.length === 0 &&
      (await store.collection(publishers).delete(domain, row.revision))
    )
      await dropEntry(store, domain);
  });
}

/** By what this release knows of a property. */
function isSame(stored: readonly RegistryProperty[], wanted: readonly RegistryProperty[]): boolean {
  const known = (all: readonly RegistryProperty[]) => canonicalJson(all.map((one) => RegistryProperty.parse(one)));
  return known(stored) === known(wanted);
}
