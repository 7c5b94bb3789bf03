import { z } from 'zod';
import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import { readEntry } from '../../directory/authorization/published-entry.ts';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import type { RegistryProperty } from '../../directory/publisher/publisher.ts';
import { canonicalDigest } from '../../platform/crypto/canonical-json.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import { isObject } from '../../platform/json-object.ts';
import { shownText } from '../probe/tool.ts';
import { MAX_DEPTH, MAX_NEEDED, storedEntry } from './stored-entry.ts';

/** What a publisher's `adagents.json` says, entry by entry. */
export interface AdAgents {
  /** As published, several of one agent too; the same entry once. */
  authorized: FileEntry[];
  properties: RegistryProperty[];
  /** Publishers that the file takes back, whatever its entries say; by rule R1. */
  revoked: string[];
  /** Entries that were left out or do not count now, and why; the others stand. */
  problems: string[];
  /** Entries and properties with a fault of their own that a crawl does not take, by JSON pointer (RFC 6901). */
  left_out: ReadonlyMap<string, LeftOut>;
  /** The file is kept elsewhere. */
  authoritative_location?: string;
}

/** Why something of a file is not taken, and what its publisher can do. */
export interface LeftOut {
  message: string;
  fix: string;
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
  const left_out = new Map<string, LeftOut>();
  const entries = list(authorized_agents, MAX_AGENTS, 'authorized_agents', problems);
  const listed = list(properties, MAX_PROPERTIES, 'properties', problems);
  return {
    authorized: await readEntries(entries, nowMs, { problems, left_out }),
    properties: await readProperties(listed, { problems, left_out }),
    left_out,
    revoked: await readRevoked(list(revoked_publisher_domains, MAX_REVOKED, 'revoked_publisher_domains', problems)),
    problems: problems.slice(0, 100),
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

/** What a reader has to tell of a file. */
interface Told {
  problems: string[];
  left_out: Map<string, LeftOut>;
}

async function readEntries(
  entries: [number, unknown][],
  nowMs: number,
  { problems, left_out }: Told,
): Promise<FileEntry[]> {
  const known = new Map<string, FileEntry>();
  const ofAgent = new Map<string, number>();
  let length = 0;
  await mapInSlices(entries, ([i, raw]) => {
    const problem = (why: string) => problems.push(`authorized_agents[${i}] ${why}`);
    const leaveOut = (told: LeftOut) => {
      left_out.set(`/authorized_agents/${i}`, told);
      problem('is left out: it is too large, or there are too many');
    };
    // First: what is too large is not read at all.
    const entry_json = storedEntry(raw);
    if (entry_json === undefined && isObject(raw)) {
      leaveOut(TOO_LARGE);
      return;
    }
    const entry = AgentEntry.safeParse(raw).data;
    const url = entry && canonicalAgentUrl(entry.url);
    if (entry === undefined || url === undefined || entry_json === undefined) {
      problem('has no usable url');
      return;
    }
    const count = ofAgent.get(url) ?? 0;
    length += entry_json.length;
    if (length > MAX_ENTRIES_LENGTH || count === MAX_ENTRIES_OF_AGENT) {
      leaveOut(length > MAX_ENTRIES_LENGTH ? TOO_LONG_TOGETHER : TOO_MANY_OF_AGENT);
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

const TOO_LARGE: LeftOut = {
  message: `it is too large to be kept: at most ${MAX_NEEDED} characters, nested ${MAX_DEPTH} deep`,
  fix: 'name properties by a tag, or split it',
};
const TOO_LONG_TOGETHER: LeftOut = {
  message: `it is left out: entries have at most ${MAX_ENTRIES_LENGTH} characters together`,
  fix: 'name properties by a tag',
};
const TOO_MANY_OF_AGENT: LeftOut = {
  message: `it is left out: one agent has at most ${MAX_ENTRIES_OF_AGENT} entries`,
  fix: 'join or drop entries',
};

/** What of an entry by itself keeps it from letting anybody sell inventory now. */
function whyNotNow(raw: unknown, nowMs: number): string | undefined {
  const { scope, fromMs, untilMs, revokedMs } = readEntry(raw);
  if (scope.kind === 'unclear') return `covers nothing: ${scope.why}`;
  if (scope.kind === 'signals') return 'is for signals, not for inventory';
  if (revokedMs <= nowMs) return 'is revoked';
  if (untilMs <= nowMs) return 'is over';
  return fromMs > nowMs ? 'has not begun' : undefined;
}

async function readProperties(entries: [number, unknown][], { problems, left_out }: Told): Promise<RegistryProperty[]> {
  const known = new Map<string, RegistryProperty>();
  let length = 0;
  let isFull = false;
  await mapInSlices(entries, ([i, raw]) => {
    if (isFull) return;
    const { data, error } = PropertyEntry.safeParse(raw);
    const whose = data?.publisher_domain == null ? null : normalizeDomain(data.publisher_domain)?.domain;
    if (data === undefined || whose === undefined) {
      const member = error?.issues[0]?.path.join('.') ?? 'publisher_domain';
      problems.push(`properties[${i}] is not valid: ${member}`);
      const what = member === '' ? 'it is no object' : `${member} is missing, or not as it should be`;
      const fix = 'make it a property with property_type, name and identifiers';
      left_out.set(`/properties/${i}`, { message: `it is left out: ${what}`, fix });
      return;
    }
    const { property_id, property_type, name, identifiers, tags } = data;
    const property: RegistryProperty = {
      ...(property_id != null && { property_id }),
      ...{ property_type, name, identifiers, tags },
      ...(whose !== null && { publisher_domain: whose }),
    };
    const text = JSON.stringify(property);
    const key = property_id == null ? text : JSON.stringify([whose, property_id]);
    if (known.has(key)) return;
    length += text.length;
    if (length > MAX_PROPERTIES_LENGTH) {
      const message = `this and what follows is left out: at most ${MAX_PROPERTIES_LENGTH} characters together`;
      left_out.set(`/properties/${i}`, { message, fix: 'split the file' });
      problems.push(`properties[${i}] and what follows is left out: together they are too large`);
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
