import { z } from 'zod';
import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import { readEntry } from '../../directory/authorization/published-entry.ts';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import type { RegistryProperty } from '../../directory/publisher/publisher.ts';
import { canonicalDigest } from '../../platform/crypto/canonical-json.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import { isObject } from '../../platform/json-object.ts';
import { shownText } from '../probe/tool.ts';
import { storedEntry } from './stored-entry.ts';

/** What a publisher's `adagents.json` says, entry by entry. */
export interface AdAgents {
  /** As published, several of one agent too; the same entry once. */
  authorized: FileEntry[];
  properties: RegistryProperty[];
  /** Publishers that the file takes back, whatever its entries say; by rule R1. */
  revoked: string[];
  /** Entries that were left out or do not count now, and why; the others stand. */
  problems: string[];
  /** Those that were left out, where they stand; at most 100. */
  left_out: LeftOut[];
  /** Why its publisher's properties are not found by all of their identifiers; absent: they are. */
  unfound?: string;
  /** The file is kept elsewhere. */
  authoritative_location?: string;
}

/** An entry or property that a crawl does not take. */
export interface LeftOut {
  /** JSON pointer (RFC 6901) into the file. */
  pointer: string;
  why: string;
}

export interface FileEntry {
  /** Canonical. */
  url: string;
  /** Empty where it says nothing. */
  authorized_for: string;
  /** The same for the same entry, wherever in the file it stands. */
  entry_id: string;
  entry_json: string;
  is_exclusive: boolean;
  /** By itself it lets its agent sell some inventory now. */
  is_live: boolean;
}

/** Told of one file. */
export const MOST_PROBLEMS = 100;
const MAX_AGENTS = 1000;
const MAX_ENTRIES_OF_AGENT = 100;
/** Of all entries together, as they are stored; in characters. So of properties. */
const MAX_ENTRIES_LENGTH = 2_000_000;
const MAX_PROPERTIES = 20_000;
const MAX_PROPERTIES_LENGTH = 4_000_000;
const MAX_REVOKED = 20_000;

const File = z.looseObject({
  authoritative_location: z.unknown().optional(),
  authorized_agents: z.unknown().optional(),
  properties: z.unknown().optional(),
  revoked_publisher_domains: z.unknown().optional(),
});

const AgentEntry = z.looseObject({ url: z.string(), authorized_for: shownText(1000) });

const PropertyEntry = z.object({
  property_id: z.string().min(1).max(200).nullish(),
  property_type: z.string().max(100),
  name: shownText(400),
  identifiers: z.array(z.object({ type: z.string().max(100), value: z.string().max(1000) })).max(1000),
  tags: z.array(z.string().max(200)).max(200).catch([]),
  supported_channels: z.array(z.string().max(100)).max(100).optional().catch(undefined),
  publisher_domain: z.string().max(300).nullish(),
});

/**
 * Reads the file's JSON. A bad entry is left out and told; it never loses the others. Undefined for what is no such file. Between parts of
 * a large one others have their turn.
 */
export async function readAdAgents(json: unknown, nowMs: number): Promise<AdAgents | undefined> {
  const file = File.safeParse(json).data;
  if (file === undefined) return undefined;
  const { authoritative_location, authorized_agents, properties = [], revoked_publisher_domains } = file;
  const elsewhere = typeof authoritative_location === 'string' ? authoritative_location : undefined;
  if (!Array.isArray(authorized_agents) && elsewhere === undefined) return undefined;
  const problems: string[] = [];
  const leftOut: LeftOut[] = [];
  const entries = list(authorized_agents, MAX_AGENTS, 'authorized_agents', problems);
  return {
    authorized: await readEntries(entries, nowMs, { problems, leftOut }),
    properties: await readProperties(list(properties, MAX_PROPERTIES, 'properties', problems), { problems, leftOut }),
    revoked: await readRevoked(list(revoked_publisher_domains, MAX_REVOKED, 'revoked_publisher_domains', problems)),
    problems: problems.slice(0, MOST_PROBLEMS),
    left_out: leftOut.slice(0, 100),
    ...(elsewhere !== undefined && !Array.isArray(authorized_agents) && { authoritative_location: elsewhere }),
  };
}

function list(value: unknown, most: number, name: string, problems: string[]): [number, unknown][] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    problems.push(`${name} is not a list`);
    return [];
  }
  if (value.length > most) problems.push(`${name} has more than ${most} entries; the rest is left out`);
  return value.slice(0, most).map((item: unknown, i) => [i, item]);
}

