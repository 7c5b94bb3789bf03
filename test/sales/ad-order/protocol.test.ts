import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AdOrder } from '../../../src/sales/ad-server/ad-order.ts';
import { heard } from '../../../src/sales/ad-order/hear.ts';
import { refusedAs, withVerdict } from '../../../src/sales/ad-order/verdict.ts';
import type { Decision } from '../../../src/sales/ad-order/hear.ts';
import { BY_SYSTEM, hasOpen, hasPart, withOpenChange, withStop } from '../../../src/sales/ad-order/open.ts';
import type { Planning } from '../../../src/sales/ad-order/open.ts';
import { settled } from '../../../src/sales/ad-order/settled.ts';
import { adOrderOf, adOrderStateOf } from '../../../src/sales/ad-order/ad-order-of.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { addedPackageId, mediaBuyIdOfPackage } from '../../../src/sales/media-buy/package-id.ts';
import { isTerminalBuy, overRefusal } from '../../../src/sales/media-buy/transitions.ts';
import { TaskId } from '../../../src/platform/task-id.ts';
import { sampleMediaBuy } from '../support/sample-media-buy.ts';

const AT = '2026-04-02T00:00:00.000Z';

/** As ads run: the buy is in its flight, and its creatives may be shown. */
const LOOK: Planning = {
  readiness: { nowMs: Date.parse(AT), creativeStatus: () => 'approved' },
  facts: { ad_server_id: 'default', approvedVersion: () => 1, configOf: () => ({}) },
  at: AT,
  inHandUntil: AT,
};

const DONE: Decision = { outcome: 'done', native: { order: 'n', lines: {}, creatives: {} }, lines: [] };

/** An ad server that keeps P1, P2, P3 and P6, and refuses the versions it is told to. */
class Holder {
  readonly taken: AdOrder[] = [];
  readonly answers = new Map<number, Decision>();
  readonly #digests = new Map<number, string>();
  /** Lines that an order no longer named: they have ended, for good. */
  readonly #gone = new Set<string>();
  put(order: AdOrder, refuses: boolean): Decision {
    const { version, digest } = order;
    const under = this.#digests.get(version) ?? digest;
    expect({ version, digest }, 'one order under a version').toEqual({ version, digest: under });
    this.#digests.set(version, digest);
    const known = this.answers.get(order.version);
    if (known !== undefined) return known;
    const highest = Math.max(0, ...this.answers.keys());
    if (order.version < highest) return { outcome: 'stale', version: highest };
    const isOver = this.taken.at(-1)?.state === 'ended' && order.state !== 'ended';
    const isStop = order.state === 'ended' || order.state === 'paused';
    const decision: Decision =
      isOver || (refuses && !isStop)
        ? { outcome: 'refused', reasons: [{ code: 'other', pointer: '', message: 'not so' }] }
        : DONE;
    this.answers.set(order.version, decision);
    if (decision.outcome === 'done') this.take(order);
    return decision;
  }

  private take(order: AdOrder): void {
    const named = order.lines.map(({ package_id }) => package_id);
    expect(
      named.filter((package_id) => this.#gone.has(package_id)),
      'lines that have ended',
    ).toEqual([]);
    for (const { package_id } of this.taken.at(-1)?.lines ?? []) {
      if (!named.includes(package_id)) this.#gone.add(package_id);
    }
    this.taken.push(order);
  }
}

type Step =
  | { do: 'update' | 'pause' | 'cancel'; task: number }
  | { do: 'settle' | 'send' }
  | { do: 'arrive' | 'repeat' | 'lose'; which: number; refuses: boolean }
  | { do: 'hear' | 'miss'; which: number };

const task = fc.nat({ max: 5 });
const which = fc.nat({ max: 8 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('update' as const), task }),
  fc.record({ do: fc.constantFrom('pause' as const, 'cancel' as const), task: fc.nat({ max: 9 }) }),
  fc.record({ do: fc.constantFrom('settle' as const, 'send' as const) }),
  fc.record({
    do: fc.constantFrom('arrive' as const, 'repeat' as const, 'lose' as const),
    which,
    refuses: fc.boolean(),
  }),
  fc.record({ do: fc.constantFrom('hear' as const, 'miss' as const), which }),
);

/** A buy, its ad server, and the messages between them. */
class World {
  buy: MediaBuy;
  readonly adServer = new Holder();
  puts: AdOrder[] = [];
  answers: { version: number; decision: Decision }[] = [];
  readonly addedBy = new Map<string, number>();
  readonly base: number;

