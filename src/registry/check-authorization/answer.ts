import { AT_ONCE_OF_AGENTS, eachClaims, readForAgents } from '../../directory/authorization/find-claims.ts';
import type { PublisherClaims } from '../../directory/authorization/find-claims.ts';
import { judge, REASONS } from '../../directory/authorization/judge.ts';
import type { Judgement } from '../../directory/authorization/judge.ts';
import { overMs } from '../../directory/authorization/published-entry.ts';
import { validityOf } from '../../directory/authorization/live-authorizations.ts';
import { normalizeDomain, withParents } from '../../directory/domain/normalize-domain.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { startSlices } from '../../platform/in-slices.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { AuthorizationAnswer, AuthorizationQuestion } from './schema.ts';

/** Answers each question, in their order, with the entries as published where that is wanted. Between some of them others have their turn: files may be large. */
export async function answerQuestions(
  store: Store,
  questions: readonly AuthorizationQuestion[],
  nowMs: number,
  { published = false } = {},
): Promise<AuthorizationAnswer[]> {
  const whose = await publishersOf(store, questions);
  const answers = new Map<AuthorizationQuestion, AuthorizationAnswer>();
  const byPublisher = new Map<string, AuthorizationQuestion[]>();
  for (const [question, domain] of whose) {
    const list = byPublisher.get(domain);
    if (list === undefined) byPublisher.set(domain, [question]);
    else list.push(question);
  }
  const domains = [...byPublisher.keys()];
  const slices = startSlices();
  for (let i = 0; i < domains.length; i += AT_ONCE_OF_AGENTS) {
    const some = domains.slice(i, i + AT_ONCE_OF_AGENTS);
    const agents = some.flatMap((domain) => byPublisher.get(domain)?.map(({ agent }) => agent) ?? []);
    const read = readForAgents(store, [...new Set(agents)]);
    for await (const claims of eachClaims(store, some, read, AT_ONCE_OF_AGENTS))
      for (const question of byPublisher.get(claims.publisher_domain) ?? []) {
        answers.set(question, answerOne(question, claims.publisher_domain, claims, { nowMs, published }));
        if (slices.isOver()) await slices.next();
      }
  }
  return questions.map(
    (question) =>
      answers.get(question) ?? answerOne(question, whose.get(question) ?? null, undefined, { nowMs, published }),
  );
}

/** Whose each property is: the publisher's that is named, or of the known ones whose domain it is below, the nearest. */
async function publishersOf(
  store: Store,
  questions: readonly AuthorizationQuestion[],
): Promise<Map<AuthorizationQuestion, string>> {
  const chains = new Map<AuthorizationQuestion, string[]>();
  for (const question of questions) {
    const host = question.publisher === undefined ? normalizeDomain(question.property ?? '')?.domain : undefined;
    if (host !== undefined) chains.set(question, withParents(host));
  }
  const known = await knownPublishers(store, new Set([...chains.values()].flat()));
  const whose = new Map<AuthorizationQuestion, string>();
  for (const question of questions) {
    const chain = chains.get(question) ?? [];
    const domain = question.publisher ?? chain.find((name) => known.has(name)) ?? chain[0];
    if (domain !== undefined) whose.set(question, domain);
  }
  return whose;
}

async function knownPublishers(store: Store, domains: ReadonlySet<string>): Promise<Set<string>> {
  return new Set((await store.collection(publishers).getField([...domains], 'source')).keys());
}

function answerOne(
  { agent, property, country, at }: AuthorizationQuestion,
  publisher_domain: string | null,
  found: PublisherClaims | undefined,
  { nowMs, published }: { nowMs: number; published: boolean },
): AuthorizationAnswer {
  const atMs = at === undefined ? nowMs : Date.parse(at);
  const judgement: Judgement =
    found === undefined
      ? { authorized: false, code: 'publisher_unknown', limited_by: [], live: [] }
      : judge({ agent_url: agent, publisher_domain: found.publisher_domain, property, country, atMs }, found.claims);
  const { authorized, code, limited_by, live, row } = judgement;
  // A thousand of these are made for one call: without spreading, at a fraction of the price.
  return {
    agent,
    publisher: publisher_domain,
    property: property ?? null,
    country: country ?? null,
    at: toTimestamp(atMs),
    authorized,
    code,
    reason: REASONS[code],
    limited_by: [...limited_by],
    entry: entryView(judgement, atMs, published),
    other_entries: live.flatMap((one) => (one === row || one.entry_id === undefined ? [] : [one.entry_id])),
  };
}

function entryView({ row, entry }: Judgement, atMs: number, published: boolean): AuthorizationAnswer['entry'] {
  if (row === undefined || entry === undefined) return null;
  const { entry_id = null, publisher_domain: file_of, source, source_url, seen_at, authorized_for, entry_json } = row;
  const { valid_from, valid_until } = validityOf(entry);
  return {
    entry_id,
    file_of,
    source,
    source_url,
    seen_at,
    authorized_for,
    valid: entry.fromMs <= atMs && atMs < overMs(entry),
    valid_from,
    valid_until,
    delegation_type: entry.delegation_type ?? null,
    exclusive: entry.exclusive,
    published: entry_json === undefined || !published ? null : (JSON.parse(entry_json) as Record<string, unknown>),
  };
}
