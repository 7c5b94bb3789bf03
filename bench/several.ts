import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { agentClient, responseOf } from '../src/main/demo/agent-client.ts';
import { campaign, Offers } from '../src/main/demo/campaign.ts';
import { freePorts } from '../test/support/free-port.ts';
import { ownMetrics } from './own-metrics.ts';
import { compareStories } from './story-rounds.ts';
import { databaseOf, ended, firstLine, LAUNCHER, openPlace, secretKey } from './story-sides.ts';
import type { StorySide } from './story-sides.ts';

/**
 * Whether a story costs more where there are more processes to tell it: one server and one worker, then two of each, on one Redis and one
 * MongoDB where `MONGODB_TEST_URL` names one (its own processor time is not counted), else on one embedded store. Callers turn from
 * one server to the next. Inside and outside the clock are what they are of `stories`.
 */
export function benchSeveral(): Promise<void> {
  return compareStories([() => startSeveral(1), () => startSeveral(2)]);
}

async function startSeveral(count: number): Promise<StorySide> {
  const { dir, redis, forget } = await openPlace();
  const ports = await freePorts(count);
  const baseUrls = ports.map((port) => `http://127.0.0.1:${port}`);
  const apiKey = `mk_live_${randomUUID()}${randomUUID()}`;
  const mongodb = databaseOf(`several_${count}`);
  const own = {
    ...{ HOST: '', PUBLIC_URL: baseUrls[0] ?? '', MONGODB_URL: mongodb ?? '', REDIS_URL: redis.url },
    ...{ DATA_DIR: join(dir, 'data'), METRICS_PORT: '0', BOOTSTRAP_API_KEY: apiKey },
    ...(mongodb !== undefined && { SECRET_KEY: secretKey() }),
    ...{ LOG_LEVEL: 'warn', ALLOW_LOOPBACK: 'true', NODE_ENV: 'production' },
  };
  const children: ChildProcess[] = [];
  const metricsUrls: string[] = [];
  const start = async (command: string, PORT: string) => {
    const child = spawn(process.execPath, [LAUNCHER, command, '--json'], {
      env: { ...process.env, ...own, PORT },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    metricsUrls.push((await firstLine<{ metrics_url: string }>(child)).metrics_url);
  };
  for (const port of ports) await start('server', String(port));
  for (let n = 0; n < count; n++) await start('worker', '0');
  const clients = baseUrls.map((baseUrl) => agentClient(baseUrl, apiKey));
  let turn = 0;
  const client = () => clients[turn++ % clients.length] ?? agentClient('', '');
  const offers = Offers.parse(responseOf(await client().send('get_products', { brief: 'ctv and display' })));
  return {
    name: `${count} server${count > 1 ? 's' : ''}, ${count} worker${count > 1 ? 's' : ''}, ${mongodb === undefined ? 'embedded store' : 'MongoDB'}`,
    pids: [...children.map(({ pid }) => pid ?? 0), redis.pid],
    redisCalls: redis.calls,
    ...ownMetrics(metricsUrls),
    async ask(url) {
      const push_notification_config = { url, operation_id: randomUUID() };
      const input = { ...campaign(offers, Date.now()), push_notification_config };
      return (await client().send('create_media_buy', input, { returnImmediately: true })).id;
    },
    async stop() {
      for (const child of children) await ended(child);
      await forget();
    },
  };
}
