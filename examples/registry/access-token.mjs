// Prints a person's access token for the registry: AGENT_URL and CLIENT_ID say of which agent and for which application.
// The redirect URI that the application registered there is http://127.0.0.1/callback, for which any port is taken.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

const { AGENT_URL = 'http://127.0.0.1:8080', CLIENT_ID = 'demo-client' } = process.env;
const resource = `${AGENT_URL}/api`;

const told = await getJson(`${AGENT_URL}/.well-known/oauth-protected-resource/api`);
const issuer = await getJson(`${told.authorization_servers[0]}/.well-known/oauth-authorization-server`);

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const redirect_uri = `http://127.0.0.1:${server.address().port}/callback`;
const [state, code_verifier] = [randomBytes(16).toString('hex'), randomBytes(32).toString('hex')];
const query = new URLSearchParams({
  ...{ response_type: 'code', client_id: CLIENT_ID, redirect_uri, state, resource },
  scope: 'registry:read registry:write webhooks:read webhooks:write',
  code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
  code_challenge_method: 'S256',
});
console.error(`Open this in a browser, sign in and allow it:\n\n  ${issuer.authorization_endpoint}?${query}\n`);

const [request, response] = await once(server, 'request');
const answer = new URL(request.url, redirect_uri).searchParams;
response.end('Back to the terminal.');
server.close();
if (answer.get('state') !== state || !answer.has('code')) throw new Error(`not allowed: ${answer}`);

const form = { grant_type: 'authorization_code', client_id: CLIENT_ID, redirect_uri, code: answer.get('code') };
const body = new URLSearchParams({ ...form, code_verifier });
const { access_token } = await getJson(issuer.token_endpoint, { method: 'POST', body });
console.log(access_token);

async function getJson(url, init) {
  const got = await fetch(url, init);
  if (!got.ok) throw new Error(`${url}: ${got.status} ${await got.text()}`);
  return got.json();
}
