import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import { readEntry, timeAsPublished } from '../../directory/authorization/published-entry.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { isCountry } from '../../platform/country.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import { isObject } from '../../platform/json-object.ts';
import { storedEntry } from '../crawl/stored-entry.ts';
import { PUBLIC_IDENTIFIER_TYPES, PUBLIC_PROPERTY_TYPES } from './public-types.ts';

/** Something that a publisher should put right, and how. */
export interface FileFinding {
  /** JSON pointer (RFC 6901) into the file; empty for all of it. */
  pointer: string;
  message: string;
  fix: string;
}

/** Errors cost an entry or the file; warnings are surely not meant so. */
export interface Findings {
  errors: FileFinding[];
  warnings: FileFinding[];
}

/** Told of each kind. */
const MOST_FINDINGS = 100;
/** LookedAt at; the crawl takes no more either. */
const MOST_AGENTS = 1000;
const MOST_PROPERTIES = 20_000;
/** Ids and tags looked at over all entries. */
const MOST_NAMES = 100_000;
/** In one list of an entry: one with more is longer than the crawl keeps of an entry. */
const MOST_IN_LIST = 20_000;

/**
 * What is wrong with the file's JSON, entry by entry, by what the crawl makes of it. Linear in the
 * file, with bounds; others have their turn in between.
 */
export async function findingsIn(json: unknown, nowMs: number): Promise<Findings> {
  const found: Findings = { errors: [], warnings: [] };
  if (!isObject(json)) {
    tell(found.errors, '', 'the file is no JSON object', 'send an object with a list authorized_agents');
    return found;
  }
  const { authorized_agents, properties, authoritative_location, last_updated } = json;
  if (!Array.isArray(authorized_agents)) {
    if (typeof authoritative_location === 'string') checkLocation(found, authoritative_location);
    else
      tell(found.errors, '/authorized_agents', 'there is no list authorized_agents', 'add the list, empty if need be');
    return found;
  }
  checkLastUpdated(found, last_updated, nowMs);
  const known = await checkProperties(found, properties);
  const entries: unknown[] = authorized_agents.slice(0, MOST_AGENTS);
  let names = 0;
  await mapInSlices(entries, (entry, i) => {
    const at = `/authorized_agents/${i}`;
    if (!checkAgent(found, at, entry)) return;
    if (Object.values(entry).some((value) => Array.isArray(value) && value.length > MOST_IN_LIST)) {
      tell(found.errors, at, `one of its lists has more than ${MOST_IN_LIST} entries`, 'name properties by a tag');
      return;
    }
    // What is not kept is not read either, however long it takes.
    if (storedEntry(entry) === undefined) {
      tell(
        found.errors,
        at,
        'it is too long, or nested too deeply',
        'name properties by a tag; leave out what is not of the schema',
      );
      return;
    }
    checkScope(found, at, entry, nowMs);
    for (const [member, among] of [['property_ids', known.ids] as const, ['property_tags', known.tags] as const]) {
      const list: unknown[] = Array.isArray(entry[member]) ? entry[member] : [];
      for (const [j, name] of list.slice(0, Math.max(0, MOST_NAMES - names)).entries())
        if (typeof name !== 'string' || !among.has(name))
          tell(
            found.warnings,
            `${at}/${member}/${j}`,
            'no property of the file has it',
            'define it in properties, or leave it out',
          );
      names += list.length;
    }
  });
  if (authorized_agents.length > MOST_AGENTS)
    tell(found.errors, '/authorized_agents', `only the first ${MOST_AGENTS} entries count`, 'join or drop entries');
  return found;
}

function tell(list: FileFinding[], pointer: string, message: string, fix: string): void {
  if (list.length < MOST_FINDINGS) list.push({ pointer, message, fix });
}

function checkLocation({ errors }: Findings, location: string): void {
  if (!URL.canParse(location) || new URL(location).protocol !== 'https:')
    tell(errors, '/authoritative_location', 'it is no https URL', 'name the https URL of the file');
}

function checkLastUpdated({ warnings }: Findings, value: unknown, nowMs: number): void {
  if (value === undefined || value === null) return;
  const at = typeof value === 'string' ? Date.parse(value) : NaN;
  if (Number.isNaN(at)) tell(warnings, '/last_updated', 'it is no date-time', 'write it as 2026-06-30T00:00:00Z');
  else if (at > nowMs) tell(warnings, '/last_updated', 'it is in the future', 'write when the file was changed last');
}

