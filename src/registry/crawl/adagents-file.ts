import { z } from 'zod';
import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import { RegistryProperty } from '../../directory/publisher/publisher.ts';
import { shownText } from '../probe/tool.ts';

/** What a publisher's `adagents.json` says, entry by entry. */
export interface AdAgents {
  /** Canonical URL and what for; each agent once, the first entry counts. */
  authorized: { url: string; authorized_for: string }[];
  properties: RegistryProperty[];
  /** Entries that were left out, and why; the others stand. */
  problems: string[];
  /** The file is kept elsewhere. */
  authoritative_location?: string;
}

const MAX_AGENTS = 1000;
const MAX_PROPERTIES = 5000;

const File = z.looseObject({
  authoritative_location: z.unknown().optional(),
  authorized_agents: z.unknown().optional(),
  properties: z.unknown().optional(),
});

const AgentEntry = z.looseObject({
  url: z.string(),
  authorized_for: shownText(1000),
  /** Any of these takes an authorization back. */
  revoked: z.boolean().optional(),
  revoked_at: z.string().optional(),
  valid_until: z.string().optional(),
});

const PropertyEntry = z.looseObject({
  property_id: z.string().min(1).max(200),
  property_type: z.string().max(100),
  name: shownText(400),
  identifiers: z.array(z.looseObject({ type: z.string().max(100), value: z.string().max(1000) })).max(1000),
  tags: z.array(z.string().max(200)).max(200).catch([]),
});

/**
 * Reads the file's JSON. A bad entry is left out and told; it never loses the others. Undefined for what is no such file.
 */
export function readAdAgents(json: unknown, nowMs: number): AdAgents | undefined {
  const file = File.safeParse(json).data;
  if (file === undefined) return undefined;
  const { authoritative_location, authorized_agents, properties = [] } = file;
  const elsewhere = typeof authoritative_location === 'string' ? authoritative_location : undefined;
  if (!Array.isArray(authorized_agents) && elsewhere === undefined) return undefined;
  const problems: string[] = [];
  const authorized = new Map<string, string>();
  for (const [i, raw] of list(authorized_agents, MAX_AGENTS, 'authorized_agents', problems)) {
    const entry = AgentEntry.safeParse(raw).data;
    const url = entry && canonicalAgentUrl(entry.url);
    if (url?.startsWith('https://') !== true && url?.startsWith('http://') !== true) {
      problems.push(`authorized_agents[${i}] has no usable url`);
    } else if (entry && !isRevoked(entry, nowMs) && !authorized.has(url)) {
      authorized.set(url, entry.authorized_for === '' ? 'all inventory' : entry.authorized_for);
    }
  }
  const known = new Map<string, RegistryProperty>();
  for (const [i, raw] of list(properties, MAX_PROPERTIES, 'properties', problems)) {
    const entry = PropertyEntry.safeParse(raw);
    if (!entry.success) problems.push(`properties[${i}] is not valid: ${entry.error.issues[0]?.path.join('.') ?? ''}`);
    else if (!known.has(entry.data.property_id)) known.set(entry.data.property_id, RegistryProperty.parse(entry.data));
  }
  return {
    authorized: [...authorized].map(([url, authorized_for]) => ({ url, authorized_for })),
    properties: [...known.values()],
    problems: problems.slice(0, 100),
    ...(elsewhere !== undefined && !Array.isArray(authorized_agents) && { authoritative_location: elsewhere }),
  };
}

function list(value: unknown, most: number, name: string, problems: string[]): [number, unknown][] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    problems.push(`${name} is not a list`);
    return [];
  }
  if (value.length > most) problems.push(`${name} has more than ${most} entries; the rest is left out`);
  return value.slice(0, most).map((item: unknown, i) => [i, item]);
}

function isRevoked({ revoked, revoked_at, valid_until }: z.infer<typeof AgentEntry>, nowMs: number): boolean {
  const isPast = (text: string | undefined) => text !== undefined && Date.parse(text) <= nowMs;
  return revoked === true || isPast(revoked_at) || isPast(valid_until);
}
