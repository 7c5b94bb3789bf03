import { shownMoney } from '../../platform/money.ts';

/** What a policy is asked about: an amount in minor units of its currency. */
export interface ApprovalQuestion {
  operation: 'create_media_buy' | 'update_media_buy';
  total_budget_minor: number;
  currency: string;
  /** What the seller has set for this buyer, in place of its own amounts for these currencies. */
  own?: ApprovalThresholds | undefined;
}

/** The port that says which operations need a person at the seller (rule T3). */
export interface ApprovalPolicy {
  needsPerson(question: ApprovalQuestion): boolean;
  /** Why a person is asked, in words for that person. */
  why(question: ApprovalQuestion): string;
}

/** The totals that pass without a person, by currency: minor units of it. */
export type ApprovalThresholds = ReadonlyMap<string, number>;

/**
 * Whether a total, in minor units, is above the amount set for its currency. Where amounts are set, every total in a currency
 * without one is, since there is no rate to compare by; where none is set, no total is.
 */
export function isAbove(thresholds: ApprovalThresholds, total_minor: number, currency: string): boolean {
  if (thresholds.size === 0) return false;
  const limit = thresholds.get(currency);
  return limit === undefined || total_minor > limit;
}

/** The amounts by which a buyer is judged: its own before the seller's. Pure. */
function amountsFor(thresholds: ApprovalThresholds, own: ApprovalThresholds | undefined): ApprovalThresholds {
  return own === undefined || own.size === 0 ? thresholds : new Map([...thresholds, ...own]);
}

/**
 * The default: a person decides about totals above the amount set for their currency, the buyer's own before the seller's, and about all in a
 * currency for which none is set, since there is no rate to compare by (rules B3.thresholds, B3.buyers). No amount at all: nothing needs a person. What takes two
 * people is never let pass, whatever a buyer's own amount is.
 */
export function approvalOver(thresholds: ApprovalThresholds, takesTwo: ApprovalThresholds = new Map()): ApprovalPolicy {
  return {
    needsPerson: ({ total_budget_minor, currency, own }) =>
      isAbove(amountsFor(thresholds, own), total_budget_minor, currency) ||
      isAbove(takesTwo, total_budget_minor, currency),
    why({ operation, total_budget_minor, currency, own }) {
      const limit = amountsFor(thresholds, own).get(currency);
      const total = shownMoney(total_budget_minor, currency);
      const isNew = operation === 'create_media_buy';
      if (limit === undefined) {
        return `${isNew ? 'the total budget is' : 'it raises the total to'} ${total}, and no amount of ${currency} passes without a person`;
      }
      const what = isNew ? `the total budget of ${total} is` : `it raises the total to ${total},`;
      if (total_budget_minor <= limit) return `${what} above what passes without two people`;
      const whose = own?.has(currency) === true ? " of this buyer's" : '';
      return `${what} above the ${shownMoney(limit, currency)}${whose} that pass without a person`;
    },
  };
}
