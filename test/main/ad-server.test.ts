import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { clientAt } from '../adservers/http/support/bridge.ts';
import { sampleAdOrder } from '../adservers/simulator/support/sample-ad-order.ts';
import { launch, startChild } from '../journeys/support/child.ts';

const RUN = 'scripts/run.mjs';

it('npm run ad-server keeps its orders and its token over a kill, and stops when told to', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-ad-server-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const env = { AD_SERVER_PORT: '0', DATA_DIR: dir, LOG_LEVEL: 'warn', SIM_SPEED: '600' };
  const start = async () => {
    const child = await startChild(RUN, env, ['ad-server', '--json']);
    onTestFinished(async () => {
      await child.kill('SIGKILL');
    });
    const { url, token } = child.ready as { url: string; token: string };
    return { child, token, client: clientAt(url, { token }) };
  };

  const first = await start();
  expect(first.token).toMatch(/^[\w-]{43}$/);
  expect(await first.client.describe()).toMatchObject({ adapter: 'simulator', clock_speed: 600 });
  const order = sampleAdOrder();
  expect(await first.client.put(order)).toMatchObject({ outcome: 'done' });
  await first.child.kill('SIGKILL');

  const second = await start();
  expect(second.token).toBe(first.token);
  expect(await second.client.read(order.media_buy_id)).toMatchObject({ found: true, version: 1 });
  expect(await second.child.kill('SIGTERM')).toBe(0);
  expect(second.child.output.stderr).toBe('');
});

it('npm run ad-server names a setting that is wrong', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-ad-server-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const wrong = launch(RUN, { DATA_DIR: dir, AD_SERVER_TOKEN: 'short' }, ['ad-server']);
  expect(await wrong.ended).toBe(2);
  expect(wrong.output.stderr).toContain('AD_SERVER_TOKEN must be 16 to 4096 visible ASCII characters');
});
