import { AppError } from '../../platform/errors.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { AdAgents } from '../crawl/adagents-file.ts';
import { findingsIn } from '../adagents-validate/findings.ts';
import type { Findings } from '../adagents-validate/file-finding.ts';
import { SCOPE_MEMBERS } from './schema.ts';
import type { GenerateAdagents } from './schema.ts';

/** The schema that the file keeps to. */
const SCHEMA_URL = 'https://adcontextprotocol.org/schemas/3.0.6/adagents.json';
/** A crawl takes no more of one agent. */
const MOST_ENTRIES_OF_AGENT = 100;
/** For agents without a scope, in all entries together. */
const MOST_IDS_WRITTEN = 5000;

export interface Generated {
  adagents_json: Record<string, unknown>;
  findings: Findings;
  /** As a crawl reads it. */
  file: AdAgents;
}

/**
 * Writes the file, and has it looked at as one that was published (rule R15.generate). Throws VALIDATION_ERROR with the field for
 * what would not count as it was meant.
 */
export async function generateFile(asked: GenerateAdagents, nowMs: number): Promise<Generated> {
  const { authorized_agents, properties = [], contact, include_schema, include_timestamp } = asked;
  checkNames(asked);
  const adagents_json = {
    ...(include_schema && { $schema: SCHEMA_URL }),
    ...(contact && { contact }),
    ...(properties.length > 0 && { properties }),
    authorized_agents: authorized_agents.map((agent, i) => entryOf(agent, i, asked)),
    ...(include_timestamp && { last_updated: toTimestamp(nowMs) }),
  };
  for (const [i, { effective_until: until }] of authorized_agents.entries())
    if (until !== undefined && Date.parse(until) <= nowMs)
      refuse(`authorized_agents[${i}].effective_until`, 'it has passed; send a later one, or leave the agent out');
  const { file, ...findings } = await findingsIn(adagents_json, nowMs);
  const [error] = findings.errors;
  if (error)
    refuse(
      error.pointer
        .slice(1)
        .replace(/\/(\d+)/g, '[$1]')
        .replaceAll('/', '.'),
      `${error.message}; ${error.fix}`,
    );
  if (file === undefined) throw new Error('a generated adagents.json cannot be read');
  return { adagents_json, findings, file };
}

function refuse(field: string, why: string): never {
  throw new AppError('VALIDATION_ERROR', `${field}: ${why}`, { field });
}

/** Ids are defined once, and ids and tags of agents are defined; no agent has more entries than are read. */
function checkNames({ authorized_agents, properties = [] }: GenerateAdagents): void {
  const ids = new Set<string>();
  for (const [i, { property_id: id }] of properties.entries()) {
    if (id === undefined) continue;
    if (ids.has(id)) refuse(`properties[${i}].property_id`, 'an earlier property has the same id');
    ids.add(id);
  }
  const known = { property_ids: ids, property_tags: new Set(properties.flatMap(({ tags = [] }) => tags)) };
  const entries = new Map<string, number>();
  for (const [i, agent] of authorized_agents.entries()) {
    const count = (entries.get(agent.url) ?? 0) + 1;
    if (count > MOST_ENTRIES_OF_AGENT)
      refuse(`authorized_agents[${i}]`, `an agent has at most ${MOST_ENTRIES_OF_AGENT} entries; join them`);
    entries.set(agent.url, count);
    for (const member of ['property_ids', 'property_tags'] as const)
      for (const [j, name] of (agent[member] ?? []).entries())
        if (!known[member].has(name))
          refuse(
            `authorized_agents[${i}].${member}[${j}]`,
            'no property has it; define it in properties, or leave it out',
          );
  }
}

/** By the public schema each entry says what it covers: without a scope, all of the publisher, or of the properties sent. */
function entryOf(
  { url, authorized_for, authorization_type: _, ...agent }: GenerateAdagents['authorized_agents'][number],
  i: number,
  { domain, properties = [], authorized_agents }: GenerateAdagents,
): Record<string, unknown> {
  const scope = SCOPE_MEMBERS.find(([member]) => agent[member] !== undefined);
  if (scope) return { url, authorized_for, authorization_type: scope[1], ...agent };
  if (domain !== undefined) {
    const publisher_properties = [{ publisher_domain: domain, selection_type: 'all' }];
    return { url, authorized_for, authorization_type: 'publisher_properties', publisher_properties, ...agent };
  }
  const property_ids = properties.flatMap(({ property_id }) => property_id ?? []);
  if (
    property_ids.length === 0 ||
    property_ids.length < properties.length ||
    property_ids.length * authorized_agents.length > MOST_IDS_WRITTEN
  )
    refuse(
      `authorized_agents[${i}].authorization_type`,
      'send property_ids, property_tags or properties; or send domain, for all of its inventory',
    );
  return { url, authorized_for, authorization_type: 'property_ids', property_ids, ...agent };
}
