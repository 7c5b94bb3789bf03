import { randomUUID } from 'node:crypto';
import { afterAll, expect } from 'vitest';
import { eachAtOnce } from '../../src/platform/each-at-once.ts';
import { startWork } from '../../src/main/wiring/worker-process.ts';
import { TaskId } from '../../src/platform/task-id.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { orderOf, packageForSale, accountOf } from '../dialects/support/booking.ts';
import { bodyOf, callPublic, webhookErrors } from '../dialects/support/public-call.ts';
import { bundle } from '../support/bundle.ts';
import { deathOf, faultText, writesOf } from '../support/fault-point.ts';
import type { FaultPoint } from '../support/fault-point.ts';
import { organizationId } from '../support/ids.ts';
import { itOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { eventsOf } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { launch } from './support/child.ts';
import { TIMEOUT_MS } from './support/story.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { StoreKind, TestAgent } from './support/test-agent.ts';

const WORKER = 'test/journeys/support/crashing-worker.ts';
const STORIES_AT_ONCE = 3;
const RELEASE = '3.2';

const cleanUp: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
}, 300_000);

/** What is asked for, and how many packages then name each creative that comes with it. */
interface Asked {
  skill: 'create_media_buy' | 'update_media_buy';
  request: Json;
  packages: string[][];
}

const SAMPLE = { old: 'old', both: 'both', one: 'one' } as const;

function creativesOf({ core }: TestAgent): Record<keyof typeof SAMPLE, Json> {
  const example = core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
  const named = (creative_id: string) => ({ ...example.creatives[0], creative_id });
  return { old: named(SAMPLE.old), both: named(SAMPLE.both), one: named(SAMPLE.one) };
}

/** Two packages of a new buy bring creatives, one of them the same. */
async function create(agent: TestAgent): Promise<Asked> {
  const line = await packageForSale(agent);
  const { both, one } = creativesOf(agent);
  const lines = [
    { ...line, creatives: [both, one] },
    { ...line, creatives: [both] },
  ];
  const request = { adcp_version: RELEASE, ...orderOf(line, { packages: lines }) };
  return { skill: 'create_media_buy', request, packages: [[SAMPLE.both, SAMPLE.one], [SAMPLE.both]] };
}

/** Two packages of a buy that there is bring some besides what the first has, and cost more. */
async function change(agent: TestAgent): Promise<Asked> {
  const line = await packageForSale(agent);
  const { old, both, one } = creativesOf(agent);
  const lines = [{ ...line, creatives: [old] }, line];
  const work = startWork(agent.core);
  const order = { adcp_version: RELEASE, ...orderOf(line, { packages: lines }) };
  // An answer is waited for so long, and not longer: asked again, it is told once it is made.
  const made = await until(async () => {
    const told = bodyOf(await callPublic(agent, 'create_media_buy', order));
    return told['packages'] === undefined ? undefined : told;
  }, TIMEOUT_MS);
  await work.stop();
  const [first, second] = (made['packages'] as { package_id: string }[]).map(({ package_id }) => package_id);
  const request = {
    ...{ adcp_version: RELEASE, account: accountOf('acme.example'), idempotency_key: randomUUID() },
    media_buy_id: made['media_buy_id'],
    packages: [
      { package_id: first, budget: 21_000, creatives: [both, one] },
      { package_id: second, creatives: [both] },
    ],
  };
  return { skill: 'update_media_buy', request, packages: [[SAMPLE.old, SAMPLE.both, SAMPLE.one], [SAMPLE.both]] };
}

/**
 * Tells one story, whose work a worker begins that dies at a write, and another ends; without one, nobody dies. Answers what the first one
 * wrote to, and to which collection when it died.
 */
