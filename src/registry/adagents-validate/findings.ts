import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import { readEntry } from '../../directory/authorization/published-entry.ts';
import { isCountry } from '../../platform/country.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import { isObject } from '../../platform/json-object.ts';
import { readAdAgents } from '../crawl/adagents-file.ts';
import type { AdAgents, LeftOut } from '../crawl/adagents-file.ts';
import { tell } from './file-finding.ts';
import type { Findings } from './file-finding.ts';
import { checkListedProperties } from './property-findings.ts';

/** Looked at; the crawl takes no more either. */
const MOST_AGENTS = 1000;
/** Ids and tags looked at over all entries. */
const MOST_NAMES = 100_000;
/** In one list of an entry: one with more is longer than the crawl keeps of an entry. */
const MOST_IN_LIST = 20_000;

/** What is wrong with a file, and what a crawl makes of it; without `file` it makes nothing of it. */
export interface Inspected extends Findings {
  file: AdAgents | undefined;
}

/**
 * What is wrong with the file's JSON, entry by entry; whatever a crawl leaves out of it is an error. Linear in the
 * file, with bounds; others have their turn in between.
 */
export async function findingsIn(json: unknown, nowMs: number): Promise<Inspected> {
  const file = await readAdAgents(json, nowMs);
  return { ...(await faultsOf(json, file?.left_out ?? new Map<string, LeftOut>(), nowMs)), file };
}

async function faultsOf(json: unknown, leftOut: ReadonlyMap<string, LeftOut>, nowMs: number): Promise<Findings> {
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
  const known = await checkListedProperties(found, properties, leftOut);
  const entries: unknown[] = authorized_agents.slice(0, MOST_AGENTS);
  let names = 0;
  await mapInSlices(entries, (entry, i) => {
    const at = `/authorized_agents/${i}`;
    const why = leftOut.get(at);
    if (why !== undefined) {
      tell(found.errors, at, why.message, why.fix);
      return;
    }
    if (!checkAgent(found, at, entry)) return;
    if (Object.values(entry).some((value) => Array.isArray(value) && value.length > MOST_IN_LIST)) {
      tell(found.errors, at, `one of its lists has more than ${MOST_IN_LIST} entries`, 'name properties by a tag');
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
  if (scope.kind === 'unclear')
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
  if (revokedMs <= nowMs) tell(warnings, at, 'it is revoked', 'drop it, if it is to stay so');
  for (const [i, country] of (countries ?? []).slice(0, 300).entries())
    if (!isCountry(country))
      tell(warnings, `${at}/countries/${i}`, 'it is no country', 'write it by ISO 3166-1, such as US');
}
