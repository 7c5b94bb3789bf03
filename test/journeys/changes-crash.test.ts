import { afterAll, expect } from 'vitest';
import { startWork } from '../../src/main/wiring/worker-process.ts';
import { TaskId } from '../../src/platform/task-id.ts';
import { mediaBuyIdOf } from '../../src/tasks/create-media-buy/new-media-buy.ts';
import { seededChance } from '../support/chance.ts';
import { deathOf, faultText, MOMENTS, writesOf } from '../support/fault-point.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { ask, eventsOf, mediaBuyInput, send, taskOf } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { bundle } from '../support/bundle.ts';
import { launch } from './support/child.ts';
import { TIMEOUT_MS } from './support/story.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { StoreKind, TestAgent } from './support/test-agent.ts';
import { itOnStores } from '../support/stores.ts';

const WORKER = 'test/journeys/support/crashing-worker.ts';
const BANNER = {
  name: 'Banner',
  assets: { image: { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 } },
};

const cleanUp: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(cleanUp.splice(0).map((close) => close()));
});

/** An agent with a buy of two packages, at rest: nothing works until it is told to. */
async function open(store: StoreKind) {
  const agent = await startTestAgent(store, { working: false, env: { CREATIVE_REVIEW_SECONDS: '0' } });
  cleanUp.push(() => agent.stop());
  const receiver = await openReceiver();
  cleanUp.push(() => receiver.close());
  const work = startWork(agent.core);
  const line = { product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget: 5000 };
  const buy = (await ask(agent, 'create_media_buy', mediaBuyInput(agent, { packages: [line, line] }))) as Json & {
    media_buy_id: string;
    packages: { package_id: string }[];
  };
  await work.stop();
  return {
    agent,
    receiver,
    media_buy_id: buy.media_buy_id,
    packages: buy.packages.map(({ package_id }) => package_id),
  };
}

/** Tells a story of one task, whose work a worker begins that dies at a point, if any, and another ends. */
type Tell = (store: StoreKind, CRASH_AT: string) => Promise<Told>;

/** What the first worker came to. */
interface Told {
  writes: number;
  hasDied: boolean;
}

/** A package's budget and pause are changed. */
const changeBuy: Tell = async (store, CRASH_AT) => {
  const { agent, receiver, media_buy_id, packages } = await open(store);
  const push_notification_config = { url: receiver.url(), operation_id: 'op' };
  const updates = { budget_change: 100.01, packages: [{ package_id: packages[0], paused: true }] };
  const { id } = taskOf(await send(agent, 'update_media_buy', { media_buy_id, updates, push_notification_config }));
  const told = await work(agent, CRASH_AT, () => isTold(receiver, id));
  const buy = await agent.core.sales.mediaBuys.get(media_buy_id);
  expect(buy).toMatchObject({ total_budget_minor: 1_010_001, packages: [{ paused: true }, { paused: false }] });
  expect(buy?.history.filter(({ task_id }) => task_id === id)).toHaveLength(1);
  const events = eventsOf(receiver.received, id);
  expect(events.map(({ body }) => body['status'])).toEqual(['working', 'completed']);
  expect(events.every(({ bytes }) => bytes.size === 1)).toBe(true);
  return told;
};

/** Three creatives are sent and two assigned. */
const syncLibrary: Tell = async (store, CRASH_AT) => {
  const { agent, receiver, media_buy_id, packages } = await open(store);
  const format_id = { agent_url: agent.baseUrl, id: 'display_300x250' };
  const creatives = ['a', 'b', 'c'].map((creative_id) => ({ ...BANNER, creative_id, format_id }));
  const assignments = { a: [packages[0]], b: packages };
  const push_notification_config = { url: receiver.url(), operation_id: 'op' };
  const input = { creatives, assignments, push_notification_config };
  const { id } = taskOf(await send(agent, 'sync_creatives', input));
  const told = await work(agent, CRASH_AT, () => isTold(receiver, id));
  const completed = eventsOf(receiver.received, id).find(({ body }) => body['status'] === 'completed');
  expect(completed?.body['result']).toMatchObject({
    creatives: ['a', 'b', 'c'].map((creative_id) => ({ creative_id, action: 'created' })),
  });
  const buy = await until(async () => {
    const stored = await agent.core.sales.mediaBuys.get(media_buy_id);
    return stored?.status === 'active' && stored;
  }, TIMEOUT_MS);
  expect(buy.packages.map(({ creative_ids }) => creative_ids)).toEqual([['a', 'b'], ['b']]);
  expect(buy.history.map(({ action }) => action)).toEqual(['created', 'creatives_assigned', 'activated']);
  return told;
};

