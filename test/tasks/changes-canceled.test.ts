import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppError } from '../../src/platform/errors.ts';
import type { TaskId } from '../../src/platform/task-id.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { AdOrderRecords } from '../../src/adservers/simulator/order-row.ts';
import { creativeKey } from '../../src/sales/creative/creative.ts';
import { dyingAt } from '../runtime/support/open-runtime.ts';
import type { StoreWrite } from '../support/store-hooks.ts';
import { describeOnStores } from '../support/stores.ts';
import { BUYER } from './support/calls.ts';
import type { Json } from './support/calls.ts';
import { bookTwoPackages, finish, LINE, startInterrupted } from './support/interrupted-agent.ts';
import type { InterruptedAgent } from './support/interrupted-agent.ts';

const PUSH = { push_notification_config: { url: 'http://127.0.0.1:9/webhooks', operation_id: 'op' } };
/** What a task's own row, and what is told of it, are written to. */
const OWN = ['task_runs', 'deliveries'];
const none = () => Promise.resolve(undefined);

describeOnStores('on %s, a cancel that comes at any write of', (store) => {
  let house: InterruptedAgent;
  beforeAll(async () => {
    house = await startInterrupted(store);
  });
  afterAll(() => house.close());

  const submit = (task_type: string, input: Json) =>
    house.agent.core.runtime.submit({ caller: BUYER, task_type, input: { ...input, ...PUSH } });

  /** Whether the task could be canceled; if not, that it says why not. */
  async function tryToCancel(task_id: TaskId): Promise<boolean> {
    try {
      return (await house.agent.core.runtime.cancel(BUYER, task_id)).state === 'canceled';
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const run = await house.agent.core.store.collection(TaskRuns).get(task_id);
      const since = run?.state === 'completed' ? undefined : { since: run?.committed_at };
      expect([error.code, error.details.details]).toEqual(['NOT_CANCELLABLE', since]);
      return false;
    }
  }

  /** A change to be made anew each time, and what of the seller's it changes. */
  interface Change {
    task_type: string;
    input: Json;
    look: () => Promise<unknown>;
    /** What is to be seen once it is made, by whichever task. */
    expectMade: (task_id: TaskId) => Promise<void>;
  }

  /** What became of cancels that came at writes of one run: `writes` are those at which the first and all later ones came. */
  interface Interrupted {
    writes: StoreWrite[];
    wasCanceled: boolean;
  }
  /** When the cancels come: at the n-th write and, unless it is in time, at all that follow; or when the process has been killed there. */
  type Interrupt = (task_id: TaskId, n: number) => Promise<Interrupted | undefined>;

  const holding =
    (moment: 'before' | 'after'): Interrupt =>
    async (task_id, n) => {
      const outcome: Interrupted = { writes: [], wasCanceled: false };
      let seen = 0;
      const hold = async (write: StoreWrite) => {
        if (++seen < n || outcome.wasCanceled) return;
        outcome.writes.push(write);
        outcome.wasCanceled = await tryToCancel(task_id);
        // What came too late once comes too late ever after.
        if (outcome.writes.length > 1) expect(outcome.wasCanceled).toBe(false);
      };
      await house.takeTurn(task_id, { [moment]: hold });
      return outcome.writes.length === 0 ? undefined : outcome;
    };

  // Killed before a write, a process leaves what it leaves when it is killed after the one before.
  const killing: Interrupt = async (task_id, n) => {
    const hooks = dyingAt('after', n);
    const collection = await Promise.race([hooks.died, house.takeTurn(task_id, hooks).then(() => undefined)]);
    if (collection === undefined) return undefined;
    return { writes: [{ collection, kind: 'update', key: '', n }], wasCanceled: await tryToCancel(task_id) };
  };

  /** Makes the change until a cancel has come at each write that it has: either nothing has happened or all of it, and a retry knows which. */
  async function expectTruthAtEveryWrite(change: () => Promise<Change>, interrupt: Interrupt): Promise<void> {
    const canceledAt: string[] = [];
    const refusedAt: string[] = [];
    for (let n = 1, isLast = false; !isLast; n++) {
      const { task_type, input: given, look, expectMade } = await change();
      const input = { ...given, idempotency_key: randomUUID() };
      const before = await look();
      const { task_id } = (await submit(task_type, input)).run;
      const outcome = await interrupt(task_id, n);
      const { state } = await finish(house.agent, task_id);
      const wasCanceled = outcome?.wasCanceled === true;
      expect(state).toBe(wasCanceled ? 'canceled' : 'completed');
      if (wasCanceled) expect(await look()).toEqual(before);
      else await expectMade(task_id);
      if (outcome === undefined) break;
      (wasCanceled ? canceledAt : refusedAt).push(...outcome.writes.map(({ collection }) => collection));
      isLast = outcome.writes.length > 1;
      const again = await submit(task_type, input);
      expect([again.replayed, again.run.task_id === task_id]).toEqual([!wasCanceled, !wasCanceled]);
      if (!wasCanceled) continue;
      expect((await finish(house.agent, again.run.task_id)).state).toBe('completed');
      await expectMade(again.run.task_id);
      expect((await submit(task_type, input)).run.task_id).toBe(again.run.task_id);
    }
    // A cancel was in time at some writes and too late at others, but never in time once anything else was written.
    expect(canceledAt).toContain('task_runs');
    expect(canceledAt.filter((collection) => !OWN.includes(collection))).toEqual([]);
    expect(refusedAt.filter((collection) => !OWN.includes(collection))).not.toEqual([]);
  }

  async function anUpdate(updates: Json, made: object, library: () => Promise<unknown> = none): Promise<Change> {
    const { media_buy_id } = await bookTwoPackages(house.agent);
    const { mediaBuys } = house.agent.core.sales;
    return {
      task_type: 'update_media_buy',
      input: { media_buy_id, updates },
      look: async () => [
        await mediaBuys.get(media_buy_id),
        await house.agent.core.store.collection(AdOrderRecords).get(media_buy_id),
        await library(),
      ],
      async expectMade(task_id) {
        const buy = await mediaBuys.get(media_buy_id);
        expect(buy).toMatchObject(made);
        expect(buy?.history.slice(1).map((event) => event.task_id)).toEqual([task_id]);
      },
    };
  }

  const raise = () => anUpdate({ budget_change: 100 }, { total_budget_minor: 1_010_000 });
  const grow = () => {
    const creative_id = `new-${randomUUID()}`;
    const format_id = { agent_url: house.agent.baseUrl, id: 'display_300x250' };
    const image = { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 };
    const creatives = [{ creative_id, name: 'Banner', format_id, assets: { image } }];
    const { creatives: library } = house.agent.core.sales;
    return anUpdate(
      { budget_change: 100, new_packages: [{ ...LINE, creatives }] },
      { total_budget_minor: 1_510_000, packages: [{}, {}, { creative_ids: [creative_id] }] },
      () => library.get(creativeKey(BUYER.organization_id, creative_id)),
    );
  };
  const end = () => anUpdate({ status: 'canceled' }, { status: 'canceled' });

  it.each([
    ['raises a budget and adds a package', grow],
    ['ends the buy', end],
  ])(
    '[T1.no-return] [B7.effect] [B6.new-packages] [I1] [I4] an update_media_buy that %s leaves nothing changed, or comes too late',
    async (_what, change) => {
      for (const moment of ['before', 'after'] as const) await expectTruthAtEveryWrite(change, holding(moment));
    },
    240_000,
  );

  it('[T1.no-return] [B7.effect] [I1] [I4] an update_media_buy whose process is killed there leaves nothing changed, or comes too late', async () => {
    await expectTruthAtEveryWrite(raise, killing);
  });

  /** All syncs assign to one buy. */
  let booked: ReturnType<typeof bookTwoPackages> | undefined;

  async function aSync(size: number): Promise<Change> {
    const { media_buy_id, packages } = await (booked ??= bookTwoPackages(house.agent));
    const ids = Array.from({ length: size }, (_, i) => `c${i}-${randomUUID()}`);
    const format_id = { agent_url: house.agent.baseUrl, id: 'display_300x250' };
    const image = { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 };
    const creatives = ids.map((creative_id) => ({ creative_id, name: 'Banner', format_id, assets: { image } }));
    const { creatives: library, mediaBuys } = house.agent.core.sales;
    const mine = () => library.getMany(ids.map((id) => creativeKey(BUYER.organization_id, id)));
    return {
      task_type: 'sync_creatives',
      input: { creatives, assignments: { [ids[0] ?? '']: packages } },
      look: async () => [await mine(), await mediaBuys.get(media_buy_id)],
      async expectMade(task_id) {
        const rows = await mine();
        expect(rows).toHaveLength(size);
        const causes = new Set(rows.flatMap(({ history }) => history.map((event) => event.task_id)));
        expect([...causes]).toEqual([task_id]);
        const buy = await mediaBuys.get(media_buy_id);
        expect(buy?.packages.map(({ creative_ids }) => creative_ids.at(-1))).toEqual([ids[0], ids[0]]);
        const own = buy?.history.filter((event) => event.task_id === task_id) ?? [];
        expect(own.map(({ action }) => action)).toEqual(['creatives_assigned']);
      },
    };
  }

  it('[T1.no-return] [B7.effect] [B11] a sync_creatives of 50 stores none of them, or comes too late', async () => {
    await expectTruthAtEveryWrite(() => aSync(50), holding('before'));
  }, 600_000);

  it('[T1.no-return] [B7.effect] [B11] a sync_creatives whose process is killed there stores nothing, or comes too late', async () => {
    await expectTruthAtEveryWrite(() => aSync(2), killing);
    for (const moment of ['before', 'after'] as const) await expectTruthAtEveryWrite(() => aSync(2), holding(moment));
  });

  it('[T1.no-return] [B11] a dry run of sync_creatives is in time until the end, since it writes nothing', async () => {
    const { input, look } = await aSync(3);
    const before = await look();
    for (let n = 1; ; n++) {
      const { task_id } = (await submit('sync_creatives', { ...input, dry_run: true })).run;
      const outcome = await holding('before')(task_id, n);
      const { state, committed_at } = await finish(house.agent, task_id);
      expect([committed_at, await look()]).toEqual([null, before]);
      if (outcome?.wasCanceled !== true) {
        expect(state).toBe('completed');
        break;
      }
      expect(state).toBe('canceled');
    }
  });

  it('[T1.no-return] a sync_creatives that is refused in its middle is not failed, but owed until it is whole', async () => {
    const { input, expectMade } = await aSync(3);
    const { task_id } = (await submit('sync_creatives', input)).run;
    let stored = 0;
    await house.takeTurn(task_id, {
      before({ collection }) {
        if (collection === 'creatives' && ++stored === 2) throw new AppError('CONFLICT', 'as it may be');
      },
    });
    const run = await house.agent.core.store.collection(TaskRuns).get(task_id);
    expect(run).toMatchObject({ state: 'working', faults: 1 });
    expect((await finish(house.agent, task_id)).state).toBe('completed');
    await expectMade(task_id);
  });
});

