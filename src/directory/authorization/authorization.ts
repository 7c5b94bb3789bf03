import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** Where an authorization was learned: from the operator's own entry or the publisher's file (rule R15). */
export const AuthorizationSource = z.enum(['hosted', 'adagents_json']);
export type AuthorizationSource = z.infer<typeof AuthorizationSource>;

/** A publisher lets an agent sell for it. */
export const Authorization = z.object({
  authorization_id: z.string(),
  publisher_domain: z.string(),
  /** Canonical (see `canonicalAgentUrl`). */
  agent_url: z.string(),
  /** What for, in the publisher's words. */
  authorized_for: z.string().max(1000),
  source: AuthorizationSource,
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
  indexes: [
    { name: 'publisher', fields: ['publisher_domain', 'agent_url'] },
    { name: 'agent', fields: ['agent_url', 'publisher_domain'] },
  ],
};

/** One row for each publisher, agent and source, whoever writes it. */
export function authorizationId(publisherDomain: string, agentUrl: string, source: AuthorizationSource): string {
  return createHash('sha256')
    .update(JSON.stringify([publisherDomain, agentUrl, source]))
    .digest('hex');
}

/** Of entries for one publisher and agent, the operator-hosted one (rule R15); ordered by publisher and agent. */
export function preferHosted(rows: readonly Authorization[]): Authorization[] {
  const best = new Map<string, Authorization>();
  for (const row of rows) {
    // Neither holds a space.
    const pair = `${row.publisher_domain} ${row.agent_url}`;
    if (!best.has(pair) || row.source === 'hosted') best.set(pair, row);
  }
  return [...best].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
