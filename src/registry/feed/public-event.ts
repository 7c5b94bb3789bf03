import { z } from 'zod';
import type { FeedEvent } from '../../directory/feed/feed-event.ts';

/** The members by which clients of the public protocol read an event; they stand beside our own, in the same one. */
export const PublicEvent = z.object({
  event_id: z.string().describe('Unique'),
  event_type: z.string().describe('The type in the words of the public protocol, such as agent.discovered'),
  entity_type: z.string(),
  entity_id: z.string().describe("An agent's URL, a publisher's domain, an organization's id"),
  payload: z
    .record(z.string(), z.unknown())
    .describe('The state, with what names the subject; of a removal the latter'),
  actor: z.string().describe('Who tells it: this registry'),
  created_at: z.string(),
});
export type PublicEvent = z.infer<typeof PublicEvent>;

/** Our types whose name the public protocol has another word for. */
const PUBLIC_TYPES: Readonly<Record<string, string>> = {
  'agent.added': 'agent.discovered',
  'agent.changed': 'agent.profile_updated',
  'authorization.added': 'authorization.granted',
  'authorization.changed': 'authorization.granted',
  'authorization.removed': 'authorization.revoked',
  'property.added': 'property.created',
  'property.changed': 'property.updated',
};

/** A type of ours in the public protocol's words. */
export function publicTypeOf(type: string): string {
  return PUBLIC_TYPES[type] ?? type;
}

/** What stands beside our members, for the public protocol's clients. */
export function publicMembersOf(event: FeedEvent): PublicEvent {
  const { event_id, sequence, kind, change, occurred_at } = event;
  const state = JSON.parse(event.state_json ?? '{}') as Record<string, unknown>;
  const { entity_id, names } = entityOf(event);
  return {
    event_id: event_id.includes('.') ? event_id : String(sequence),
    event_type: publicTypeOf(`${kind}.${change}`),
    ...{ entity_type: kind, entity_id, payload: { ...names, ...state }, actor: 'registry', created_at: occurred_at },
  };
}

/** What an event is about, by the name that the public protocol has for it, and in members of its own. */
function entityOf({ kind, subject, change, agent_url, state_json }: FeedEvent): { entity_id: string; names: object } {
  const key = subject.slice(kind.length + 1);
  switch (kind) {
    case 'agent': {
      const url = agent_url ?? (JSON.parse(state_json ?? '{}') as { url?: string }).url;
      return { entity_id: url ?? key, names: url === undefined ? {} : { agent_url: url } };
    }
    case 'authorization': {
      const [publisher_domain, agent] = JSON.parse(key) as [string, string];
      // A removal names no type: then clients forget every one of the pair.
      const names = { agent_url: agent, publisher_domain, ...(change !== 'removed' && { authorization_type: 'all' }) };
      return { entity_id: `${publisher_domain} ${agent}`, names };
    }
    case 'publisher':
    case 'property':
      return { entity_id: key, names: { publisher_domain: key } };
    case 'organization':
    case 'badge':
      return { entity_id: key, names: {} };
  }
}
