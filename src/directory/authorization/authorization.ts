import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** Where an authorization was learned: from the operator's own entry or the publisher's file (rule R15). */
export const AuthorizationSource = z.enum(['hosted', 'adagents_json']);
export type AuthorizationSource = z.infer<typeof AuthorizationSource>;

/**
 * One entry by which a publisher lets an agent sell for it. It is stored as it was published, and says by itself nothing of whether
 * it counts: that is judged when asked (`judge`, rule R15.scope).
 */
export const Authorization = z.object({
  authorization_id: z.string(),
  publisher_domain: z.string(),
  /** Canonical (see `canonicalAgentUrl`). */
  agent_url: z.string(),
  /** What for, in the publisher's words; empty where it says nothing. */
  authorized_for: z.string().max(1000),
  source: AuthorizationSource,
  /** Which entry of the file, by what it says; absent in hosted rows and those of 0.1.0. */
  entry_id: z.string().optional(),
  /** The entry as JSON, as it was published; absent likewise. Such a row stands for all of its publisher's inventory. */
  entry_json: z.string().optional(),
  /** The entry says that nobody else may sell what it covers. */
  is_exclusive: z.boolean().optional(),
  /** Where and when it was last seen: its provenance. */
  source_url: z.string().nullable(),
  seen_at: z.string(),
  revision: z.number().int(),
});
export type Authorization = z.infer<typeof Authorization>;

export const authorizations: CollectionSpec<Authorization> = {
  name: 'authorizations',
  key: 'authorization_id',
  schema: Authorization,
  tells: ['publisher_domain', 'agent_url'],
  indexes: [
    { name: 'publisher', fields: ['publisher_domain', 'agent_url'] },
    { name: 'agent', fields: ['agent_url', 'publisher_domain'] },
    { name: 'exclusive', fields: ['is_exclusive', 'publisher_domain'] },
  ],
};

/** One row for each publisher, agent, source and entry, whoever writes it. */
export function authorizationId(
  publisherDomain: string,
  agentUrl: string,
  source: AuthorizationSource,
  entryId?: string,
): string {
  const key = [publisherDomain, agentUrl, source, ...(entryId === undefined ? [] : [entryId])];
  return createHash('sha256').update(JSON.stringify(key)).digest('hex');
}

/**
 * Of entries for one publisher and agent, the operator-hosted one where there is one (rule R15), else all; ordered by publisher, agent
 * and entry.
 */
export function preferHosted(rows: readonly Authorization[]): Authorization[] {
  // Of most publishers an agent has one entry, and a look-up goes through hundreds of publishers.
  if (rows.length <= 1) return [...rows];
  const hosted = new Set(rows.filter((row) => row.source === 'hosted').map(pairOf));
  const kept = rows.filter((row) => row.source === 'hosted' || !hosted.has(pairOf(row)));
  const sorted = kept.map((row) => [`${pairOf(row)} ${row.entry_id ?? ''}`, row] as const);
  return sorted.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** Publisher and agent; neither holds a space. */
function pairOf({ publisher_domain, agent_url }: Authorization): string {
  return `${publisher_domain} ${agent_url}`;
}
