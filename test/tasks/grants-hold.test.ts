import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppError } from '../../src/platform/errors.ts';
import type { TaskId } from '../../src/platform/task-id.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import type { Approval } from '../../src/sales/approval/approval.ts';
import { isOpen } from '../../src/sales/approval/approval.ts';
import type { MediaBuy } from '../../src/sales/media-buy/media-buy.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { begin } from './support/calls.ts';
import type { Json } from './support/calls.ts';

const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);
const LIMIT_MINOR = 1_000_000;
const DAY_MS = 86_400_000;

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false, env: { APPROVAL_OVER: `USD:${LIMIT_MINOR / 100}` } });
});
afterAll(() => agent.stop());

/** What a buyer asks for. `line`: 0 or 1. Days from now. */
interface Wish {
  budget?: { line: number; by: number };
  endDay?: number;
  start?: 'asap' | number;
  country?: string;
}

/** The terms that matter, told apart from how the product reckons them. */
interface Terms {
  budgets: number[];
  start: string;
  end: string;
  overlays: string[];
}

type Step =
  | { do: 'ask'; wish: Wish; isRun: boolean }
  | { do: 'turn'; of: number }
  | { do: 'approve'; of: number; on: 'asked' | 'shown' | 'seen before' }
  | { do: 'reject'; of: number };

const termsOf = ({ packages, start_time, end_time }: MediaBuy): Terms => ({
  budgets: packages.map(({ budget_minor }) => budget_minor),
  start: start_time,
  end: end_time,
  overlays: packages.map(({ targeting_overlay }) => JSON.stringify(targeting_overlay)),
});

/** One buy, everything asked about it, and an account of what people granted that owes nothing to the product's. */
class Story {
  readonly #buy: MediaBuy;
  readonly #t0 = Date.now();
  readonly #tasks: { task_id: TaskId; wish: Wish }[] = [];
  /** The terms that an approval was asked with. */
  readonly #asked = new Map<string, Terms>();
  readonly #granted = new Map<TaskId, Terms>();
  readonly #seen = new Map<string, string>();
  changes = 0;

  constructor(buy: MediaBuy) {
    this.#buy = buy;
  }

  async tell(step: Step): Promise<void> {
    if (step.do === 'ask') return this.#ask(step.wish, step.isRun);
    if (step.do === 'turn') {
      const task = this.#tasks[step.of % (this.#tasks.length || 1)];
      return task && this.#turn(task);
    }
    const open = await this.open();
    const approval = open[step.of % (open.length || 1)];
    if (approval === undefined) return;
    if (step.do === 'approve') await this.#approve(approval, step.on);
    else await agent.core.approvals.reject(approval.approval_id, { by: 'ann', reason: 'no' });
  }

  async open(): Promise<Approval[]> {
    return (await this.approvals()).filter(isOpen);
  }

  async approvals(): Promise<Approval[]> {
    const { media_buy_id } = this.#buy;
    return (await agent.core.sales.approvals.find({ where: { media_buy_id }, limit: 1000 })).rows;
  }

