import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { allowInBrowser } from '../oauth/support/browser.ts';
import { startTestAgent } from './support/test-agent.ts';
import { callAsUser, loginEnv, person } from './support/user.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/registry/access-token.mjs', import.meta.url));

it('[R13] the script of examples prints a token that makes an organization, once somebody has allowed it', async () => {
  const ada = person('ada@acme-outdoor.com');
  const client = { client_id: 'script', client_name: 'Script', redirect_uris: ['http://127.0.0.1/callback'] };
  const agent = await startTestAgent('sqlite', {
    working: false,
    env: { ...loginEnv([ada]), OAUTH_CLIENTS: JSON.stringify([client]) },
  });
  onTestFinished(() => agent.stop());
  const env = { PATH: process.env['PATH'] ?? '', AGENT_URL: agent.baseUrl, CLIENT_ID: client.client_id };
  const script = spawn(process.execPath, [EXAMPLE], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void script.kill());
  const printed = once(createInterface(script.stdout), 'line');
  let url: string | undefined;
  for await (const line of createInterface(script.stderr)) {
    url = /^ +(http\S+)$/.exec(line)?.[1];
    if (url !== undefined) break;
  }
  expect((await fetch(await allowInBrowser(url ?? '', ada))).status).toBe(200);
  const [token] = (await printed) as [string];
  const organization = { organization_name: 'Acme Outdoor' };
  expect(await callAsUser(agent, token, '/api/organizations', organization)).toMatchObject({ status: 201 });
  expect(await callAsUser(agent, token, '/api/me/organizations')).toMatchObject({
    body: { organizations: [{ name: 'Acme Outdoor', role: 'owner' }] },
  });
});
