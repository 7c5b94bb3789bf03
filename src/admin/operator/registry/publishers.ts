import { z } from 'zod';
import { eachWithClaims, liveOfPublisher } from '../../../directory/authorization/live-authorizations.ts';
import { normalizeDomain } from '../../../directory/domain/normalize-domain.ts';
import { propertiesCount } from '../../../directory/publisher/property-list.ts';
import { CrawlState, publishers, PublisherSource, RegistryPublisher } from '../../../directory/publisher/publisher.ts';
import { hastenCheck, scheduledChecks } from '../../../directory/scheduled-check/scheduled-check.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Store } from '../../../platform/store/collection.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { Id, pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';
import { looksOf, LookView } from './looks.ts';

/** A publisher's row may hold a megabyte of properties: so many are in memory at once. */
const AT_ONCE = 20;

/** So many agents of a publisher are told by name. */
const MOST_AGENTS = 100;

/** A publisher in a list, and how the looks at its file go. */
export const PublisherLine = z.object(RegistryPublisher.shape).pick({ publisher_domain: true, source: true }).extend({
  /** Whether it vouches for its agents itself. */
  verified: z.boolean(),
  properties_count: z.int(),
  /** Of its file, when it was last taken over; the first of them. */
  problems_count: z.int(),
  /** Null: nobody looks, as of what this house says itself. */
  look: LookView.nullable(),
});
export type PublisherLine = z.infer<typeof PublisherLine>;

/** One publisher, as far as whoever runs the registry wants to know. */
export const PublisherInFull = PublisherLine.extend({
  manager_domain: z.string().nullable(),
  crawl: CrawlState.nullable(),
  /** The look at its `ads.txt`; null: nobody looks. */
  ads_txt: LookView.nullable(),
  agents_count: z.int(),
  /** Who may sell for it now, the first hundred. */
  agents: z.array(z.object({ agent_url: z.string(), authorized_for: z.string(), source: z.string() })),
  created_at: z.string(),
  updated_at: z.string(),
});
export type PublisherInFull = z.infer<typeof PublisherInFull>;

/** By domain; those whose file cannot be read, by how long. */
export const listRegistryPublishers = operation({
  method: 'get',
  path: '/registry/publishers',
  summary: 'List the publishers of the registry by where it knows them from, or those whose file cannot be read.',
  role: 'viewer',
  query: z.strictObject({ state: z.enum([...PublisherSource.options, 'failing']).default('failing'), ...pageQuery }),
  answer: z.object({ publishers: z.array(PublisherLine), ...pageView }),
  async handle({ query: { state, limit, cursor } }, { store }) {
    const listed: PublisherLine[] = [];
    let after = cursor;
    do {
      const page = await domainsOf(store, state, Math.min(AT_ONCE, limit - listed.length), after);
      listed.push(...(await linesOf(store, page.domains)));
      after = page.cursor;
    } while (after !== undefined && listed.length < limit);
    return { publishers: listed, ...pageEnd(after) };
  },
});

const PublisherPath = z.strictObject({ publisher_domain: Id });

export const showRegistryPublisher = operation({
  method: 'get',
  path: '/registry/publishers/:publisher_domain',
  summary: 'Show a publisher of the registry: its file and what is wrong with it, who may sell for it, the next look.',
  role: 'viewer',
  params: PublisherPath,
  answer: PublisherInFull,
  async handle({ params: { publisher_domain } }, { store, clock }) {
    return publisherInFull(store, await knownPublisher(store, publisher_domain), clock.now());
  },
});

/** A worker looks in a moment; what it finds is told as at any other time. */
export const crawlRegistryPublisher = operation({
  method: 'post',
  path: '/registry/publishers/:publisher_domain/crawl',
  summary: "Have a publisher's adagents.json read in a moment, and not only at the next time.",
  role: 'admin',
  action: 'registry.crawl',
  done: () => 'The file is read in a moment.',
  params: PublisherPath,
  answer: PublisherInFull,
  async handle({ params }, { store, clock }) {
    const row = await knownPublisher(store, params.publisher_domain);
    if (row.source === 'hosted') {
      const why = 'this house says itself what is known of it, and reads no file';
      throw new AppError('INVALID_STATE', `${row.publisher_domain}: ${why}`, { field: 'publisher_domain' });
    }
    await hastenCheck({ store, clock }, 'adagents', row.publisher_domain);
    return publisherInFull(store, row, clock.now());
  },
});

/** @throws {AppError} `NOT_FOUND`. */
async function knownPublisher(store: Store, domain: string): Promise<RegistryPublisher> {
  const row = await store.collection(publishers).get(normalizeDomain(domain)?.domain ?? domain);
  if (row !== undefined) return row;
  throw new AppError('NOT_FOUND', 'the registry knows no publisher of this domain', { field: 'publisher_domain' });
}

async function domainsOf(
  store: Store,
  state: PublisherSource | 'failing',
  limit: number,
  after: string | undefined,
): Promise<{ domains: string[]; cursor: string | undefined }> {
  const from = { limit, ...(after !== undefined && { after }) };
  if (state === 'failing') {
    const where = { kind: 'adagents', failing_since: { gt: '' } } as const;
    const sort = { field: 'failing_since', direction: 'asc' } as const;
    const { rows, cursor } = await store.collection(scheduledChecks).find({ where, sort, ...from });
    return { domains: rows.map(({ subject }) => subject), cursor };
  }
  const { rows, cursor } = await store.collection(publishers).find({ where: { source: state }, ...from });
  return { domains: rows.map(({ publisher_domain }) => publisher_domain), cursor };
}

/** In their order; one that is gone is left out. */
async function linesOf(store: Store, domains: readonly string[]): Promise<PublisherLine[]> {
  const [rows, looks] = await Promise.all([
    store.collection(publishers).getMany(domains),
    looksOf(store, 'adagents', domains),
  ]);
  const byDomain = new Map(rows.map((row) => [row.publisher_domain, row]));
  return domains.flatMap((domain) => {
    const row = byDomain.get(domain);
    return row === undefined ? [] : [lineOf(row, looks.get(domain))];
  });
}

function lineOf(row: RegistryPublisher, look: LookView | undefined): PublisherLine {
  const { publisher_domain, source, verified, crawl } = row;
  return {
    ...{ publisher_domain, source, verified, properties_count: propertiesCount(row) },
    ...{ problems_count: crawl?.problems?.length ?? 0, look: look ?? null },
  };
}

async function publisherInFull(store: Store, row: RegistryPublisher, nowMs: number): Promise<PublisherInFull> {
  const { publisher_domain, manager_domain = null, crawl = null, created_at, updated_at } = row;
  const [looks, seen] = await Promise.all([
    looksOf(store, 'adagents', [publisher_domain]),
    looksOf(store, 'ads_txt', [publisher_domain]),
  ]);
  const live = [];
  for await (const claims of eachWithClaims(store, [publisher_domain])) live.push(...liveOfPublisher(claims, nowMs));
  const agents = live
    .slice(0, MOST_AGENTS)
    .map(({ agent_url, authorized_for, source }) => ({ agent_url, authorized_for, source }));
  return {
    ...lineOf(row, looks.get(publisher_domain)),
    ...{ manager_domain, crawl, ads_txt: seen.get(publisher_domain) ?? null },
    ...{ agents_count: live.length, agents, created_at, updated_at },
  };
}
