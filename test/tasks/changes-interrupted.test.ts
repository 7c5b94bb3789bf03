import { afterAll, expect, it } from 'vitest';
import { AdOrderRecords } from '../../src/adservers/simulator/order-row.ts';
import type { TaskId } from '../../src/platform/task-id.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { addedPackageId } from '../../src/sales/media-buy/package-id.ts';
import { reviewDue } from '../../src/sales/creative/review/review-due.ts';
import { approvalIdOf } from '../../src/sales/approval/approval.ts';
import { currentStatus } from '../../src/runtime/task-run.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import type { StoreKind, TestAgent } from '../journeys/support/test-agent.ts';
import { dyingAt } from '../runtime/support/open-runtime.ts';
import { begin, BUYER } from './support/calls.ts';
import type { Json } from './support/calls.ts';
import { bookTwoPackages, finish, LINE, startInterrupted, takeOwedTurn } from './support/interrupted-agent.ts';
import { describeOnStores } from '../support/stores.ts';

const PUSH = { push_notification_config: { url: 'http://127.0.0.1:9/webhooks', operation_id: 'op' } };
const BANNER = {
  name: 'Banner',
  assets: { image: { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 } },
};

const cleanUp: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

const formatOf = ({ baseUrl }: TestAgent) => ({ agent_url: baseUrl, id: 'display_300x250' });

/** The card's example, for a campaign of its own. */
function newBuy({ core }: TestAgent): Json & { buyer_ref: string } {
  const example = core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
  return { ...example, buyer_ref: `campaign-${core.ids.newId()}` };
}

interface House {
  agent: TestAgent;
  /** Does a task's turn in a process that dies before or after its n-th write, and answers to which collection, if ever. */
  dieAt(moment: 'before' | 'after', n: number, task_id: TaskId): Promise<string | undefined>;
}

async function open(store: StoreKind, env: Record<string, string> = {}): Promise<House> {
  const { agent, takeTurn, close } = await startInterrupted(store, env);
  cleanUp.push(close);
  return {
    agent,
    dieAt(moment, n, task_id) {
      const hooks = dyingAt(moment, n);
      return Promise.race([hooks.died, takeTurn(task_id, hooks).then(() => undefined)]);
    },
  };
}

/** What a task is once nothing is owed any more: its statuses, and those that deliveries were made of. */
async function recovered(agent: TestAgent, task_id: TaskId): Promise<{ states: string[]; told: string[]; data: Json }> {
  const run = await finish(agent, task_id);
  if (run.run_due_at !== null || run.notify_due_at !== null) throw new Error('something is owed still');
  const { rows } = await agent.core.store.collection(Deliveries).find({ where: { task_id } });
  return {
    states: run.events.map((event) => (event.kind === 'status' ? event.state : event.kind)),
    told: rows.sort((a, b) => a.sequence - b.sequence).map(({ event }) => event),
    data: currentStatus(run).data as Json,
  };
}

/** The version of each creative of an id that is stored. */
async function versionsOf({ core }: TestAgent, creative_id: string): Promise<number[]> {
  const { organization_id } = BUYER;
  const { rows } = await core.sales.creatives.find({ where: { organization_id, creative_id } });
  return rows.map(({ version }) => version);
}

/** Asks for an update as the public protocol does. */
async function beginInPublic({ core }: TestAgent, input: Json): Promise<TaskId> {
  const spoken = { dialect: 'adcp', skill: 'update_media_buy', release: '3.1' } as const;
  const translated = { spoken, request: { ...input, idempotency_key: core.ids.newId() } };
  const submitted = await core.runtime.submit({ caller: BUYER, task_type: 'update_media_buy', input, translated });
  return submitted.run.task_id;
}

/** Tells of one task, and answers where the process that did it died, if it did. */
type Story = (dieAt: (task_id: TaskId) => Promise<string | undefined>) => Promise<string | undefined>;

/**
 * Tells the story again and again, with a death at every write and on either side of it. Answers the collections that
 * were being written to, by side.
 */
async function dieEverywhere(story: Story, house: House): Promise<string[][]> {
  const fatal = { before: new Set<string>(), after: new Set<string>() };
  for (const moment of ['before', 'after'] as const) {
    for (let n = 1; ; n++) {
      const collection = await story((task_id) => house.dieAt(moment, n, task_id));
      if (collection === undefined) break;
      fatal[moment].add(collection);
    }
  }
  return Object.values(fatal).map((collections) => [...collections].sort());
}

/** No death was spared to any of these collections, on either side of its writes. */
function expectAmong(fatal: string[][], collections: string[]): void {
  for (const found of fatal) expect(found).toEqual(expect.arrayContaining(collections));
}

