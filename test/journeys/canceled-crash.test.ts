import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';
import { TaskId } from '../../src/platform/task-id.ts';
import { eachAtOnce } from '../../src/platform/each-at-once.ts';
import { mediaBuyIdOf } from '../../src/tasks/create-media-buy/new-media-buy.ts';
import { seededChance } from '../support/chance.ts';
import { itOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { ask, errorOf, post, responseIn, send, taskOf } from './support/buyer.ts';
import type { Json, RpcAnswer } from './support/buyer.ts';
import { AT_ONCE, BUDGET, createInput, makeRunning } from './support/outage/campaigns.ts';
import { startInstallation } from './support/outage/installation-processes.ts';
import type { Installation } from './support/outage/installation-processes.ts';
import { startWorkers } from './support/outage/worker-lineages.ts';

const LATENCY_MS = 4000;
const RAISED = 38;
/** Each adds another amount, in dollars, so that a total tells which of them hold. */
const ADDED = [1, 2, 4, 8, 16];
const ENDING = 10;
const CREATES = 100;
const SYNCS = 4;
const LANES = 16;
const TIMEOUT_MS = 1_200_000;

const cleanUp: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

interface Request {
  skill: 'create_media_buy' | 'update_media_buy' | 'sync_creatives';
  input: Json;
}
interface Sent extends Request {
  task_id: string;
  wasCanceled: boolean;
}

const taskAt = (place: Installation, method: 'GetTask' | 'CancelTask', id: string): Promise<RpcAnswer> =>
  post(place, { jsonrpc: '2.0', id: 1, method, params: { id } });

/** Asks for something, and cancels it so many milliseconds later. */
async function askAndCancel(place: Installation, { skill, input }: Request, waitMs: number): Promise<Sent> {
  const { id: task_id } = taskOf(await send(place, skill, input));
  await delay(waitMs);
  const answer = await taskAt(place, 'CancelTask', task_id);
  if (answer.error !== undefined) expect(errorOf(answer).code).toBe('NOT_CANCELLABLE');
  return { skill, input, task_id, wasCanceled: answer.error === undefined };
}

/** The state that each task ends in. */
async function ends(place: Installation, sent: readonly Sent[]): Promise<void> {
  await eachAtOnce(sent, AT_ONCE, async ({ task_id, wasCanceled }) => {
    const over = await until(async () => {
      const { state } = taskOf(await taskAt(place, 'GetTask', task_id));
      if (/COMPLETED|CANCELED|FAILED/.test(state)) return state;
      await delay(200);
      return false;
    }, TIMEOUT_MS);
    expect(over).toBe(`TASK_STATE_${wasCanceled ? 'CANCELED' : 'COMPLETED'}`);
  });
}

interface Order {
  held: { version: number } | null;
  order: { state: string; lines: { budget_minor: number }[] };
  status: string;
}

/** Each buy and its order are what the updates made of it that were not canceled; so is the library. */
async function expectTruth(place: Installation, buys: readonly string[], sent: readonly Sent[]): Promise<void> {
  const held = sent.filter(({ wasCanceled }) => !wasCanceled);
  await eachAtOnce(buys, AT_ONCE, async (media_buy_id) => {
    const updates = held.flatMap(({ input }) =>
      input['media_buy_id'] === media_buy_id ? [input['updates'] as Json] : [],
    );
    const added = updates.reduce((sum, { budget_change = 0 }) => sum + Number(budget_change), 0);
    const state = updates.some(({ status }) => status === 'canceled') ? 'ended' : 'running';
    const { order, held: holding } = (await place.operate(`/orders/${media_buy_id}`)) as unknown as Order;
    expect([order.state, order.lines[0]?.budget_minor]).toEqual([state, (BUDGET + added) * 100]);
    expect(await place.adServer.read(media_buy_id)).toMatchObject({ state, version: holding?.version });
  });
  const library = await libraryOf(place);
  for (const { skill, input, wasCanceled } of sent) {
    if (skill !== 'sync_creatives') continue;
    const ids = (input['creatives'] as { creative_id: string }[]).map(({ creative_id }) => creative_id);
    expect(ids.filter((id) => library.has(id))).toEqual(wasCanceled ? [] : ids);
  }
}

/** The ids of all creatives. */
async function libraryOf(place: Installation): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let cursor: unknown; ;) {
    const page = await ask(place, 'list_creatives', { limit: 100, ...(cursor !== undefined && { cursor }) });
    for (const { creative_id } of page['creatives'] as { creative_id: string }[]) ids.add(creative_id);
    cursor = page['cursor'];
    if (page['has_more'] !== true) return ids;
  }
}

