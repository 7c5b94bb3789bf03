import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import { keepSearchable } from '../../src/directory/search/keep-searchable.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { itOnStores } from '../support/stores.ts';
import { bodyOf, cardOf, json } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';

const CAPABILITIES = {
  supported_protocols: ['media_buy'],
  media_buy: { portfolio: { primary_channels: ['podcast', 'ctv', 7], primary_countries: ['at', 'UK', 'DE'] } },
};

itOnStores(
  '[R15.search] finds an agent by what its card and its capabilities said at its check, on %s',
  async (kind) => {
    const at = await startRegistry(kind);
    const server = await serveHttp((request, response) => {
      if (request.url === '/.well-known/agent-card.json')
        json(response, {
          ...cardOf('Declaring', ['get_products', 'get_adcp_capabilities'], { url: `${server.origin}/a2a` }),
          description: 'Sells audio moments',
        });
      else if (request.url === '/a2a')
        void bodyOf(request).then((body) => {
          const { id } = JSON.parse(body) as { id: string };
          const parts = [{ kind: 'data', data: CAPABILITIES }];
          json(response, { jsonrpc: '2.0', id, result: { kind: 'message', messageId: 'm', role: 'agent', parts } });
        });
      else response.writeHead(404).end();
    });
    const { organization_id } = await at.organization({});
    const auth = { Authorization: `Bearer ${await at.apiKey(organization_id)}` };
    const agent_id = randomUUID();
    const now = toTimestamp(at.clock.now());
    await at.store.collection(agents).insert({
      ...{ agent_id, organization_id, url: server.origin, name: 'Declared', type: 'sales', visibility: 'public' },
      ...{ created_at: now, updated_at: now, revision: 1 },
    });
    await keepSearchable(at);
    const search = async (query: string) => {
      const answer = await at.get(`/api/registry/agents/search?${query}`);
      return (answer.body as { results: { inventory_profile: object }[] }).results;
    };
    expect(await search('channels=podcast')).toEqual([]);
    await at.post(`/api/me/agents/${agent_id}/badges/check`).set(auth).expect(200);
    await keepSearchable(at);
    const found = [{ url: server.origin, inventory_profile: { channels: ['podcast', 'ctv'], markets: ['AT', 'DE'] } }];
    for (const query of ['channels=podcast', 'countries=AT&q=audio+mom', 'verified=false&type=sales'])
      expect([query, await search(query)]).toMatchObject([query, found]);
    await at.send('delete', `/api/me/agents/${agent_id}`).set(auth).expect(204);
    expect(await search('channels=podcast')).toEqual([]);
    await at.close();
  },
);