async function checkProperties(
  { errors, warnings }: Findings,
  value: unknown,
): Promise<{ ids: Set<string>; tags: Set<string> }> {
  const known = { ids: new Set<string>(), tags: new Set<string>() };
  const list: unknown[] = Array.isArray(value) ? value : [];
  if (value !== undefined && value !== null && !Array.isArray(value))
    tell(errors, '/properties', 'it is no list', 'make it a list of properties');
  if (list.length > MOST_PROPERTIES)
    tell(errors, '/properties', `only the first ${MOST_PROPERTIES} properties count`, 'split the file');
  await mapInSlices(list.slice(0, MOST_PROPERTIES), (property, i) => {
    if (!isObject(property)) {
      tell(
        errors,
        `/properties/${i}`,
        'it is no object',
        'make it a property with property_type, name and identifiers',
      );
      return;
    }
    checkTypes(warnings, `/properties/${i}`, property);
    const { property_id: id, tags } = property;
    if (typeof id === 'string' && known.ids.has(id))
      tell(
        warnings,
        `/properties/${i}/property_id`,
        'an earlier property has the same id',
        'give each property its own',
      );
    if (typeof id === 'string') known.ids.add(id);
    if (Array.isArray(tags)) for (const tag of tags.slice(0, 200)) if (typeof tag === 'string') known.tags.add(tag);
  });
  return known;
}

const PROPERTY_TYPES: ReadonlySet<unknown> = new Set(PUBLIC_PROPERTY_TYPES);
const IDENTIFIER_TYPES: ReadonlySet<unknown> = new Set(PUBLIC_IDENTIFIER_TYPES);

function checkTypes(
  warnings: FileFinding[],
  at: string,
  { property_type, identifiers }: Record<string, unknown>,
): void {
  if (!PROPERTY_TYPES.has(property_type))
    tell(warnings, `${at}/property_type`, 'the public schema has no such type', 'take one of it, such as website');
  const list: unknown[] = Array.isArray(identifiers) ? identifiers.slice(0, 1000) : [];
  for (const [i, identifier] of list.entries())
    if (isObject(identifier) && !IDENTIFIER_TYPES.has(identifier['type']))
      tell(
        warnings,
        `${at}/identifiers/${i}/type`,
        'the public schema has no such type',
        'take one of it, such as domain',
      );
}

function checkAgent({ errors, warnings }: Findings, at: string, entry: unknown): entry is Record<string, unknown> {
  const text = isObject(entry) ? entry['url'] : undefined;
  if (!isObject(entry) || typeof text !== 'string' || canonicalAgentUrl(text) === undefined) {
    tell(errors, `${at}/url`, 'there is no usable url', "write the agent's https URL, without credentials");
    return false;
  }
  const url = new URL(text);
  if (url.protocol !== 'https:') tell(warnings, `${at}/url`, 'it is not https', 'write an https URL');
  if (url.search !== '') tell(warnings, `${at}/url`, 'it has a query', 'leave it out');
  const { authorized_for } = entry;
  if (typeof authorized_for !== 'string' || authorized_for.trim() === '')
    tell(warnings, `${at}/authorized_for`, 'it is missing', 'say in words what the agent may sell');
  return true;
}

function checkScope({ errors, warnings }: Findings, at: string, entry: Record<string, unknown>, nowMs: number): void {
  const { scope, fromMs, untilMs, revokedMs, countries } = readEntry(entry);
  const areTimes = checkTimes({ errors, warnings }, at, entry);
  if (scope.kind === 'unclear' && areTimes)
    tell(errors, at, `it covers nothing: ${scope.why}`, 'name an authorization_type, and the list that goes with it');
  if (scope.kind === 'own' && scope.selection.by === 'all')
    tell(
      warnings,
      at,
      'it has no scope, so it covers all of your inventory',
      'name an authorization_type, if that is not meant',
    );
  if (untilMs <= nowMs) tell(warnings, at, 'it is over', 'drop it, or set a later effective_until');
  else if (fromMs > nowMs) tell(warnings, at, 'it has not begun', 'nothing, if that is meant');
  if (revokedMs <= nowMs && areTimes) tell(warnings, at, 'it is revoked', 'drop it, if it is to stay so');
  for (const [i, country] of (countries ?? []).slice(0, 300).entries())
    if (!isCountry(country))
      tell(warnings, `${at}/countries/${i}`, 'it is no country', 'write it by ISO 3166-1, such as US or GB');
}

const TIMES = ['effective_from', 'effective_until', 'valid_until', 'revoked_at'];

/** Whether what is to be a time is one. Of one that the schema does not have, the reader may take it for another than was meant. */
function checkTimes({ errors, warnings }: Findings, at: string, entry: Record<string, unknown>): boolean {
  const times = TIMES.filter((name) => entry[name] !== undefined && entry[name] !== null);
  const none = times.filter((name) => Number.isNaN(timeAsPublished(entry[name], 0)));
  for (const name of none) tell(errors, `${at}/${name}`, 'it is no time, so the entry lets nobody sell', AS_TIME);
  for (const name of times) {
    const text = String(entry[name]);
    if (none.includes(name) || /[Zz]$|[+-]\d\d:?\d\d$/.test(text.slice(10))) continue;
    const read = `it has no ${text.length === 10 ? 'time' : 'offset'}, and is read as ${toTimestamp(timeAsPublished(text, 0))}`;
    tell(warnings, `${at}/${name}`, read, AS_TIME);
  }
  return none.length === 0;
}

const AS_TIME = 'write a date-time with an offset, such as 2026-06-30T00:00:00Z';