  constructor() {
    const { packages, ...buy } = sampleMediaBuy({ status: 'active', pending_reason: null });
    const first = { ...buy, packages, ad_version: 1 };
    const order = adOrderOf(first, 'running', 1, LOOK.facts);
    this.buy = { ...first, held: { version: 1, digest: order.digest, state: 'running' } };
    this.adServer.put(order, false);
    this.base = first.total_budget_minor;
  }

  do(taken: Step): void {
    switch (taken.do) {
      case 'update':
        this.update(taken.task);
        return;
      case 'pause':
      case 'cancel':
        this.stop(taken.task, taken.do === 'pause' ? 'paused' : 'canceled');
        return;
      case 'settle':
        this.buy = settled(this.buy, LOOK) ?? this.buy;
        return;
      case 'send': {
        const order = this.buy.stop?.order ?? this.buy.open_change?.order;
        if (order) this.puts.push(order);
        return;
      }
      case 'arrive':
      case 'repeat':
      case 'lose': {
        const order = this.puts[taken.which % (this.puts.length || 1)];
        if (order === undefined) return;
        if (taken.do !== 'repeat') this.puts = this.puts.filter((one) => one !== order);
        if (taken.do === 'lose') return;
        this.answers.push({ version: order.version, decision: this.adServer.put(order, taken.refuses) });
        return;
      }
      case 'hear':
      case 'miss': {
        const answer = this.answers[taken.which % (this.answers.length || 1)];
        if (answer === undefined) return;
        this.answers = this.answers.filter((one) => one !== answer);
        if (taken.do === 'hear') this.hear(answer.version, answer.decision);
      }
    }
  }

  /** Lets everything come to its end, as a courier would. */
  finish(): void {
    for (let round = 0; round < 50; round++) {
      this.buy = settled(this.buy, LOOK) ?? this.buy;
      const order = this.buy.stop?.order ?? this.buy.open_change?.order;
      if (!order) return;
      this.hear(order.version, this.adServer.put(order, false));
    }
    expect.fail('the buy never comes to rest');
  }

  hear(version: number, decision: Decision): void {
    this.buy = heard(this.buy, version, decision, LOOK) ?? this.buy;
  }

  update(n: number): void {
    const task_id = idOf(n);
    if (this.buy.verdicts?.[task_id] !== undefined || hasPart(this.buy, task_id)) return;
    const over = overRefusal(this.buy);
    if (over !== undefined) {
      this.buy = withVerdict(this.buy, task_id, refusedAs(over, AT));
      return;
    }
    const [line] = this.buy.packages;
    if (hasOpen(this.buy) || line === undefined) return;
    const added = 1_000 + 2 ** n;
    this.addedBy.set(task_id, added);
    const { media_buy_id } = this.buy;
    const fresh = { ...line, package_id: addedPackageId(media_buy_id, task_id, 1), budget_minor: added };
    const packages = [{ package_id: line.package_id, budget_minor: line.budget_minor + added }];
    const change =
      n % 2 === 1
        ? { packages: [], new_packages: [fresh], affected_packages: [fresh.package_id], changes: ['new_packages'] }
        : { packages, affected_packages: [line.package_id], changes: ['packages'] };
    this.buy = withOpenChange(this.buy, { kind: 'update', task_id, change }, LOOK);
  }

  stop(n: number, to_status: 'paused' | 'canceled'): void {
    const task_id = idOf(100 + n);
    if (this.buy.verdicts?.[task_id] !== undefined || hasPart(this.buy, task_id) || isTerminalBuy(this.buy.status))
      return;
    const cause = { task_id, to_status, action: to_status, actor: 'buyer' as const, note: null };
    this.buy = withStop(this.buy, cause, LOOK);
  }
}