  async runAll(): Promise<void> {
    for (const task of this.#tasks) await this.#turn(task);
  }

  /** Each round was told to the buyer once, and only the last one of a task counts. */
  async expectRoundsTold(): Promise<void> {
    const all = await this.approvals();
    for (const { task_id } of this.#tasks) {
      const rounds = all.filter((row) => row.task_id === task_id).sort((a, b) => a.round - b.round);
      expect(rounds.map(({ round }) => round)).toEqual(rounds.map((_row, i) => i + 1));
      expect(rounds.slice(0, -1).filter(({ status }) => status !== 'superseded')).toEqual([]);
      expect(rounds.at(-1)?.status).not.toBe('superseded');
      const run = await agent.core.store.collection(TaskRuns).get(task_id);
      const steps = (run?.events ?? []).flatMap((event) =>
        event.kind === 'status' && event.message.startsWith('waiting for approval') ? [event.message] : [],
      );
      expect(steps).toHaveLength(rounds.length);
      expect(new Set(steps).size).toBe(steps.length);
    }
  }

  async #ask(wish: Wish, isRun: boolean): Promise<void> {
    const { budget, endDay, start, country } = wish;
    const at = (day: number) => new Date(this.#t0 + day * DAY_MS).toISOString();
    const updates: Json = {
      ...(budget && {
        budget_change: { package_id: this.#buy.packages[budget.line]?.package_id, amount: budget.by },
      }),
      ...(endDay !== undefined && { end_time: at(endDay) }),
      ...(start !== undefined && { start_time: start === 'asap' ? 'asap' : at(start) }),
      ...(country !== undefined && { targeting: { geo: { countries: [country] } } }),
    };
    const { media_buy_id } = this.#buy;
    const run = await unlessRefused(begin(agent, 'update_media_buy', { media_buy_id, updates }));
    if (run === undefined) return;
    const task = { task_id: run.task_id, wish };
    this.#tasks.push(task);
    if (isRun) await this.#turn(task);
  }

  async #turn(task: { task_id: TaskId; wish: Wish }): Promise<void> {
    const { task_id, wish } = task;
    const before = await this.#now();
    const run = await agent.core.store.collection(TaskRuns).get(task_id);
    if (run?.run_due_at != null) await agent.core.runtime.execute({ task_id, turn: run.turn }, NEVER);
    const after = await this.#now();
    const expected = this.#after(before, wish);
    const rounds = (await this.approvals()).filter((row) => row.task_id === task_id);
    for (const { approval_id } of rounds) {
      if (!this.#asked.has(approval_id)) this.#asked.set(approval_id, expected);
    }
    if (after.history.every((event) => event.task_id !== task_id || event.action !== 'updated')) return;
    if (before.history.some((event) => event.task_id === task_id)) return;
    this.changes += 1;
    const made = { ...termsOf(after), ...(wish.start === 'asap' && { start: 'asap' }) };
    expect(made).toEqual(expected);
    const isRaise = after.total_budget_minor > before.total_budget_minor;
    const granted = this.#granted.get(task_id);
    if (isRaise && after.total_budget_minor > LIMIT_MINOR) expect(granted).toBeDefined();
    if (rounds.length === 0) return;
    expect({ ...made, budgets: [] }).toEqual({ ...granted, budgets: [] });
    for (const [i, budget] of made.budgets.entries()) expect(budget).toBeLessThanOrEqual(granted?.budgets[i] ?? -1);
    expect(after.history.filter((event) => event.task_id === task_id && event.action === 'approved')).toMatchObject([
      { actor: 'seller', by: 'ann' },
    ]);
  }

  async #approve({ approval_id, task_id }: Approval, on: 'asked' | 'shown' | 'seen before'): Promise<void> {
    const { body } = await operate(agent, 'GET', `/approvals/${approval_id}`);
    const digest = (body['terms_now'] as { digest: string } | null)?.digest;
    const earlier = this.#seen.get(approval_id) ?? digest;
    if (digest !== undefined) this.#seen.set(approval_id, digest);
    const wish = this.#tasks.find((task) => task.task_id === task_id)?.wish ?? {};
    const sent = { asked: undefined, shown: digest, 'seen before': earlier }[on];
    const now = this.#after(await this.#now(), wish);
    const decided = await unlessRefused(agent.core.approvals.approve(approval_id, { by: 'ann', digest: sent }));
    if (decided === undefined) {
      expect(sent === undefined || sent !== digest).toBe(true);
      return;
    }
    this.#granted.set(task_id, sent === undefined ? (this.#asked.get(approval_id) ?? now) : now);
  }

  async #now(): Promise<MediaBuy> {
    const buy = await agent.core.sales.mediaBuys.get(this.#buy.media_buy_id);
    if (buy === undefined) throw new Error('the buy is gone');
    return buy;
  }

  /** What a wish makes of a buy. */
  #after(buy: MediaBuy, { budget, endDay, start, country }: Wish): Terms {
    const terms = termsOf(buy);
    const at = (day: number) => new Date(this.#t0 + day * DAY_MS).toISOString();
    return {
      budgets: terms.budgets.map((minor, i) => (i === budget?.line ? minor + budget.by * 100 : minor)),
      start: start === undefined ? terms.start : start === 'asap' ? 'asap' : at(start),
      end: endDay === undefined ? terms.end : at(endDay),
      overlays:
        country === undefined
          ? terms.overlays
          : terms.overlays.map(() => JSON.stringify({ geo: { countries: [country] } })),
    };
  }
}

/** Undefined for what is refused. */
function unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
}

