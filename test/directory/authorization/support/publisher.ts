import { authorizationId } from '../../../../src/directory/authorization/authorization.ts';
import type { Authorization } from '../../../../src/directory/authorization/authorization.ts';
import { judge } from '../../../../src/directory/authorization/judge.ts';
import type { Claims, Judgement, SaleQuestion } from '../../../../src/directory/authorization/judge.ts';
import { readAdAgents } from '../../../../src/registry/crawl/adagents-file.ts';

/** Whom every case asks about, and when. */
export const PUBLISHER = 'pub.example';
export const AGENT = 'https://a.example';
export const OTHER = 'https://b.example';
export const AT = '2026-06-15T12:00:00Z';

export const WEB = property('web', 'domain', 'pub.example', ['site', 'premium']);
export const NEWS = property('news', 'domain', 'news.pub.example', ['site']);
export const APP = property('app', 'ios_bundle', 'com.pub.app', ['app']);

export function property(property_id: string | undefined, type: string, value: string, tags: string[], more = {}) {
  return { property_id, property_type: 'website', name: value, identifiers: [{ type, value }], tags, ...more };
}

/** An entry for {@link AGENT}. */
export function entry(more: object = {}, url = AGENT): object {
  return { url, authorized_for: 'display', ...more };
}

export interface File {
  authorized_agents: unknown[];
  properties?: unknown[];
  revoked_publisher_domains?: unknown[];
}

/** What is stored of a file: it is read as a crawl reads it. */
export async function claimsOf(file: File, domain = PUBLISHER): Promise<Claims> {
  const read = await readAdAgents({ properties: [WEB, NEWS, APP], ...file }, Date.parse(AT));
  if (read === undefined) throw new Error('this is no file');
  const rows = read.authorized.map(({ url, authorized_for, entry_id, entry_json, is_exclusive }): Authorization => ({
    authorization_id: authorizationId(domain, url, 'adagents_json', entry_id),
    ...{ publisher_domain: domain, agent_url: url, authorized_for, source: 'adagents_json' },
    ...{ entry_id, entry_json, is_exclusive, source_url: null, seen_at: AT, revision: 1 },
  }));
  return { properties: read.properties, is_manager: domain !== PUBLISHER, revoked: read.revoked, rows };
}

/** What the operator entered. */
export function hostedClaims(agent_url = AGENT): Claims {
  const row: Authorization = {
    authorization_id: authorizationId(PUBLISHER, agent_url, 'hosted'),
    ...{ publisher_domain: PUBLISHER, agent_url, authorized_for: 'all', source: 'hosted' },
    ...{ source_url: null, seen_at: AT, revision: 1 },
  };
  return { properties: [], is_manager: false, revoked: [], rows: [row] };
}

export type Ask = Partial<Omit<SaleQuestion, 'atMs'>> & { at?: string };

export function ask({ at = AT, ...more }: Ask, claims: readonly Claims[]): Judgement {
  return judge({ agent_url: AGENT, publisher_domain: PUBLISHER, atMs: Date.parse(at), ...more }, claims);
}
