import { formatMoneyText } from '../../platform/money.ts';
import type { AdOrder } from '../../sales/ad-server/ad-order.ts';
import type { Reason } from '../../sales/ad-server/put-answer.ts';
import { troubleIn } from './simulated-trouble.ts';
import { isPlayable, MOST_LINES } from './description.ts';
import { hasEnded } from './order-row.ts';
import type { AdOrderRecord } from './order-row.ts';
import { tallyAt } from './played-order.ts';

/**
 * Why an order cannot be made what it is to be from an instant of its flight on; nothing, when it can. A budget is compared
 * with what its line has come to at that very instant, which is where the cut would hold from; not at all where counts come late (`lagMs`). Pure.
 */
export function reasonsAgainst(record: AdOrderRecord, order: AdOrder, atMs: number, lagMs: number): Reason[] {
  if (order.state === 'ended') return [];
  if (hasEnded(record)) return [{ code: 'other', pointer: '/state', message: 'the order has ended, for good' }];
  return [
    ...namedReasons(order),
    ...lineReasons(record, order),
    ...(lagMs > 0 ? [] : spentReasons(record, order, atMs)),
  ];
}

/** What a name asks to be refused. */
function namedReasons({ name, lines }: AdOrder): Reason[] {
  const message = 'no inventory is left in this flight';
  const isRejected = (text: string) => troubleIn([text]).includes('reject');
  if (isRejected(name)) return [{ code: 'no_inventory', pointer: '/lines', message }];
  return lines.flatMap((line, i): Reason[] => {
    const { package_id } = line;
    return isRejected(line.name) ? [{ code: 'no_inventory', pointer: `/lines/${i}`, message, package_id }] : [];
  });
}

function lineReasons({ held }: AdOrderRecord, order: AdOrder): Reason[] {
  const reasons: Reason[] = [];
  if (order.lines.length > MOST_LINES) {
    reasons.push({ code: 'limit', pointer: '/lines', message: `an order has at most ${MOST_LINES} lines` });
  }
  if (order.end <= order.start) reasons.push({ code: 'dates', pointer: '/end', message: 'must be after the start' });
  for (const [i, { package_id, pricing, start, end, state }] of order.lines.entries()) {
    const before = held?.order?.lines.find((line) => line.package_id === package_id);
    const about = (code: Reason['code'], field: string, message: string) => {
      reasons.push({ code, pointer: `/lines/${i}/${field}`, message, package_id });
    };
    if (!isPlayable(pricing.model)) about('pricing', 'pricing/model', `${pricing.model} is not sold here`);
    if (end <= start) about('dates', 'end', 'must be after the start');
    if (before?.state === 'ended' && state !== 'ended') about('other', 'state', 'the line has ended, for good');
  }
  return reasons;
}

function spentReasons(record: AdOrderRecord, { lines, currency }: AdOrder, atMs: number): Reason[] {
  if (record.instructions.length === 0) return [];
  const tallies = new Map(tallyAt(record, atMs).map((tally) => [tally.package_id, tally]));
  return lines.flatMap(({ package_id, budget_minor }, i): Reason[] => {
    const least_minor = tallies.get(package_id)?.spend_minor ?? 0;
    if (budget_minor >= least_minor) return [];
    const message = `${formatMoneyText(least_minor, currency)} ${currency} is spent already`;
    return [{ code: 'budget_below_spend', pointer: `/lines/${i}/budget_minor`, message, package_id, least_minor }];
  });
}
