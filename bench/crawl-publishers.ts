import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Publishers of any name: each has a file of two agents and five properties; those asked for `/hangs` never answer. */
const server = createServer((request, response) => {
  const name = request.url ?? '';
  if (name === '/hangs') return;
  const properties = Array.from({ length: 5 }, (_, n) => ({
    property_id: `web_${n}`,
    property_type: 'website',
    name: `Site ${n} of ${name}`,
    identifiers: [{ type: 'domain', value: `site-${n}.example` }],
    tags: ['news'],
  }));
  const authorized_agents = ['one', 'two'].map((agent) => ({
    url: `https://${agent}.agents.example`,
    authorized_for: 'all inventory',
  }));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ properties, authorized_agents, last_updated: '2026-01-01T00:00:00Z' }));
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ base_url: `http://127.0.0.1:${port}` }));
});
process.on('SIGTERM', () => process.exit(0));