function requestsFor(place: Installation, buys: readonly string[]): Request[] {
  const format_id = { agent_url: place.baseUrl, id: 'display_300x250' };
  const assets = { image: { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 } };
  const fifty = (sync: number) =>
    Array.from({ length: 50 }, (_, n) => ({ creative_id: `s${sync}-${n}`, name: 'Banner', format_id, assets }));
  const update = (media_buy_id: string, updates: Json) =>
    ({ skill: 'update_media_buy', input: { media_buy_id, updates } }) as const;
  const requests: Request[] = [
    ...buys.slice(ENDING).flatMap((id) => ADDED.map((budget_change) => update(id, { budget_change }))),
    ...buys.slice(0, ENDING).map((id) => update(id, { status: 'canceled' })),
    ...Array.from({ length: SYNCS }, (_, n) => ({ skill: 'sync_creatives' as const, input: { creatives: fifty(n) } })),
    ...Array.from({ length: CREATES }, () => ({ skill: 'create_media_buy' as const, input: createInput() })),
  ];
  return requests.map(({ skill, input }) => ({ skill, input: { ...input, idempotency_key: randomUUID() } }));
}

itOnStores(
  '[T1.no-return] [B7.effect] on %s, before an ad server process that takes 4 s and is killed, what is canceled in half a second changes nothing there or here, and its key applies once',
  async (store) => {
    const chance = seededChance(`cancels on ${store}`);
    const place = await startInstallation(store);
    cleanUp.push(() => place.close());
    const workers = await startWorkers(place.workerEnv, [[], []]);
    cleanUp.push(() => workers.stop());
    const buys = (await makeRunning(place, 20)).all.slice(0, RAISED + ENDING);
    await place.adServer.control({ latency_ms: LATENCY_MS });

    const requests = chance
      .shuffled(requestsFor(place, buys))
      .map((request) => ({ request, waitMs: chance.between(0, 500) }));
    const sent: Sent[] = [];
    const lane = async () => {
      for (let next = requests.shift(); next !== undefined; next = requests.shift()) {
        sent.push(await askAndCancel(place, next.request, next.waitMs));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const writes = (await place.adServer.calls()).native_writes;
    await place.adServer.kill();
    await place.adServer.start();

    await ends(place, sent);
    await expectTruth(place, buys, sent);
    const creates = sent.flatMap(({ skill, task_id, wasCanceled }) =>
      skill === 'create_media_buy' && wasCanceled ? [mediaBuyIdOf(TaskId.parse(task_id))] : [],
    );
    await eachAtOnce(creates, AT_ONCE, async (media_buy_id) => {
      await until(async () => {
        const held = await place.adServer.read(media_buy_id);
        if (!held.found || held.state === 'ended') return true;
        await delay(200);
        return false;
      }, TIMEOUT_MS);
      expect(((await place.operate(`/orders/${media_buy_id}`)) as unknown as Order).status).toBe('canceled');
    });
    writes.push(...(await place.adServer.calls()).native_writes);
    // Of the order itself: lines are released within a held order, too.
    const runs = writes.filter(({ kind, package_id }) => kind === 'release' && package_id === undefined);
    const released = runs.map(({ media_buy_id }) => media_buy_id);
    expect(creates.filter((id) => released.includes(id))).toEqual([]);

    const again = sent.filter(({ skill, wasCanceled }) => wasCanceled && skill !== 'create_media_buy');
    for (const one of again) {
      const { id } = taskOf(await send(place, one.skill, one.input));
      expect(id).not.toBe(one.task_id);
      Object.assign(one, { task_id: id, wasCanceled: false });
    }
    await ends(place, again);
    for (const { skill, input, task_id } of again) {
      const replayed = await send(place, skill, input);
      expect([taskOf(replayed).id, responseIn(replayed)['task_id'] ?? task_id]).toEqual([task_id, task_id]);
    }
    await expectTruth(place, buys, sent);
    console.log({
      store,
      asked: sent.length,
      'canceled in time, and done by a retry': again.length,
      'creates canceled': creates.length,
    });
  },
  TIMEOUT_MS,
);
