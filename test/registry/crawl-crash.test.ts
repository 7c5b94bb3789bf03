import { expect } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import { apiKeys, createApiKey } from '../../src/directory/api-key/api-key.ts';
import { ensureDemoOrganization } from '../../src/directory/bootstrap.ts';
import { SCOPES } from '../../src/directory/caller.ts';
import { publishOverdue } from '../../src/directory/feed/announcing.ts';
import { organizations } from '../../src/directory/organization/organization.ts';
import { publicStateOf, propertiesSubject, publisherSubject } from '../../src/directory/feed/public-state.ts';
import { subjectName } from '../../src/directory/feed/feed-event.ts';
import { startChild } from '../journeys/support/child.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { bundle } from '../support/bundle.ts';
import { seededChance } from '../support/chance.ts';
import { freePort } from '../support/free-port.ts';
import { itOnStores } from '../support/stores.ts';

const DOMAINS = ['news.example', 'shop.example'];
const SELLER = 'seller.example';
const KILLS = 4;
const AGENTS = 40;

itOnStores(
  '[R9] [R15] [R15.scope] on %s, servers killed while they take over crawls and register agents leave a feed without a gap, the next crawl the state whole, and each agent as it was acknowledged',
  async (store) => {
    let generation = 0;
    let isFinal = false;
    // Another file at each look, until the last.
    const publisher = await serveHttp((_request, response) => {
      if (!isFinal) generation += 1;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(fileOf(generation)));
    });
    const LOOPBACK_PUBLISHERS = DOMAINS.map((domain) => `${domain}=${publisher.port}`).join();
    const env = { LOOPBACK_PUBLISHERS, TRUST_PROXY: '1' };
    const agent = await startTestAgent(store, { working: false, env });
    try {
      const chance = seededChance(`crawls on ${store}`);
      const headers = { authorization: `Bearer ${await keyOfSeller(agent)}`, 'content-type': 'application/json' };
      /** Agents by what was acknowledged of them last; nothing of one whose answer did not come. */
      const acknowledgedAgents = new Map<string, 'there' | 'gone' | 'unknown'>();
      // Makes one after the other public, and deletes every second, until the server is gone.
      const registering = async (base: string) => {
        const ask = async (method: string, path: string, body?: object) => {
          const answer = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
          if (!answer.ok) throw new Error(await answer.text());
          return answer.text();
        };
        for (;;) {
          const url = `https://agent-${acknowledgedAgents.size}.${SELLER}`;
          acknowledgedAgents.set(url, 'unknown');
          const made = await ask('POST', '/api/me/agents', { url, type: 'sales', visibility: 'public' });
          acknowledgedAgents.set(url, 'there');
          if (acknowledgedAgents.size % 2 === 0) continue;
          acknowledgedAgents.set(url, 'unknown');
          await ask('DELETE', `/api/me/agents/${(JSON.parse(made) as { agent_id: string }).agent_id}`);
          acknowledgedAgents.set(url, 'gone');
        }
      };
      const server = await bundle('src/main/server.ts');
      for (let n = 0; n < KILLS; n++) {
        const port = await freePort();
        const child = await startChild(server, { ...agent.env, PORT: String(port) }, ['--json']);
        const most = chance.between(1, 12);
        let acknowledged = 0;
        const writers = DOMAINS.map(async (domain) => {
          for (;;) {
            const answer = await crawl(`http://127.0.0.1:${port}`, domain).catch(() => undefined);
            if (answer === undefined) return;
            if (answer.status === 200) acknowledged += 1;
            if (acknowledged >= most) child.process.kill('SIGKILL');
          }
        });
        writers.push(registering(`http://127.0.0.1:${port}`).catch(() => undefined));
        await Promise.all(writers);
        expect(await child.ended).toBe('SIGKILL');
        expect(acknowledged).toBeGreaterThan(0);
      }
      isFinal = true;
      const urls = fileOf(generation).authorized_agents.map(({ url }) => url);
      for (const domain of DOMAINS) expect((await crawl(agent.baseUrl, domain)).status).toBe(200);
      // What a killed server owed the feed of agents is told a minute later, by whichever process works.
      await publishOverdue({ ...agent.core, clock: { now: () => agent.core.clock.now() + 61_000 } });
      const { ids, states } = await feedOf(agent.baseUrl);
      const { rows: listed } = await agent.core.store
        .collection(agents)
        .find({ where: { url: { in: [...acknowledgedAgents.keys()] } }, limit: 1000 });
      const known = listed.map(({ url }) => url);
      const told = [...acknowledgedAgents].filter(([, is]) => is !== 'unknown');
      expect(told.length).toBeGreaterThan(0);
      for (const [url, is] of told) expect([url, known.includes(url)]).toEqual([url, is === 'there']);
      const ofSeller = [...states].filter(([, state]) => (state as { url?: string } | null)?.url?.endsWith(SELLER));
      expect(ofSeller.map(([subject]) => subject).sort()).toEqual(
        listed.map(({ agent_id }) => subjectName({ kind: 'agent', key: agent_id })).sort(),
      );
      const [first = 0] = ids;
      expect(ids).toEqual(ids.map((_, i) => first + i));
      const resolved = await fetch(`${agent.baseUrl}/api/properties/resolve/bulk`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ domains: DOMAINS }),
      });
      const { results } = (await resolved.json()) as {
        results: Record<string, { authorized_agents: { url: string }[] }>;
      };
      for (const domain of DOMAINS) {
        expect(results[domain]).toMatchObject({ properties: [{ name: `N${generation}` }] });
        expect(results[domain]?.authorized_agents.map(({ url }) => url).sort()).toEqual([...urls].sort());
        for (const subject of [publisherSubject(domain), propertiesSubject(domain)])
          expect(states.get(subjectName(subject))).toEqual(
            JSON.parse(JSON.stringify(await publicStateOf(agent.core.store, subject))),
          );
      }
    } finally {
      await agent.stop();
    }
  },
  1_200_000,
);