describeOnStores('on %s, an update_media_buy that is committed when another change comes first', (store) => {
  let house: InterruptedAgent;
  beforeAll(async () => {
    house = await startInterrupted(store);
  });
  afterAll(() => house.close());

  /** An update by a task whose write of the buy another update comes before, which takes hold. */
  async function overtaken(more: Json) {
    const { runtime, sales } = house.agent.core;
    const { media_buy_id } = await bookTwoPackages(house.agent);
    const update = async (input: Json) =>
      (await runtime.submit({ caller: BUYER, task_type: 'update_media_buy', input: { media_buy_id, ...input } })).run;
    const input = { updates: { budget_change: 100 }, idempotency_key: randomUUID(), ...more };
    const { task_id } = await update(input);
    let other: TaskId | undefined;
    await house.takeTurn(task_id, {
      async before({ collection }) {
        if (collection !== 'media_buys' || other !== undefined) return;
        other = (await update({ updates: { budget_change: 1 } })).task_id;
        expect((await finish(house.agent, other)).state).toBe('completed');
        await expect(runtime.cancel(BUYER, task_id)).rejects.toMatchObject({ code: 'NOT_CANCELLABLE' });
      },
    });
    const run = await finish(house.agent, task_id);
    const buy = await sales.mediaBuys.get(media_buy_id);
    const causes = buy?.history.slice(1).map((event) => (event.task_id === other ? 'other' : 'own'));
    return { run, buy, causes, again: () => update(input) };
  }

  it('[T1.no-return] completes over it', async () => {
    const { run, buy, causes } = await overtaken({});
    expect([run.state, buy?.total_budget_minor, causes]).toEqual(['completed', 1_010_100, ['other', 'own']]);
  });

  it('[T1.no-return] [B7.effect] fails where it named the revision before, with nothing changed and its key free', async () => {
    const { run, buy, causes, again } = await overtaken({ revision: 2 });
    expect([run.state, buy?.total_budget_minor, causes]).toEqual(['failed', 1_000_100, ['other']]);
    await expect(again()).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
