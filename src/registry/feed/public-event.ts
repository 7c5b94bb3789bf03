import { z } from 'zod';
import { jsonOfText } from '../../platform/text-buffer.ts';
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

/** What stands beside our members, as JSON without the braces. A stored state is sent as it stands: pages are long, and it is told twice. */
export function publicMembersJson(event: FeedEvent): string {
  const { event_id, sequence, kind, change, occurred_at, state_json } = event;
  const { entity_id, names, unstated = names } = entityOf(event);
  const id = event_id.includes('.') ? jsonOfText(event_id) : `"${sequence}"`;
  const type = `"event_id":${id},"event_type":"${publicTypeOf(`${kind}.${change}`)}","entity_type":"${kind}"`;
  const about = `"entity_id":${jsonOfText(entity_id)},"actor":"registry","created_at":${jsonOfText(occurred_at)}`;
  const payload = state_json === null ? JSON.stringify(names) : withMembers(state_json, unstated);
  return `${type},${about},"payload":${payload}`;
}

/** An object's JSON with members that it has not. */
function withMembers(json: string, members: Readonly<Record<string, string>>): string {
  const more = Object.entries(members)
    .map(([name, value]) => `"${name}":${jsonOfText(value)}`)
    .join(',');
  if (more === '' || json === '{}') return more === '' ? json : `{${more}}`;
  return `${json.slice(0, -1)},${more}}`;
}

/** What an event is about, by the name that the public protocol has for it, and in members. */
interface Entity {
  entity_id: string;
  names: Readonly<Record<string, string>>;
  /** Those that no state has; absent: all. */
  unstated?: Readonly<Record<string, string>>;
}

const NONE = {};
/** A removal names no type: then clients forget every one of the pair. What one entry says names its own. */
const FOR_ALL = { authorization_type: 'all' };

function entityOf({ kind, subject, agent_url, state_json }: FeedEvent): Entity {
  const key = subject.slice(kind.length + 1);
  switch (kind) {
    case 'agent': {
      const url = agent_url ?? (JSON.parse(state_json ?? '{}') as { url?: string }).url;
      return { entity_id: url ?? key, names: url === undefined ? NONE : { agent_url: url } };
    }
    case 'authorization': {
      const [publisher_domain, agent] = JSON.parse(key) as [string, string];
      const unstated = state_json?.includes('"authorization_type":') === true ? NONE : FOR_ALL;
      return { entity_id: `${publisher_domain} ${agent}`, names: { agent_url: agent, publisher_domain }, unstated };
    }
    case 'publisher':
    case 'property':
      return { entity_id: key, names: { publisher_domain: key }, unstated: NONE };
    case 'organization':
    case 'badge':
      return { entity_id: key, names: NONE };
  }
}
