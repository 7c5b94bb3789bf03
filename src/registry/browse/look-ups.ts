import { createHash } from 'node:crypto';
import { z } from 'zod';
import { agents } from '../../directory/agent/agent.ts';
import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import { eachWithClaims, liveOfPublisher } from '../../directory/authorization/live-authorizations.ts';
import type { LiveAuthorization } from '../../directory/authorization/live-authorizations.ts';
import { liveOfAgentPage } from '../../directory/authorization/live-of-agents.ts';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import type { Store } from '../../platform/store/collection.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { endpoint } from '../endpoint.ts';
import { AgentDomains, DomainLookup, PublishedQuery } from './schema.ts';

const DomainParam = z.object({
  domain: z
    .string()
    .max(INPUT_LIMITS.domainInputLength)
    .transform((text, context) => {
      const domain = normalizeDomain(text)?.domain;
      if (domain === undefined) context.addIssue({ code: 'custom', message: 'this is not a domain name' });
      return domain ?? z.NEVER;
    })
    .describe("The publisher's domain, in any spelling"),
});

/** An agent's URL in a path; canonical once parsed. */
export const AgentParam = z.object({
  agentUrl: z
    .string()
    .max(2000)
    .transform((text, context) => {
      const url = canonicalAgentUrl(text);
      if (url === undefined) context.addIssue({ code: 'custom', message: "send the agent's http or https URL" });
      return url ?? z.NEVER;
    })
    .describe("The agent's URL, in any spelling, percent-encoded"),
});

/** Rule R15.browse. */
export const lookUpDomain = endpoint({
  id: 'lookUpDomain',
  method: 'get',
  path: '/api/registry/lookup/domain/{domain}',
  tag: 'Registry',
  summary: 'Look up which agents may sell for a publisher now',
  access: 'public',
  effect: 'read',
  limit: 'browse',
  params: DomainParam,
  responses: { 200: { description: 'Its agents; `known` is false for strangers', schema: DomainLookup } },

  async handle({ params: { domain } }, { store, clock }) {
    let known = false;
    let live: LiveAuthorization[] = [];
    for await (const publisher of eachWithClaims(store, [domain])) {
      known = true;
      live = liveOfPublisher(publisher, clock.now());
    }
    const urls = live.map(({ agent_url }) => agent_url);
    const registered = await registeredOf(store, urls);
    const authorized_agents = live.map(({ agent_url, publisher_domain: _, source, ...facts }) => ({
      ...{ url: agent_url, ...facts, registry_source: source },
      source: registered.has(agent_url) ? 'registered' : 'discovered',
    }));
    return { body: { domain, known, authorized_agents, sales_agents_claiming: [] } };
  },
});

/** Rule R15.browse. */
export const getAgentDomains = endpoint({
  id: 'getAgentDomains',
  method: 'get',
  path: '/api/registry/lookup/agent/{agentUrl}/domains',
  tag: 'Registry',
  summary: 'Look up for which publishers an agent may sell now, page by page',
  description:
    'The publishers whose own file or entry names the agent, by domain, and after each those that it manages (MANAGERDOMAIN), by domain. A page may be shorter than `limit`, since what is over is left out: go on until `cursor` is null. Send the ETag back as If-None-Match: 304 while the page is the same.',
  access: 'public',
  effect: 'read',
  limit: 'browse',
  params: AgentParam,
  query: PublishedQuery,
  responses: {
    200: { description: 'A page of publishers', schema: AgentDomains },
    304: { description: 'The page is as it was' },
  },

  async handle({ params: { agentUrl }, query: { cursor, limit = 50 } }, { store, clock, header }) {
    const { live, cursor: next } = await liveOfAgentPage(store, agentUrl, { cursor, limit, atMs: clock.now() });
    const source = (await registeredOf(store, [agentUrl])).has(agentUrl) ? 'registered' : 'discovered';
    const body = {
      ...{ agent_url: agentUrl, domains: live.map((one) => one.publisher_domain), count: live.length },
      authorizations: live.map(({ agent_url: _, source: registry_source, ...facts }) => ({
        ...{ ...facts, source, registry_source },
      })),
      ...{ cursor: next, has_more: next !== null },
    };
    const tag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 27)}"`;
    const headers = { ETag: tag };
    const isKnown = (header('if-none-match') ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
    return isKnown ? { status: 304, headers } : { body, headers };
  },
});

/** Those of some agents that anybody may know to be registered here. */
async function registeredOf(store: Store, urls: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (let i = 0; i < urls.length; i += 200) {
    const { rows } = await store
      .collection(agents)
      .find({ where: { url: { in: urls.slice(i, i + 200) } }, limit: 200 });
    for (const row of rows) if (row.visibility === 'public') found.add(row.url);
  }
  return found;
}
