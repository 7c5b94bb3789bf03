import { expect } from 'vitest';
import { publicStateOf, propertiesSubject, publisherSubject } from '../../src/directory/feed/public-state.ts';
import { subjectName } from '../../src/directory/feed/feed-event.ts';
import { startChild } from '../journeys/support/child.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { bundle } from '../support/bundle.ts';
import { seededChance } from '../support/chance.ts';
import { freePort } from '../support/free-port.ts';
import { itOnStores } from '../support/stores.ts';

const DOMAINS = ['news.example', 'shop.example'];
const KILLS = 4;
const AGENTS = 40;

itOnStores(
  '[R15] [R15.scope] on %s, servers killed while they take over crawls leave a feed without a gap, and the next crawl the state whole',
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
        await Promise.all(writers);
        expect(await child.ended).toBe('SIGKILL');
        expect(acknowledged).toBeGreaterThan(0);
      }
      isFinal = true;
      const urls = fileOf(generation).authorized_agents.map(({ url }) => url);
      for (const domain of DOMAINS) expect((await crawl(agent.baseUrl, domain)).status).toBe(200);
      const { ids, states } = await feedOf(agent.baseUrl);
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
