import { judge } from '../../directory/authorization/judge.ts';
import type { Judgement, Limit } from '../../directory/authorization/judge.ts';
import type { PublisherClaims } from '../../directory/authorization/find-claims.ts';
import { nameOf } from '../../directory/authorization/property-index.ts';
import { timeOf } from '../../directory/authorization/live-authorizations.ts';
import { overMs } from '../../directory/authorization/published-entry.ts';
import { AppError } from '../../platform/errors.ts';
import type { Store } from '../../platform/store/collection.ts';
import { eachOfAgent, claimedProperties } from './claims-of-agent.ts';
import type { ClaimedProperty } from './claims-of-agent.ts';
import type { InventorySelector, ProductInventory } from './schema.ts';

/** Properties that are judged for one request. */
const MOST_PROPERTIES = 2000;
/** Properties among which those are looked for, of all publishers together: as many as two files may have. */
const MOST_READ = 40_000;
/** Of the properties that are judged, which are kept until all are: as long as two files may have; in characters. */
const MOST_LENGTH = 8_000_000;
/** Judged without a break: others have their turn then. */
const IN_A_ROW = 20;

/** What came of one selector. */
export interface SelectorVerdict {
  publisher_domain: string;
  authorized: boolean;
  code: Judgement['code'];
  limited_by: Limit[];
  /** Those that the agent may sell. */
  sold: ClaimedProperty[];
  /** By name, those that it may not, or that nobody knows. */
  refused: string[];
  /** What decided of each that it may sell, or of all at once. */
  by: Judgement[];
}

/** Where a yes is from, how old that is and when some of it is over. */
export function groundOf(by: readonly Judgement[]) {
  const [files, seen] = [new Set<string>(), new Set<string>()];
  let endMs = Infinity;
  for (const { row, entry } of by) {
    if (row?.source_url != null) files.add(row.source_url);
    if (row !== undefined) seen.add(row.seen_at);
    if (entry !== undefined) endMs = Math.min(endMs, overMs(entry));
  }
  return { source_urls: [...files].sort(), seen_at: [...seen].sort()[0] ?? null, valid_until: timeOf(endMs) };
}

/**
 * Judges an agent by each selector of a product, in their order, by the entries as published (rule R15.scope). Without property
 * ids, types or tags a selector means all that the publisher has.
 * @throws {AppError} `VALIDATION_ERROR` where more than 2,000 properties are meant or they are too long together, or the publishers have more than
 * 40,000.
 */
export async function judgeSelectors(
  store: Store,
  { agent_url, publisher_properties }: ProductInventory,
  atMs: number,
): Promise<SelectorVerdict[]> {
  const domains = [...new Set(publisher_properties.map((one) => one.publisher_domain))];
  const verdicts = new Map<InventorySelector, SelectorVerdict>();
  let [judged, read, length] = [0, 0, 0];
  for await (const one of eachOfAgent(store, agent_url, domains)) {
    const known = claimedProperties(one, agent_url);
    read += known.length;
    if (read > MOST_READ) throw tooMuch(`these publishers have more than ${MOST_READ} properties`);
    for (const selector of publisher_properties.filter((wanted) => wanted.publisher_domain === one.publisher_domain)) {
      const { meant, missing } = selected(selector, known);
      judged += meant.length;
      if (judged > MOST_PROPERTIES) throw tooMuch(`more than ${MOST_PROPERTIES} properties are meant`);
      for (const property of meant) length += lengthOf(property);
      if (length > MOST_LENGTH) throw tooMuch(`the properties that are meant have more than ${MOST_LENGTH} characters`);
      verdicts.set(selector, await verdictOn(one, { agent_url, atMs }, selector, { meant, missing }));
    }
  }
  return publisher_properties.map(
    (selector) => verdicts.get(selector) ?? no(selector.publisher_domain, 'publisher_unknown'),
  );
}

/** The refusal of a question that is too large. */
export function tooMuch(what: string): AppError {
  return new AppError('VALIDATION_ERROR', `publisher_properties: ${what}; ask for fewer at once`, {
    field: 'publisher_properties',
    suggestion: 'name fewer publishers, or some of their properties by property_ids',
  });
}

/** About as long as its JSON. */
function lengthOf({ name = '', identifiers, tags }: ClaimedProperty): number {
  let length = name.length;
  for (const { type, value } of identifiers) length += type.length + value.length + 24;
  for (const tag of tags) length += tag.length + 3;
  return length;
}

interface Selected {
  meant: ClaimedProperty[];
  /** Ids that no property has. */
  missing: string[];
}

function selected(selector: InventorySelector, known: readonly ClaimedProperty[]): Selected {
  const { property_ids, property_types } = selector;
  const tags = new Set([...(selector.tags ?? []), ...(selector.property_tags ?? [])]);
  const [ids, types] = [new Set(property_ids), new Set(property_types)];
  const meant = known.filter(
    (one) =>
      (ids.size === 0 || (one.property_id !== undefined && ids.has(one.property_id))) &&
      (types.size === 0 || (one.property_type !== undefined && types.has(one.property_type))) &&
      (tags.size === 0 || one.tags.some((tag) => tags.has(tag))),
  );
  const found = new Set(meant.map((one) => one.property_id));
  return { meant, missing: [...ids].filter((id) => !found.has(id)) };
}

async function verdictOn(
  { publisher_domain, claims }: PublisherClaims,
  { agent_url, atMs }: { agent_url: string; atMs: number },
  selector: InventorySelector,
  { meant, missing }: Selected,
): Promise<SelectorVerdict> {
  const { property_ids, property_types, tags, property_tags } = selector;
  const isAll = [property_ids, property_types, tags, property_tags].every((list) => list === undefined);
  const whole = judge({ agent_url, publisher_domain, atMs }, claims);
  if (isAll && !whole.authorized) return no(publisher_domain, whole.code);
  if (isAll && meant.length === 0) {
    const authorized = !whole.limited_by.some(isOfProperties);
    return { ...no(publisher_domain, whole.code), authorized, limited_by: [...whole.limited_by], by: [whole] };
  }
  const [sold, refused, limits]: [ClaimedProperty[], string[], Set<Limit>] = [[], [...missing], new Set()];
  const by: Judgement[] = [];
  let worst: Judgement['code'] | undefined = missing.length > 0 ? 'property_unknown' : undefined;
  for (const [i, property] of meant.entries()) {
    const name = nameOf(property) ?? '';
    const judgement = judge({ agent_url, publisher_domain, property: name, atMs }, claims);
    if (judgement.authorized && !judgement.limited_by.includes('properties')) {
      sold.push(property);
      by.push(judgement);
      for (const limit of judgement.limited_by) limits.add(limit);
    } else {
      refused.push(name);
      worst ??= judgement.code;
    }
    if (i % IN_A_ROW === IN_A_ROW - 1) await new Promise(setImmediate);
  }
  if (meant.length === 0) worst ??= 'property_unknown';
  const code = worst ?? (limits.size === 0 ? 'authorized' : 'authorized_in_part');
  return { publisher_domain, authorized: worst === undefined, code, limited_by: [...limits], sold, refused, by };
}

/** Limits that leave out some of the properties; the others say where, or in which of their places. */
function isOfProperties(limit: Limit): boolean {
  return limit === 'properties' || limit === 'exclusive';
}

function no(publisher_domain: string, code: Judgement['code']): SelectorVerdict {
  return { publisher_domain, authorized: false, code, limited_by: [], sold: [], refused: [], by: [] };
}