/** What is told of a file besides what counts. */
interface Told {
  problems: string[];
  leftOut: LeftOut[];
}

async function readEntries(
  entries: [number, unknown][],
  nowMs: number,
  { problems, leftOut }: Told,
): Promise<FileEntry[]> {
  const known = new Map<string, FileEntry>();
  const ofAgent = new Map<string, number>();
  let length = 0;
  await mapInSlices(entries, ([i, raw]) => {
    const problem = (why: string) => problems.push(`authorized_agents[${i}] ${why}`);
    const leave = (why: string) => {
      problem(why);
      leftOut.push({ pointer: `/authorized_agents/${i}`, why });
    };
    const entry = AgentEntry.safeParse(raw).data;
    const url = entry && canonicalAgentUrl(entry.url);
    if (entry === undefined || url === undefined) {
      leave('has no usable url');
      return;
    }
    const entry_json = storedEntry(raw);
    const count = ofAgent.get(url) ?? 0;
    length += entry_json?.length ?? 0;
    if (entry_json === undefined || length > MAX_ENTRIES_LENGTH || count === MAX_ENTRIES_OF_AGENT) {
      leave('is left out: it is too large, or there are too many');
      return;
    }
    const why = whyNotNow(raw, nowMs);
    if (why !== undefined) problem(why);
    const entry_id = canonicalDigest(JSON.parse(entry_json)).slice(0, 32);
    const { authorized_for } = entry;
    const is_exclusive = isObject(raw) && raw['exclusive'] === true;
    if (known.has(`${url} ${entry_id}`)) return;
    known.set(`${url} ${entry_id}`, {
      ...{ url, authorized_for, entry_id, entry_json, is_exclusive, is_live: why === undefined },
    });
    ofAgent.set(url, count + 1);
  });
  return [...known.values()];
}

/** What of an entry by itself keeps it from letting anybody sell inventory now. */
function whyNotNow(raw: unknown, nowMs: number): string | undefined {
  const { scope, fromMs, untilMs, revokedMs } = readEntry(raw);
  if (scope.kind === 'unclear') return `covers nothing: ${scope.why}`;
  if (scope.kind === 'signals') return 'is for signals, not for inventory';
  if (revokedMs <= nowMs) return 'is revoked';
  if (untilMs <= nowMs) return 'is over';
  return fromMs > nowMs ? 'has not begun' : undefined;
}

async function readProperties(entries: [number, unknown][], { problems, leftOut }: Told): Promise<RegistryProperty[]> {
  const known = new Map<string, RegistryProperty>();
  let length = 0;
  let isFull = false;
  await mapInSlices(entries, ([i, raw]) => {
    if (isFull) return;
    const leave = (why: string) => {
      problems.push(`properties[${i}] ${why}`);
      leftOut.push({ pointer: `/properties/${i}`, why });
    };
    const { data, error } = PropertyEntry.safeParse(raw);
    const whose = data?.publisher_domain == null ? null : normalizeDomain(data.publisher_domain)?.domain;
    if (data === undefined || whose === undefined) {
      leave(`is not valid: ${error?.issues[0]?.path.join('.') ?? 'publisher_domain'}`);
      return;
    }
    const { property_id, property_type, name, identifiers, tags, supported_channels } = data;
    const property: RegistryProperty = {
      ...(property_id != null && { property_id }),
      ...{ property_type, name, identifiers, tags, ...(supported_channels && { supported_channels }) },
      ...(whose !== null && { publisher_domain: whose }),
    };
    const text = JSON.stringify(property);
    const key = property_id == null ? text : JSON.stringify([whose, property_id]);
    if (known.has(key)) return;
    length += text.length;
    if (length > MAX_PROPERTIES_LENGTH) {
      leave('and what follows is left out: together they are too large');
      isFull = true;
      return;
    }
    known.set(key, property);
  });
  return [...known.values()];
}

/** An item is an object with `publisher_domain`; just the name is understood, too. */
async function readRevoked(items: [number, unknown][]): Promise<string[]> {
  const domains = await mapInSlices(items, ([, item]) => {
    const name = isObject(item) ? item['publisher_domain'] : item;
    return typeof name === 'string' ? normalizeDomain(name)?.domain : undefined;
  });
  return [...new Set(domains.filter((domain) => domain !== undefined))];
}