function fileOf(generation: number) {
  return {
    properties: [
      {
        ...{ property_id: 'w', property_type: 'website', name: `N${generation}` },
        identifiers: [{ type: 'domain', value: 'w.example' }],
      },
    ],
    authorized_agents: Array.from({ length: AGENTS }, (_, i) => ({
      ...{ url: `https://a${generation}-${i}.example`, authorized_for: 'all of it' },
      ...{ authorization_type: 'property_ids', property_ids: ['w'] },
    })),
  };
}

/** A key of an organization that has {@link SELLER}. */
async function keyOfSeller({ core }: TestAgent): Promise<string> {
  const { organization_id } = await ensureDemoOrganization(core);
  await core.store.collection(organizations).update(organization_id, (row) => ({
    ...{ ...row, corporate_domain: SELLER, domain_verified_by: 'operator' as const },
  }));
  const keys = core.store.collection(apiKeys);
  const { raw } = await createApiKey({ ...core, keys }, { organization_id, name: 'seller', scopes: [...SCOPES] });
  return raw;
}

let callers = 0;

/** Each call from an address of its own, so that none is refused for its number. */
function crawl(base: string, domain: string): Promise<Response> {
  callers += 1;
  return fetch(`${base}/api/registry/publishers/${domain}/crawl`, {
    method: 'POST',
    headers: { 'x-forwarded-for': `10.1.${callers >> 8}.${callers & 255}` },
  });
}

/** All of the feed, and what it says of each subject at last. */
async function feedOf(base: string): Promise<{ ids: number[]; states: Map<string, unknown> }> {
  const ids: number[] = [];
  const states = new Map<string, unknown>();
  for (let cursor = '0', more = true; more;) {
    const page = await fetch(`${base}/api/registry/feed?limit=1000&cursor=${cursor}`);
    const said = (await page.json()) as {
      events: { id: string; subject: string; state: unknown }[];
      cursor: string;
      has_more: boolean;
    };
    for (const { id, subject, state } of said.events) {
      ids.push(Number(id));
      states.set(subject, state);
    }
    [cursor, more] = [said.cursor, said.has_more];
  }
  return { ids, states };
}