describeOnStores('on %s, a process that dies at any write of', (store) => {
  it('[T1] [W1] a create_media_buy leaves one buy, answered and told once', async () => {
    const house = await open(store);
    const { agent } = house;
    const fatal = await dieEverywhere(async (dieAt) => {
      const { buyer_ref, ...example } = newBuy(agent);
      const creative_id = `new-${buyer_ref}`;
      const packages = [{ ...LINE, creatives: [{ ...BANNER, creative_id, format_id: formatOf(agent) }] }];
      const { task_id } = await begin(agent, 'create_media_buy', { ...example, buyer_ref, packages, ...PUSH });
      const died = await dieAt(task_id);
      const { states, told, data } = await recovered(agent, task_id);
      expect([states, told]).toEqual([
        ['submitted', 'working', 'completed'],
        ['working', 'completed'],
      ]);
      const { organization_id } = BUYER;
      const { rows } = await agent.core.sales.mediaBuys.find({ where: { organization_id, buyer_ref } });
      expect(rows.map(({ media_buy_id }) => media_buy_id)).toEqual([data['media_buy_id']]);
      expect(rows[0]?.history.map(({ action }) => action)).toEqual(['created']);
      expect(rows[0]?.packages.map(({ creative_ids }) => creative_ids)).toEqual([[creative_id]]);
      expect(await versionsOf(agent, creative_id)).toEqual([1]);
      return died;
    }, house);
    expectAmong(fatal, ['creatives', 'deliveries', 'media_buys', 'simulated_orders_by_version', 'task_runs']);
  });

  it('[B2.begun-paused] [T1] [W1] a create that begins paused leaves one buy, paused there in one step, that never ran, and told so', async () => {
    const house = await open(store, { CREATIVE_REVIEW_SECONDS: '0' });
    const { agent } = house;
    const creatives = [{ ...BANNER, creative_id: 'ready', format_id: formatOf(agent) }];
    await finish(agent, (await begin(agent, 'sync_creatives', { creatives })).task_id);
    await reviewDue({ ...agent.core.sales, log: agent.core.log });
    const packages = [{ ...LINE, creative_ids: ['ready'] }];
    const fatal = await dieEverywhere(async (dieAt) => {
      const { task_id } = await begin(agent, 'create_media_buy', { ...newBuy(agent), packages, paused: true, ...PUSH });
      const died = await dieAt(task_id);
      const { states, told, data } = await recovered(agent, task_id);
      expect([states, told]).toEqual([
        ['submitted', 'working', 'completed'],
        ['working', 'completed'],
      ]);
      const media_buy_id = MediaBuyId.parse(data['media_buy_id']);
      const { organization_id } = BUYER;
      // Whoever died had it in hand for some seconds, after which the next worker tells it.
      await agent.core.sales.courier.tell(media_buy_id, { inHand: true });
      const { rows } = await agent.core.sales.mediaBuys.find({ where: { organization_id, task_id } });
      expect(rows).toMatchObject([{ media_buy_id, status: 'paused', pending_reason: null, is_uncommitted: false }]);
      expect(data).toMatchObject({ status: 'paused', revision: rows[0]?.revision });
      expect(rows[0]?.history.map(({ to_status }) => to_status)).toEqual(['pending', 'paused']);
      expect(await agent.core.sales.adServer.read(media_buy_id)).toMatchObject({ state: 'paused', version: 2 });
      const ordered = await agent.core.store.collection(AdOrderRecords).get(media_buy_id);
      expect(ordered?.instructions.map(({ state }) => state)).not.toContain('running');
      return died;
    }, house);
    expectAmong(fatal, ['media_buys', 'simulated_orders_by_version', 'task_runs']);
  });

  it('[B6] [B6.new-packages] [T1] [W1] an update_media_buy leaves the change to be made once and told once', async () => {
    const house = await open(store);
    const { agent } = house;
    const fatal = await dieEverywhere(async (dieAt) => {
      const { media_buy_id, packages } = await bookTwoPackages(agent);
      const creatives = [{ ...BANNER, creative_id: `new-${media_buy_id}`, format_id: formatOf(agent) }];
      const updates = {
        ...{ budget_change: 100.01, packages: [{ package_id: packages[0], paused: true }] },
        new_packages: [{ ...LINE, creatives }],
      };
      const { task_id } = await begin(agent, 'update_media_buy', { media_buy_id, updates, ...PUSH });
      const died = await dieAt(task_id);
      const { states, told, data } = await recovered(agent, task_id);
      expect([states, told]).toEqual([
        ['submitted', 'working', 'completed'],
        ['working', 'completed'],
      ]);
      const added = addedPackageId(MediaBuyId.parse(media_buy_id), task_id, 1);
      const affected_packages = [...packages, added];
      expect(data).toMatchObject({ media_buy_id, revision: 3, affected_packages, new_packages: [added] });
      const buy = await agent.core.sales.mediaBuys.get(media_buy_id);
      expect(buy).toMatchObject({
        total_budget_minor: 1_510_001,
        packages: [{ paused: true }, { paused: false }, { package_id: added, creative_ids: [`new-${media_buy_id}`] }],
      });
      expect(buy?.history.filter((event) => event.task_id === task_id)).toHaveLength(1);
      expect(await versionsOf(agent, `new-${media_buy_id}`)).toEqual([1]);
      return died;
    }, house);
    expectAmong(fatal, ['creatives', 'deliveries', 'media_buys', 'task_runs']);
  });

  it('[B2.resumed] [T1] [W1] a resume of what waits leaves it to wait on once, and the ad server not running', async () => {
    const house = await open(store);
    const { agent } = house;
    const fatal = await dieEverywhere(async (dieAt) => {
      const { media_buy_id } = await bookTwoPackages(agent);
      const paused = await begin(agent, 'update_media_buy', { media_buy_id, updates: { status: 'paused' } });
      await finish(agent, paused.task_id);
      const task_id = await beginInPublic(agent, { media_buy_id, updates: { status: 'active' } });
      const died = await dieAt(task_id);
      const { states, data } = await recovered(agent, task_id);
      expect(states).toEqual(['submitted', 'working', 'completed']);
      const buy = await agent.core.sales.mediaBuys.get(media_buy_id);
      expect(buy).toMatchObject({ status: 'paused', resumes: true, pending_reason: 'creatives', open_change: null });
      expect(data).toMatchObject({ media_buy_id, status: 'paused', revision: buy?.revision });
      expect(buy?.history.filter((event) => event.task_id === task_id)).toMatchObject([{ action: 'resumed' }]);
      const held = await agent.core.sales.adServer.read(MediaBuyId.parse(media_buy_id));
      expect(held).toMatchObject({ state: 'paused' });
      return died;
    }, house);
    expectAmong(fatal, ['media_buys', 'task_runs']);
  });

  it('[B11] [T1] [W1] a sync_creatives leaves what an undisturbed one leaves, and answers the same', async () => {
    const house = await open(store);
    const { agent } = house;
    const fatal = await dieEverywhere(async (dieAt) => {
      const { media_buy_id, packages } = await bookTwoPackages(agent);
      const ids = ['a', 'b', 'c'].map((name) => `${name}-${media_buy_id}`);
      const format_id = formatOf(agent);
      const creatives = ids.map((creative_id) => ({ ...BANNER, creative_id, format_id }));
      const assignments = { [ids[0] ?? '']: [packages[0]], [ids[1] ?? '']: packages };
      const { task_id } = await begin(agent, 'sync_creatives', { creatives, assignments, ...PUSH });
      const died = await dieAt(task_id);
      const { states, told, data } = await recovered(agent, task_id);
      expect([states, told]).toEqual([
        ['submitted', 'working', 'working', 'completed'],
        ['working', 'working', 'completed'],
      ]);
      expect(data['creatives']).toMatchObject(ids.map((creative_id) => ({ creative_id, action: 'created' })));
      const buy = await agent.core.sales.mediaBuys.get(media_buy_id);
      expect(buy?.packages.map(({ creative_ids }) => creative_ids)).toEqual([ids.slice(0, 2), ids.slice(1, 2)]);
      expect(buy?.history.map(({ action }) => action)).toEqual(['created', 'creatives_assigned']);
      return died;
    }, house);
    expectAmong(fatal, ['creatives', 'deliveries', 'media_buys', 'task_runs']);
  });

  it('[B15] [T1] [W1] an update that is asked again leaves one more round, told once, and nothing made', async () => {
    const house = await open(store, { APPROVAL_OVER: 'USD:20000' });
    const { agent } = house;
    const fatal = await dieEverywhere(async (dieAt) => {
      const { media_buy_id } = await bookTwoPackages(agent);
      const raise = { media_buy_id, updates: { budget_change: 15_000 }, ...PUSH };
      const { task_id } = await begin(agent, 'update_media_buy', raise);
      await takeOwedTurn(agent.core, task_id);
      const other = await begin(agent, 'update_media_buy', { media_buy_id, updates: { budget_change: 1000 } });
      await takeOwedTurn(agent.core, other.task_id);
      await agent.core.approvals.approve(approvalIdOf(task_id), { by: 'ann' });
      const died = await dieAt(task_id);
      const { states, told } = await recovered(agent, task_id);
      expect([states, told]).toEqual([
        ['submitted', 'working', 'working', 'working'],
        ['working', 'working', 'working'],
      ]);
      const { rows } = await agent.core.sales.approvals.find({
        where: { media_buy_id },
        sort: { field: 'requested_at', direction: 'asc' },
        limit: 10,
      });
      expect(rows.map(({ round, status }) => [round, status])).toEqual([
        [1, 'superseded'],
        [2, 'pending'],
      ]);
      expect(rows[1]?.asked_terms).toMatchObject({ total_minor: 2_600_000, base_total_minor: 1_100_000 });
      const buy = await agent.core.sales.mediaBuys.get(media_buy_id);
      expect(buy).toMatchObject({ total_budget_minor: 1_100_000 });
      return died;
    }, house);
    expectAmong(fatal, ['approvals', 'deliveries', 'task_runs']);
  });
});