async function tell(store: StoreKind, begin: (agent: TestAgent) => Promise<Asked>, point?: FaultPoint) {
  const agent = await startTestAgent(store, { working: false, env: { CREATIVE_REVIEW_SECONDS: '86400' } });
  const receiver = await openReceiver();
  try {
    const { skill, request, packages } = await begin(agent);
    const asked = { ...request, push_notification_config: { url: receiver.url('/news') } };
    const answer = callPublic(agent, skill, asked);
    answer.catch(() => undefined);
    const told = () => receiver.received.filter(({ body }) => body['task_type'] === skill);
    const isTold = () => told().some(({ body }) => body['status'] === 'completed');
    const CRASH_AT = point === undefined ? '' : faultText(point);
    const worker = launch(await bundle(WORKER), { ...agent.env, CRASH_AT });
    await Promise.race([worker.ended, until(isTold, TIMEOUT_MS)]);
    await worker.kill('SIGKILL');
    agent.work();
    await until(isTold, TIMEOUT_MS);

    // One story is told, valid by the official schemas, and each event with one body whatever came in between.
    const task_id = TaskId.parse(told()[0]?.body['task_id']);
    const events = eventsOf(receiver.received, task_id);
    expect(events.map(({ body }) => body['status'])).toEqual(['working', 'completed']);
    expect(events.every(({ bytes }) => bytes.size === 1)).toBe(true);
    for (const { body } of events) expect(webhookErrors(RELEASE, body)).toEqual([]);
    const result = events[1]?.body['result'] as { media_buy_id: string };
    // Whoever waited for the answer, or asks again, is told the same.
    const { status } = bodyOf(await answer);
    expect(['completed', 'working', 'submitted']).toContain(status);
    const again = bodyOf(await callPublic(agent, skill, asked));
    expect(again['media_buy_id'] ?? result.media_buy_id).toBe(result.media_buy_id);

    // There is one buy, changed once; no creative without its package, and no package without its creative.
    const organization_id = organizationId('org_demo_buyer');
    expect(await agent.core.sales.mediaBuys.count({ organization_id })).toBe(1);
    const buy = await agent.core.sales.mediaBuys.get(MediaBuyId.parse(result.media_buy_id));
    expect(buy?.packages.map((line) => line.creative_ids.map((ref) => ref.replace(/^.*\//, '')))).toEqual(packages);
    expect(buy?.history.filter((event) => event.task_id === task_id)).toHaveLength(1);
    const { rows } = await agent.core.sales.creatives.find({ where: { organization_id } });
    expect(rows.map(({ creative_id }) => creative_id).sort()).toEqual([...new Set(packages.flat())].sort());
    const versions = rows.map(({ version, history }) => [version, history.filter(isOfBuyer).length]);
    expect(versions).toEqual(rows.map(() => [1, 1]));
    return { writes: writesOf(worker.output), died: deathOf(worker.output)?.collection };
  } finally {
    await agent.stop();
    await receiver.close();
  }
}

function isOfBuyer({ actor }: { actor: string }): boolean {
  return actor === 'buyer';
}

/**
 * Which of its writes a worker dies at: on the embedded store all, on either those whose order matters, by their collection, since which
 * write is the n-th is another each time.
 */
function fatalOf(store: StoreKind, writes: readonly string[]): FaultPoint[] {
  const during = { what: 'write', moment: 'during' } as const;
  const named = [
    ...writes.filter((name) => name === 'creatives').map((collection, i) => ({ ...during, n: i + 1, collection })),
    { ...during, n: 1, collection: 'media_buys' },
  ];
  return store === 'mongodb' ? named : [...writes.map((_, i) => ({ ...during, n: i + 1 })), ...named.slice(-2)];
}

// Every write on either side of it, without processes: test/tasks/changes-interrupted.test.ts.
itOnStores(
  '[B6] [B11] [T1] [W1] on %s, a worker killed during any write of a booking or a change that brings creatives loses none, makes none twice, and leaves none without its package',
  async (store) => {
    for (const begin of [create, change]) {
      const { writes } = await tell(store, begin);
      expect(writes).toEqual(expect.arrayContaining(['creatives', 'media_buys', 'task_runs', 'deliveries']));
      const died = new Set<string | undefined>();
      await eachAtOnce(fatalOf(store, writes), STORIES_AT_ONCE, async (point) => {
        died.add((await tell(store, begin, point)).died);
      });
      expect([...died]).toEqual(expect.arrayContaining(['creatives', 'media_buys']));
    }
  },
  1_200_000,
);
