import { mkdtemp, rm } from 'node:fs/promises';
import { freePort } from '../support/free-port.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SimulatorCalls } from '../../src/adservers/simulator/controls.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { clientAt, TOKEN } from '../adservers/http/support/bridge.ts';
import { ask, mediaBuyInput } from '../journeys/support/buyer.ts';
import { bundle } from '../support/bundle.ts';
import { startChild } from '../journeys/support/child.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import { until } from '../support/until.ts';

async function child(entry: string, env: Record<string, string>) {
  const started = await startChild(await bundle(entry), env, ['--json']);
  onTestFinished(async () => {
    await started.kill('SIGKILL');
  });
  return started;
}

it('what a person does at the ad server reaches a worker by way of a ring to the server, over signed calls', async () => {
  const AD_SERVER_PORT = String(await freePort());
  const url = `http://127.0.0.1:${AD_SERVER_PORT}`;
  const there = { AD_SERVER: 'http', AD_SERVER_URL: url, AD_SERVER_TOKEN: TOKEN, AD_SERVER_SIGN: 'true' };
  const agent = await startTestAgent('sqlite', { env: there, working: false });
  onTestFinished(() => agent.stop());
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'media-buy-agent-rings-'));
  onTestFinished(() => rm(DATA_DIR, { recursive: true, force: true }));
  await child('src/main/ad-server.ts', {
    ...{ AD_SERVER_PORT, DATA_DIR, AD_SERVER_TOKEN: TOKEN, LOG_LEVEL: 'warn' },
    ...{ AD_SERVER_RINGS: agent.baseUrl, AD_SERVER_VERIFY: `${agent.baseUrl}/.well-known/jwks.json` },
  });
  await child('src/main/worker.ts', agent.env);

  const bought = await ask(agent, 'create_media_buy', mediaBuyInput(agent));
  const media_buy_id = MediaBuyId.parse(bought['media_buy_id']);
  const row = () => agent.core.sales.adOrders.get(media_buy_id);
  expect(await row()).toMatchObject({ looked_at: null });
  const control = { trafficker: { media_buy_id, action: 'pause' } };
  const headers = { authorization: `Bearer ${TOKEN}` };
  await fetch(`${url}/_control`, { method: 'POST', headers, body: JSON.stringify(control) });
  const read = await until(async () => ((await row())?.looked_at ? row() : undefined));
  expect(read.lines.map(({ by_hand }) => by_hand)).not.toContain(false);

  const ring = async (body: unknown, token = TOKEN) => {
    const sent = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) };
    return (await fetch(`${agent.baseUrl}/ad-server/events`, sent)).status;
  };
  expect(await ring({ media_buy_id })).toBe(202);
  expect(await ring({ media_buy_id }, agent.apiKey)).toBe(401);
  expect(await ring({ media_buy_id: 'mb_unheard_of' })).toBe(404);
  expect(await ring({ media_buy_id: 7 })).toBe(400);

  // A mad ad server makes nobody read in a circle.
  const reads = async () => {
    const calls = await fetch(`${url}/_control/calls`, { headers });
    return SimulatorCalls.parse(await calls.json()).calls.filter(({ method }) => method === 'read').length;
  };
  const [before, beganMs] = [await reads(), Date.now()];
  const answers = await Promise.all(Array.from({ length: 100 }, () => ring({ media_buy_id })));
  expect(new Set(answers)).toEqual(new Set([202]));
  expect((await reads()) - before).toBeLessThanOrEqual(2 + (Date.now() - beganMs) / 5_000);

  // Whoever has the token and no key is not believed.
  await expect(clientAt(url).read(media_buy_id)).rejects.toMatchObject({
    name: 'Misconfigured',
    message: expect.stringContaining('has no signature') as string,
  });
});

it('nobody can ring where orders do not leave the house', async () => {
  const agent = await startTestAgent('sqlite', { working: false });
  onTestFinished(() => agent.stop());
  const sent = { method: 'POST', headers: { authorization: `Bearer ${TOKEN}` }, body: '{}' };
  expect((await fetch(`${agent.baseUrl}/ad-server/events`, sent)).status).toBe(404);
});