function idOf(n: number): TaskId {
  return TaskId.parse(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
}

describe('telling an ad server by version', () => {
  test('[I1] [I2] [I3] [I4] [I5] [I6] [I12] whatever is lost, doubled, late or refused: each change holds once or not at all, as its task is told', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const world = new World();
        for (const one of steps) {
          const before = world.buy;
          world.do(one);
          expect(world.buy.ad_version ?? 0).toBeGreaterThanOrEqual(before.ad_version ?? 0);
        }
        world.finish();
        const { buy, adServer } = world;
        const versions = adServer.taken.map(({ version }) => version);
        expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
        expect(hasOpen(buy)).toBe(false);
        for (const task_id of world.addedBy.keys()) expect(buy.verdicts?.[TaskId.parse(task_id)]).toBeDefined();
        const done = [...world.addedBy].filter(([id]) => buy.verdicts?.[TaskId.parse(id)]?.outcome === 'done');
        const sum = done.reduce((total, [, added]) => total + added, world.base);
        expect(buy.total_budget_minor).toBe(sum);
        // What its buyer was told of is there, each once.
        const told = buy.history.flatMap(({ new_packages = [] }) => new_packages);
        expect(told).toHaveLength(done.filter(([id]) => Number(id.slice(-1)) % 2 === 1).length);
        const ids = buy.packages.map(({ package_id }) => package_id);
        expect([...new Set(ids)]).toEqual(ids);
        expect(ids.slice(2)).toEqual(told);
        for (const id of told) expect(mediaBuyIdOfPackage(id)).toBe(buy.media_buy_id);
        const last = adServer.taken.at(-1);
        expect(last?.digest).toBe(adOrderOf(buy, adOrderStateOf(buy), 1, LOOK.facts).digest);
        expect(buy.held?.version).toBe(last?.version);
      }),
      { numRuns: 300 },
    );
  });

  test('an answer counts for the version that is open now, and for no other (I2)', () => {
    const world = new World();
    world.update(1);
    world.hear(2, DONE);
    world.update(2);
    expect([world.buy.ad_version, heard(world.buy, 2, DONE, LOOK)]).toEqual([3, undefined]);
    world.stop(1, 'paused');
    for (const version of [2, 3, 5]) expect(heard(world.buy, version, DONE, LOOK)).toBeUndefined();
    expect(heard(world.buy, 4, DONE, LOOK)).toMatchObject({ status: 'paused', stop: null });
  });

  test('each task keeps its verdict, whatever comes of the others, so that no late turn opens its change again (I3)', () => {
    const world = new World();
    for (const n of [1, 2, 3]) {
      world.update(n);
      const order = world.buy.open_change?.order;
      if (order) world.hear(order.version, world.adServer.put(order, n < 3));
    }
    expect(Object.values(world.buy.verdicts ?? {}).map(({ outcome }) => outcome)).toEqual([
      'refused',
      'refused',
      'done',
    ]);
    for (const n of [1, 2, 3]) world.update(n);
    expect(hasOpen(world.buy)).toBe(false);
  });

  test('[B6.new-packages] a package that a stop may have ended is told by another id after it', () => {
    const world = new World();
    world.update(1);
    const first = world.buy.open_change?.order;
    if (!first) throw new Error('nothing is open');
    world.adServer.put(first, false);
    world.stop(1, 'paused');
    world.finish();
    const { history, packages, dropped_packages, verdicts } = world.buy;
    const [id = ''] = history.flatMap(({ new_packages = [] }) => new_packages);
    expect(verdicts?.[idOf(1)]).toMatchObject({ outcome: 'done' });
    expect(packages.map(({ package_id }) => package_id)).toEqual([
      ...packages.slice(0, 2).map((one) => one.package_id),
      id,
    ]);
    expect(dropped_packages).toEqual([first.lines[2]?.package_id]);
    expect(dropped_packages).not.toContain(id);
  });

  test('a resumption that a stop has come before resumes nothing after it', () => {
    const world = new World();
    const paused = { ...world.buy, status: 'paused' as const };
    const change = { status: 'active' as const, packages: [], affected_packages: [], changes: ['status'] };
    const resumed = withOpenChange(paused, { kind: 'update', task_id: idOf(1), change }, LOOK);
    expect(resumed.open_change?.order?.state).toBe('running');
    const stopped = withStop(resumed, { ...BY_SYSTEM, to_status: 'paused' }, LOOK);
    const after = heard(stopped, stopped.stop?.order.version ?? 0, DONE, LOOK);
    expect(after?.open_change?.order?.state).toBe('paused');
  });

  test('an order of which the ad server knows a higher version goes on above that, a stop likewise (P2)', () => {
    const world = new World();
    world.update(1);
    const stale = { outcome: 'stale', version: 40 } as const;
    const planned = heard(world.buy, world.buy.ad_version ?? 0, stale, LOOK);
    expect(planned?.open_change?.order?.version).toBe(41);
    world.stop(1, 'paused');
    const stopped = heard(world.buy, world.buy.stop?.order.version ?? 0, stale, LOOK);
    expect(stopped?.stop).toMatchObject({ order: { version: 41, state: 'paused' }, causes: [{ task_id: idOf(101) }] });
  });

  test('a refusal for another reason than the buy is over is what the task answers', () => {
    const world = new World();
    world.update(1);
    const order = world.buy.open_change?.order;
    if (!order) throw new Error('nothing is open');
    world.hear(order.version, world.adServer.put(order, true));
    expect(world.buy.verdicts?.[idOf(1)]).toMatchObject({ outcome: 'refused', error: { code: 'AD_SERVER_REJECTED' } });
    expect(world.buy.total_budget_minor).toBe(world.base);
  });
});