/** A media buy is booked that begins paused; a worker dies with what it holds booked, and not yet paused, at the ad server. */
const bookPaused: Tell = async (store, CRASH_AT) => {
  const { agent, receiver } = await open(store);
  const push_notification_config = { url: receiver.url(), operation_id: 'op' };
  const input = mediaBuyInput(agent, { paused: true, push_notification_config });
  const { id } = taskOf(await send(agent, 'create_media_buy', input));
  const media_buy_id = mediaBuyIdOf(TaskId.parse(id));
  const stored = () => agent.core.sales.mediaBuys.get(media_buy_id);
  const isPaused = async () => (await stored())?.held?.state === 'paused';
  const isOver = async () => isTold(receiver, id) && (await isPaused());
  const there = () => agent.core.sales.adServer.read(media_buy_id);
  const told = await work(agent, CRASH_AT, isOver, async () => {
    expect(await there()).toMatchObject({ state: 'held', version: 1 });
  });
  const completed = eventsOf(receiver.received, id).find(({ body }) => body['status'] === 'completed');
  expect(completed?.body['result']).toMatchObject({ media_buy_id, status: 'paused' });
  expect((await stored())?.history.map(({ to_status }) => to_status)).toEqual(['pending', 'paused']);
  expect(await there()).toMatchObject({ state: 'paused', version: 2 });
  return told;
};

// Every write, one by one and without processes: test/tasks/changes-interrupted.test.ts.
itOnStores(
  '[B2.begun-paused] [B6] [B11] [T1] on %s, a worker killed before, during or after a write while it updates a media buy or syncs creatives, or between the booking and the pause of one that begins paused, leaves the change made once and told once',
  async (store) => {
    const [, , booked] = await Promise.all([
      killSomewhere(changeBuy, store, 'update'),
      killSomewhere(syncLibrary, store, 'sync'),
      bookPaused(store, faultText({ what: 'write', moment: 'after', n: 2, collection: 'media_buys' })),
    ]);
    expect(booked.hasDied).toBe(true);
  },
  1_200_000,
);

/** At any of the writes that the story has when nobody is killed; at an earlier one, if this time there are fewer. */
async function killSomewhere(tell: Tell, store: StoreKind, title: string): Promise<void> {
  const { writes } = await tell(store, '');
  const chance = seededChance(`${title} on ${store}`);
  for (const moment of MOMENTS) {
    let n = chance.between(1, writes);
    while (!(await tell(store, faultText({ what: 'write', moment, n }))).hasDied) {
      // Its first write, every story has.
      expect(n).toBeGreaterThan(1);
      n -= 1;
    }
  }
}

function isTold({ received }: Receiver, task_id: string): boolean {
  const states = eventsOf(received, task_id).map(({ body }) => body['status']);
  return states.includes('working') && states.includes('completed');
}

/** Lets a worker work until it dies, or is ended since the story is told; then another takes over. */
async function work(
  agent: TestAgent,
  CRASH_AT: string,
  isOver: () => boolean | Promise<boolean>,
  inBetween?: () => Promise<void>,
): Promise<Told> {
  const worker = launch(await bundle(WORKER), { ...agent.env, CRASH_AT });
  await Promise.race([worker.ended, until(isOver, TIMEOUT_MS)]);
  await worker.kill('SIGKILL');
  await inBetween?.();
  agent.work();
  await until(isOver, TIMEOUT_MS);
  return { writes: writesOf(worker.output).length, hasDied: deathOf(worker.output) !== undefined };
}
