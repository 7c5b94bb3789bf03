import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describeOnStores } from '../support/stores.ts';
import type { StoreKind } from '../support/stores.ts';
import { takeBuyerStep } from './support/buyer-steps.ts';
import { rest } from './support/rest.ts';
import type { BuyerStep, Change } from './support/step.ts';
import { beginWalk, buysOf } from './support/world.ts';
import type { Walk } from './support/world.ts';
import { work } from './support/work-steps.ts';

const BUYS = 3;
const BUY = {
  do: 'create',
  lines: 2,
  isLarge: false,
  startsIn: 0,
  hours: 24 * 30,
  creative: 1,
  isTargeted: false,
} as const;
const TERMS: readonly Change[] = ['raise', 'cut', 'pause_line', 'resume_line', 'target', 'creatives'];

const change = fc.record({
  buy: fc.nat({ max: BUYS - 1 }),
  change: fc.constantFrom(...TERMS),
  line: fc.nat({ max: 1 }),
  /** Little enough that no cut meets what is spent by then. */
  amount: fc.integer({ min: 1, max: 9_000 }),
  /** What is worked off before the next. */
  minutesLater: fc.constantFrom(0, 0, 1, 30),
});
const story = fc.record({
  before: fc.array(change, { maxLength: 2 }),
  meanwhile: fc.array(change, { minLength: 2, maxLength: 8 }),
  newBuys: fc.nat({ max: 2 }),
  stops: fc.array(fc.record({ buy: fc.nat({ max: BUYS - 1 }), change: fc.constantFrom<Change>('pause', 'cancel') }), {
    maxLength: 2,
  }),
  hours: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 6, max: 72 })),
});
type Story = typeof story extends fc.Arbitrary<infer S> ? S : never;

describeOnStores('after an ad server on %s', (store) => {
  it('[I13] was away for any time, orders there and buys here stand as if it had not been', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        expect(await play(store, told, true)).toEqual(await play(store, told, false));
      }),
      { numRuns: store === 'sqlite' ? 4 : 2 },
    );
  }, 1_800_000);
});

/** What a story comes to, with an ad server that is away in its middle or one that is not. */
async function play(store: StoreKind, told: Story, isAway: boolean) {
  const one = await beginWalk(store, 'away');
  try {
    return await tell(one, told, isAway);
  } finally {
    await one.agent.close();
  }
}

async function tell(one: Walk, told: Story, isAway: boolean) {
  const { agent, ledger, buyer } = one;
  const all = () => work(agent, ledger, buyer, { do: 'all' });
  const ask = (
    step: Pick<Extract<BuyerStep, { do: 'update' }>, 'buy' | 'change'> & { line?: number; amount?: number },
  ) => takeBuyerStep(buyer, { do: 'update', line: 0, amount: 1, namesRevision: false, ...step });
  const change = async ({ minutesLater, ...step }: Story['before'][number]) => {
    await ask(step);
    agent.clock.advance(minutesLater * 60_000);
    await all();
  };
  const buy = () => takeBuyerStep(buyer, { ...BUY, tells: false, mark: '' });
  for (let n = 0; n < BUYS; n++) await buy();
  await rest(one, () => undefined);
  for (const step of told.before) await change(step);
  await rest(one, () => undefined);
  if (isAway) agent.adServer.link('away', 0);
  for (const step of told.meanwhile) await change(step);
  for (let n = 0; n < told.newBuys; n++) await buy();
  for (let hour = 0; hour < told.hours; hour += 6) {
    agent.clock.advance(Math.min(6, told.hours - hour) * 3_600_000);
    await all();
  }
  for (const step of told.stops) await ask(step);
  await all();
  await rest(one, () => undefined);
  return buysOf(one).map(({ media_buy_id, status, total_budget_minor, packages }) => {
    const there = ledger.arrivals.taken(media_buy_id).at(-1);
    if (status === 'canceled') return { status, there: there?.state };
    const lines = there?.lines.map(({ budget_minor, state, targeting, creatives }) => {
      return { budget_minor, state, targeting, creatives };
    });
    const ours = packages.map(({ budget_minor, paused, targeting_overlay }) => ({
      budget_minor,
      paused,
      targeting_overlay,
    }));
    return { status, total_budget_minor, ours, there: there?.state, lines };
  });
}
