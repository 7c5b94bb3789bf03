import { createSocket } from 'node:dgram';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { startChild } from '../../journeys/support/child.ts';
import { selfSigned } from '../../platform/outbound/support/certificate.ts';
import { answerTo } from '../../platform/outbound/support/zone-answers.ts';
import type { Zone } from '../../platform/outbound/support/zone-answers.ts';

/**
 * A world for the product as it runs in earnest, in a network namespace that nothing leads out of: a name server on port 53,
 * publishers on port 443 of an address that counts as public, and certificates that only this world vouches for. Crawls each
 * publisher by HTTP and prints, as one line of JSON by domain, what was answered. Arguments: the product's program and a folder.
 */
const [program = '', folder = ''] = process.argv.slice(2);

const AGENT = { url: 'https://agent.example', authorized_for: 'all of it' };
const PROPERTY = { property_type: 'website', name: 'A', identifiers: [{ type: 'domain', value: 'a.example' }] };
const FILE = { authorized_agents: [{ ...AGENT, authorization_type: 'property_ids', property_ids: ['a'] }] };
const OWN = '/.well-known/adagents.json';

/** What each host serves, by path: JSON, text, or where it leads. */
const HOSTS: Record<string, Record<string, object | string | URL>> = {
  'plain.example': { [OWN]: { ...FILE, properties: [{ ...PROPERTY, property_id: 'a' }] } },
  'pointing.example': { [OWN]: { authoritative_location: 'https://files.example/group.json' } },
  'files.example': { '/group.json': { ...FILE, properties: [{ ...PROPERTY, property_id: 'a' }] } },
  'managed.example': { '/ads.txt': 'MANAGERDOMAIN=plain.example\n' },
  'inward.example': { [OWN]: new URL('https://metadata.example/latest') },
  'unencrypted.example': { [OWN]: new URL('http://unencrypted.example/adagents.json') },
  'stranger.example': { [OWN]: FILE },
};
const PUBLIC_ADDRESS = '93.184.216.34';
const ZONE: Zone = {
  ...Object.fromEntries(Object.keys(HOSTS).map((host) => [host, { a: [PUBLIC_ADDRESS] }])),
  'metadata.example': { a: ['169.254.169.254'] },
  'inside.example': { a: ['127.0.0.1'] },
  'failing.example': 'failing',
};

const names = createSocket('udp4');
names.on('message', (query, { port, address }) => {
  const answer = answerTo(query, ZONE);
  if (answer !== undefined) names.send(answer, port, address);
});
await new Promise<void>((resolve) => names.bind(53, '127.0.0.1', resolve));

const trusted = selfSigned({ dns: Object.keys(HOSTS).filter((host) => host !== 'stranger.example') });
const strange = selfSigned({ dns: ['stranger.example'] });
const ca = join(folder, 'ca.pem');
await writeFile(ca, trusted.cert);
const asked: string[] = [];
const publishers = createServer({
  ...trusted,
  SNICallback: (host, done) => {
    done(null, createSecureContext(host === 'stranger.example' ? strange : trusted));
  },
}).on('request', (request, response) => {
  asked.push(`${request.headers.host ?? ''}${request.url ?? ''}`);
  const said = HOSTS[request.headers.host ?? '']?.[request.url ?? ''];
  if (said === undefined) response.writeHead(404).end();
  else if (said instanceof URL) response.writeHead(302, { location: said.href }).end();
  else if (typeof said === 'string') response.setHeader('content-type', 'text/plain').end(said);
  else response.setHeader('content-type', 'application/json').end(JSON.stringify(said));
});
await new Promise<void>((resolve) => publishers.listen(443, PUBLIC_ADDRESS, resolve));

const agent = await startChild(
  program,
  { DATA_DIR: join(folder, 'data'), PORT: '0', ALLOW_LOOPBACK: 'false', LOG_LEVEL: 'error', NODE_EXTRA_CA_CERTS: ca },
  ['--json'],
);
const base = String(agent.ready['base_url']);
const found: Record<string, unknown> = {};
const named = [...Object.keys(HOSTS), 'metadata.example', 'inside.example', 'failing.example', 'unknown.example'];
for (const domain of named.filter((one) => one !== 'files.example')) {
  const answer = await fetch(`${base}/api/registry/publishers/${domain}/crawl`, { method: 'POST' });
  found[domain] = { status: answer.status, ...((await answer.json()) as object) };
}
const resolved = await fetch(`${base}/api/properties/resolve/bulk`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ domains: Object.keys(HOSTS) }),
});
const { results } = (await resolved.json()) as { results: object };
process.stdout.write(`${JSON.stringify({ found, resolved: results, asked })}\n`);
await agent.kill('SIGTERM');
publishers.closeAllConnections();
publishers.close();
names.close();
