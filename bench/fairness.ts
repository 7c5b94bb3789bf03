import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentClient, responseOf } from '../src/main/demo/agent-client.ts';
import type { AgentClient } from '../src/main/demo/agent-client.ts';
import { campaign, Offers } from '../src/main/demo/campaign.ts';
import { median, quantile } from './figures.ts';
import { startSide } from './sides.ts';

const HEAVY_TASKS = 300;
const CREATIVES = 100;
const AT_ONCE = 10;
const IDLE_BUYS = 20;
/** Promised: so many times as long as when nothing else goes on. */
const LIMIT = 2;

/**
 * How long one organization waits for a media buy, from the call to its end, while another has {@link HEAVY_TASKS} tasks of
 * {@link CREATIVES} creatives queued, against the same with nothing else to do; server and worker in one process.
 */
export async function benchFairness(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'mba-bench-fairness-'));
  const [busyKey, calmKey] = [key(), key()];
  const env = { PORT: '0', DATA_DIR: dir, LOG_LEVEL: 'error', MONGODB_URL: '', REDIS_URL: '', PUBLIC_URL: '' };
  const agent = await startSide(['./fairness-agent.ts', busyKey, calmKey], env);
  try {
    const [busy, calm] = [agentClient(agent.url, busyKey), agentClient(agent.url, calmKey)];
    const offers = Offers.parse(responseOf(await calm.send('get_products', { brief: 'ctv and display' })));
    for (let i = 0; i < 5; i++) await buy(calm, offers);
    const idle: number[] = [];
    for (let i = 0; i < IDLE_BUYS; i++) idle.push(await buy(calm, offers));
    const last = await queueHeavyTasks(busy, agent.url);
    const beside: number[] = [];
    while (!(await isOver(busy, last))) beside.push(await buy(calm, offers));
    report(idle, beside);
  } finally {
    await agent.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

function key(): string {
  return `mk_live_${randomUUID()}${randomUUID()}`;
}

/** A media buy from the call to its end, in milliseconds. */
async function buy(client: AgentClient, offers: Offers): Promise<number> {
  const started = performance.now();
  const { status } = await client.send('create_media_buy', campaign(offers, Date.now()));
  if (status.state !== 'TASK_STATE_COMPLETED') throw new Error(`a media buy ended as ${status.state}`);
  return performance.now() - started;
}

/** Answers the task that was queued last. */
async function queueHeavyTasks(client: AgentClient, url: string): Promise<string> {
  let left = HEAVY_TASKS;
  let last = '';
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const creatives = Array.from({ length: CREATIVES }, () => banner(url));
      last = (await client.send('sync_creatives', { creatives }, { returnImmediately: true })).id;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return last;
}

function banner(agent_url: string) {
  return {
    creative_id: randomUUID(),
    name: 'Trail shoe, autumn',
    format_id: { agent_url, id: 'display_300x250' },
    assets: { image: { url: 'https://cdn.acme.example/autumn.png', width: 300, height: 250 } },
  };
}

async function isOver(client: AgentClient, id: string): Promise<boolean> {
  return ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED'].includes((await client.get(id)).status.state);
}

function report(idle: readonly number[], beside: readonly number[]): void {
  const ratio = median(beside) / median(idle);
  const show = (all: readonly number[]) =>
    `p50 ${median(all).toFixed(0)} p95 ${quantile(all, 0.95).toFixed(0)} max ${Math.max(...all).toFixed(0)}`;
  console.log(
    `a media buy, ms   alone ${show(idle)}   beside ${HEAVY_TASKS} heavy tasks of another ${show(beside)} (${beside.length} buys)   ${ratio <= LIMIT ? 'within' : 'OVER'} ${LIMIT} times: ${ratio.toFixed(2)}`,
  );
}
