import { fromTimestamp } from '../../../platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../platform/hours.ts';
import type { AdOrder } from '../../../sales/ad-server/ad-order.ts';
import type { PutAnswer } from '../../../sales/ad-server/put-answer.ts';
import type { CaseDefinition } from '../kit-case.ts';
import { CannotStage, demand } from '../demand.ts';
import { nextVersion, priced, sealed, withLine } from '../sample-order.ts';
import { at } from '../stage.ts';
import type { Stage } from '../stage.ts';
import { costOfCounts, spendOf, statedOf, totalOf } from '../stated.ts';

const MINUTE_MS = 60_000;
/** An odd fee, so that no share of it comes out even. */
const FEE_MINOR = 77_777;

/** Budgets, currencies and flat fees: cases 30 to 32. */
export const MONEY_CASES: readonly CaseDefinition[] = [
  {
    number: 30,
    name: 'a budget cut above, at and below what is spent, within an hour: never more is spent than holds',
    needs: ['deliver'],
    run: (stage) => (stage.description.budget_cut === 'exact' ? cutExactly(stage) : cutAfterPause(stage)),
  },
  {
    number: 31,
    name: 'JPY, KWD, and a currency that is not sold',
    async run(stage) {
      const { currencies } = stage.description;
      const order = await stage.newOrder({ changes: { state: 'held' } });
      const unsold = ['JPY', 'KWD', 'XOF', 'ISK', 'UYU', 'CHF', 'EUR'].filter((currency) => !isSold(stage, currency));
      for (const currency of ['JPY', 'KWD'].filter((currency) => isSold(stage, currency))) {
        const other = await stage.newOrder({ changes: { state: 'held', currency } });
        await stage.putDone(other);
        await stage.holds(other, 'port');
      }
      if (currencies === 'any') return;
      for (const currency of unsold.slice(0, 2)) {
        const foreign = sealed({ ...order, currency }, 1);
        const foretold = await stage.adServer.check(foreign);
        demand(foretold.outcome !== 'done', 'P8', `check not to promise an order in ${currency}`, foretold);
        const other = sealed({ ...(await stage.newOrder()), currency }, 1);
        const answer = await stage.putDecided(other);
        demand(answer.outcome === 'refused', 'P8', `an order in ${currency}, which is not described, refused`, answer);
      }
    },
  },
  {
    number: 32,
    name: 'a flat fee over 7, 30 and 31 days comes to the fee exactly',
    needs: ['deliver'],
    async run(stage) {
      const { pricing, statements } = stage.description;
      if (!pricing.some(({ model }) => model === 'flat-fee')) throw new CannotStage('no flat fee is sold');
      if (statements.spend === 'computed') throw new CannotStage('the spend of a flat fee is the caller’s to compute');
      const flights: AdOrder[] = [];
      for (const days of [7, 30, 31]) flights.push(await flatFeeOrder(stage, days));
      for (const order of flights) await stage.putDone(order);
      await stage.pass(3.5 * DAY_MS);
      for (const order of flights) {
        const { spend_minor } = totalOf(await statedOf(stage, order));
        demand(spend_minor > 0 && spend_minor < FEE_MINOR, 'statements', 'a part of the fee by then', spend_minor);
      }
      await stage.pass(29 * DAY_MS + stage.description.statements.delay_minutes * MINUTE_MS);
      for (const order of flights) {
        const { spend_minor } = totalOf(await statedOf(stage, order));
        demand(spend_minor === FEE_MINOR, 'statements', `${FEE_MINOR} in all`, spend_minor);
      }
    },
  },
];

function isSold({ description: { currencies } }: Stage, currency: string): boolean {
  return currencies === 'any' || currencies.includes(currency);
}

async function flatFeeOrder(stage: Stage, days: number): Promise<AdOrder> {
  const order = await stage.newOrder();
  const end = at(fromTimestamp(order.start) + days * DAY_MS);
  const lines = order.lines.map((line) => ({
    ...priced(line, { model: 'flat-fee', rate_minor: FEE_MINOR }, FEE_MINOR),
    end,
  }));
  return sealed({ ...order, end, lines }, 1);
}

/** A cut is decided at the instant from which it holds. */
async function cutExactly(stage: Stage): Promise<void> {
  const order = await stage.newOrder();
  await stage.putDone(order);
  await stage.pass(36.5 * HOUR_MS);
  const least = leastOf(await stage.putDecided(budgetOf(order, 1, 2)));
  await stage.putDone(budgetOf(order, least + 1000, 3));
  leastOf(await stage.putDecided(budgetOf(order, Math.max(1, least - 1), 4)));
  let holding = least;
  for (let version = 5; ; version += 1) {
    const answer = await stage.putDecided(budgetOf(order, holding, version));
    if (answer.outcome === 'done') break;
    // Where time passes by itself, the least grows between two questions.
    demand(version < 50, 'port', `the least budget that was told, ${holding}, to be taken`, answer);
    holding = leastOf(answer);
  }
  await demandNeverOver(stage, order, holding);
}

/** A cut is decided over counts that are sure, since the line stands still. */
async function cutAfterPause(stage: Stage): Promise<void> {
  const order = await stage.newOrder();
  await stage.putDone(order);
  await stage.pass(36.5 * HOUR_MS);
  await stage.putDone(nextVersion(order, withLine(order, 0, { state: 'paused' })));
  await stage.pass(HOUR_MS + stage.description.statements.delay_minutes * MINUTE_MS);
  const [line] = order.lines;
  const held = await stage.adServer.read(order.media_buy_id);
  const counts = held.found ? held.lines[0]?.counts : undefined;
  demand(counts !== undefined && line !== undefined, 'port', 'the counts of a line that is paused', held);
  const spent = Math.ceil(costOfCounts([{ counts }], line.pricing));
  const holding = spent + 1000;
  await stage.putDone(budgetOf(order, holding, 3));
  await demandNeverOver(stage, order, holding);
}

async function demandNeverOver(stage: Stage, order: AdOrder, budget_minor: number): Promise<void> {
  await stage.pass(31 * DAY_MS + stage.description.statements.delay_minutes * MINUTE_MS);
  const [line] = order.lines;
  const spent = line && spendOf(stage, await statedOf(stage, order), line);
  demand(spent !== undefined && spent <= budget_minor, 'P4', `at most the budget ${budget_minor} spent`, spent);
}

function budgetOf(order: AdOrder, budget_minor: number, version: number): AdOrder {
  const lines = order.lines.map((line) => priced(line, line.pricing, budget_minor));
  return sealed({ ...order, lines }, version);
}

/** What the refusal of a budget tells as the least; demands that it tells. */
function leastOf(answer: PutAnswer): number {
  demand(answer.outcome === 'refused', 'port', 'a budget below what is spent to be refused', answer);
  const reason = answer.reasons.find(({ code }) => code === 'budget_below_spend');
  demand(reason?.least_minor !== undefined, 'port', 'budget_below_spend with least_minor', answer.reasons);
  return reason.least_minor;
}
