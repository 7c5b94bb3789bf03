import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StatementRow } from '../../../src/sales/ad-server/statement.ts';
import type { BuyTerms, LineTerms } from '../../../src/sales/statement/buy-terms.ts';
import { openBook } from '../../../src/sales/statement/open-book.ts';
import { recordStatement } from '../../../src/sales/statement/record-statement.ts';
import { mortal } from '../../reporting/support/mortal-store.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { bookedFacts, hourAt, openFacts, START, statementOf } from './support/open-facts.ts';
import type { OpenFacts } from './support/open-facts.ts';
import { expectTrue, expectWithinBudget, FLIGHT_HOURS, partsOf, snapshot } from './support/stated-world.ts';
import type { World } from './support/stated-world.ts';

/** For how long an hour may be stated otherwise. */
const RESTATES_HOURS = 30;

/** A new count of an hour, by how many hours before the look it began. */
const count = fc.record({
  ago: fc.integer({ min: 1, max: RESTATES_HOURS }),
  line: fc.integer({ min: 0, max: 1 }),
  impressions: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 9000 })),
});

const look = fc.record({
  hours: fc.integer({ min: 0, max: 20 }),
  counts: fc.array(count, { maxLength: 12 }),
  /** What the buyer does before it. */
  change: fc.option(
    fc.oneof(
      fc.record({ to: fc.constant('rate' as const), of: fc.integer({ min: 1, max: 3000 }) }),
      fc.record({ to: fc.constant('budget' as const), of: fc.integer({ min: 0, max: 9000 }) }),
    ),
    { nil: undefined, freq: 3 },
  ),
  /** At which of its writes the process dies, if it does. */
  dies: fc.option(fc.record({ at: fc.integer({ min: 1, max: 8 }), when: fc.constantFrom('before', 'after') }), {
    nil: undefined,
    freq: 2,
  }),
  /** Another process records the same or an older statement at the same time. */
  isDoubled: fc.boolean(),
  lies: fc.option(fc.constantFrom('negative', 'foreign', 'back'), { nil: undefined, freq: 5 }),
});

const story = fc.record({
  looks: fc.array(look, { minLength: 3, maxLength: 8 }),
  models: fc.tuple(
    fc.constantFrom<LineTerms['model'][]>('cpm', 'cpc', 'vcpm', 'cpcv', 'cpm-auction'),
    fc.constantFrom<LineTerms['model'][]>('cpm', 'flat-fee'),
  ),
  spend: fc.constantFrom('stated' as const, 'computed' as const),
  offset_minutes: fc.constantFrom(0, 30, 345),
  budget_minor: fc.integer({ min: 0, max: 20_000 }),
});

type Story = typeof story extends fc.Arbitrary<infer S> ? S : never;

describeOnStores('on %s', (kind) => {
  it('[I10] [I7] the book is the last statement hour by hour, corrections explain each difference, and nothing is billed beyond the budget in force, whoever dies when', async () => {
    const open = await openFacts(kind);
    let told = 0;
    await fc.assert(
      fc.asyncProperty(story, async (drawn) => {
        await play(open, drawn, mediaBuyId(`mb_${++told}`));
      }),
      { numRuns: kind === 'sqlite' ? 7 : 4 },
    );
    await open.close();
  });
});

async function play(open: OpenFacts, drawn: Story, media_buy_id: BuyTerms['media_buy_id']): Promise<void> {
  const past = (drawn.offset_minutes % 60) / 60;
  const described = { offset_minutes: drawn.offset_minutes, spend: drawn.spend };
  const lines = drawn.models.map((model, i): LineTerms => {
    const base = { package_id: `pkg_${i}`, model, start: START, end: hourAt(FLIGHT_HOURS), forecast_per_hour: 1e6 };
    return { ...base, prices: [{ from: START, rate_minor: 700 + i }], budget_minor: drawn.budget_minor };
  });
  const terms: BuyTerms = { media_buy_id, created_at: START, now: START, lines };
  const world: World = { terms, counts: new Map(), said: new Map(), at: 0, completed: 0 };
  for (const step of drawn.looks) {
    world.at += step.hours;
    await change(open, world, step.change);
    for (const { ago, line, impressions } of step.counts) {
      const hour = world.at - ago;
      if (hour >= 0 && hour < FLIGHT_HOURS) world.counts.set(`pkg_${line}/${hour}`, impressions);
    }
    world.terms = { ...world.terms, now: hourAt(world.at + past) };
    if (step.lies !== undefined) await lie(open, world, described, step.lies);
    await lookOnce(open, world, described, step);
    await expectTrue(open, world, drawn.spend);
  }
}