async function newBuy(): Promise<MediaBuy> {
  const example = agent.core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
  const line = { product_id: 'native_in_feed', pricing_option_id: 'native_fixed_usd', budget: 3000 };
  const at = (day: number) => new Date(Date.now() + day * DAY_MS).toISOString();
  const buyer_ref = `campaign-${agent.core.ids.newId()}`;
  const dates = { start_time: at(6), end_time: at(40) };
  const { task_id, turn } = await begin(agent, 'create_media_buy', {
    ...{ ...example, buyer_ref, ...dates },
    packages: [line, line],
  });
  await agent.core.runtime.execute({ task_id, turn }, NEVER);
  const buy = await agent.core.sales.mediaBuys.get(MediaBuyId.parse(`mb_${task_id.replaceAll('-', '')}`));
  if (buy === undefined) throw new Error('no buy was made');
  return buy;
}

const budget = (min: number, max: number) => fc.record({ line: fc.nat(1), by: fc.integer({ min, max }) });
const wish: fc.Arbitrary<Wish> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ budget: budget(1000, 9000) }) },
  { weight: 2, arbitrary: fc.record({ budget: budget(-900, -1) }) },
  { weight: 1, arbitrary: fc.record({ endDay: fc.integer({ min: 30, max: 32 }) }) },
  { weight: 1, arbitrary: fc.record({ start: fc.integer({ min: 4, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ country: fc.constantFrom('US', 'CA') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      budget: budget(2000, 9000),
      endDay: fc.integer({ min: 30, max: 32 }),
      start: fc.constantFrom('asap' as const, 5),
    }),
  },
);
const of = fc.nat(9);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('ask' as const), wish, isRun: fc.constantFrom(true, true, false) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('turn' as const), of }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('approve' as const),
      of,
      on: fc.constantFrom('asked' as const, 'shown' as const, 'seen before' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reject' as const), of }) },
);

/** A raise waits; a further one passes by itself; the first is approved as it was asked. */
const OVERTAKEN: Step[] = [
  { do: 'ask', wish: { budget: { line: 0, by: 9000 } }, isRun: true },
  { do: 'ask', wish: { budget: { line: 0, by: 3000 } }, isRun: true },
  { do: 'approve', of: 0, on: 'asked' },
  { do: 'turn', of: 0 },
];

/** Less money in all than was granted, and more of it in one package. */
const SHIFTED: Step[] = [
  { do: 'ask', wish: { budget: { line: 0, by: 9000 } }, isRun: true },
  { do: 'ask', wish: { budget: { line: 0, by: 500 } }, isRun: true },
  { do: 'ask', wish: { budget: { line: 1, by: -900 } }, isRun: true },
  { do: 'approve', of: 0, on: 'asked' },
  { do: 'turn', of: 0 },
];

it('[B15] [I8] whatever is asked, changed, moved and decided in whatever order, what is made is what a person granted', async () => {
  let changes = 0;
  let asks = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
      const story = new Story(await newBuy());
      for (const one of steps) await story.tell(one);
      await story.runAll();
      // Nobody moves any more: everything that waits is approved in turn until nothing does.
      for (let open = await story.open(); open.length > 0; open = await story.open()) {
        await story.tell({ do: 'approve', of: 0, on: 'asked' });
        await story.runAll();
      }
      await story.expectRoundsTold();
      changes += story.changes;
      asks += (await story.approvals()).filter(({ status }) => status === 'superseded').length;
    }),
    { numRuns: 20, examples: [[OVERTAKEN], [SHIFTED]] },
  );
  expect(changes).toBeGreaterThan(0);
  expect(asks).toBeGreaterThan(0);
});