/** Changes the price of the first line, or a budget: never below what is billed. */
async function change(open: OpenFacts, world: World, wanted: { to: 'rate' | 'budget'; of: number } | undefined) {
  if (wanted === undefined) return;
  const book = await open.facts.books.get(world.terms.media_buy_id);
  const lines = world.terms.lines.map((line, i): LineTerms => {
    const billed = book?.lines[line.package_id]?.billed_minor ?? 0;
    if (wanted.to === 'budget') return { ...line, budget_minor: billed + wanted.of };
    // Agreed in the middle of the hour that is running.
    if (i === 0) return { ...line, prices: [...line.prices, { from: hourAt(world.at + 0.4), rate_minor: wanted.of }] };
    return line;
  });
  world.terms = { ...world.terms, lines };
}

/** All hours that the ad server has in the window, with the ones that are silent left out. */
function rowsOf(world: World, past: number, from: number): StatementRow[] {
  return [...world.counts].flatMap(([key, impressions]): StatementRow[] => {
    const [package_id = '', number = ''] = key.split('/');
    const hour = Number(number);
    if (impressions === 0 || hour < from || hour >= world.at) return [];
    const { media_buy_id } = world.terms;
    const counts = { impressions, ...partsOf(impressions) };
    return [{ media_buy_id, package_id, hour: hourAt(hour + past), counts, spend_minor: 2 * impressions }];
  });
}

type Described = { offset_minutes: number; spend: 'stated' | 'computed' };

function statementNow(world: World, described: Described, book: Awaited<ReturnType<typeof openBook>>) {
  const past = (described.offset_minutes % 60) / 60;
  const from = Math.max(0, world.completed - RESTATES_HOURS);
  const given = statementOf([{ terms: world.terms, book }], {
    ...{ from, until: world.at + past, rows: rowsOf(world, past, from), described },
  });
  return { given, from };
}

async function lookOnce(open: OpenFacts, world: World, described: Described, step: Story['looks'][number]) {
  const { from } = statementNow(world, described, await openBook(open.facts, world.terms));
  const one = async (facts = open.facts) => {
    const { given } = statementNow(world, described, await openBook(facts, world.terms));
    return recordStatement(facts, given);
  };
  if (step.dies !== undefined) {
    const { at, when } = step.dies;
    const dying = mortal(at, when === 'before' ? 'before' : 'after');
    await one(bookedFacts(dying.wrap(open.store))).catch((error: unknown) => {
      if (!dying.isDead()) throw error;
    });
    await expectWithinBudget(open, world);
  }
  if (step.isDoubled) await Promise.all([one(), one(), one()]);
  // A process that looks by itself at last: what was begun is done, and nothing is done twice.
  expect(await one()).toMatchObject({ outcome: 'recorded' });
  const revision = (await open.facts.books.get(world.terms.media_buy_id))?.revision;
  expect(await one()).toMatchObject({ outcome: 'recorded' });
  expect((await open.facts.books.get(world.terms.media_buy_id))?.revision).toBe(revision);
  for (let hour = from; hour < world.at; hour++) {
    for (const { package_id } of world.terms.lines) {
      world.said.set(`${package_id}/${hour}`, world.counts.get(`${package_id}/${hour}`) ?? 0);
    }
  }
  world.completed = world.at;
}

async function lie(open: OpenFacts, world: World, described: Described, how: 'negative' | 'foreign' | 'back') {
  const { given } = statementNow(world, described, await openBook(open.facts, world.terms));
  const before = await snapshot(open, world);
  const row = { media_buy_id: world.terms.media_buy_id, package_id: 'pkg_0', hour: hourAt(0), spend_minor: 0 };
  const past = (described.offset_minutes % 60) / 60;
  const at = { ...row, hour: hourAt(past) };
  if (how === 'negative') given.statement.rows.push({ ...at, counts: { impressions: -1, clicks: 0 } });
  if (how === 'foreign') given.statement.rows.push({ ...at, package_id: 'x', counts: { impressions: 1, clicks: 0 } });
  if (how === 'back') {
    if (before.book?.complete_until == null) return;
    given.statement.complete_until = hourAt(-1);
  }
  expect(await recordStatement(open.facts, given)).toMatchObject({ outcome: 'quarantined' });
  expect(await snapshot(open, world)).toEqual(before);
}
