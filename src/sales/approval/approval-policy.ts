import { formatMoneyText, minorOf } from '../../platform/money.ts';

/** What a policy is asked about: an amount in minor units of its currency. */
export interface ApprovalQuestion {
  operation: 'create_media_buy' | 'update_media_buy';
  total_budget_minor: number;
  currency: string;
}

/** The port that says which operations need a person at the seller (rule T3). */
export interface ApprovalPolicy {
  needsPerson(question: ApprovalQuestion): boolean;
  /** Why a person is asked, in words for that person. */
  why(question: ApprovalQuestion): string;
}

/**
 * The default: a person decides about totals above an amount of dollars. Totals in another currency are compared by
 * their number, since there is no rate to convert by. No amount: nothing needs a person.
 */
export function approvalOver(dollars: number | undefined): ApprovalPolicy {
  return {
    needsPerson({ total_budget_minor, currency }) {
      return dollars !== undefined && total_budget_minor > minorOf(dollars, currency);
    },
    why({ operation, total_budget_minor, currency }) {
      const limit = formatMoneyText(minorOf(dollars ?? 0, currency), currency);
      const total = `${formatMoneyText(total_budget_minor, currency)} ${currency}`;
      const what =
        operation === 'create_media_buy' ? `the total budget of ${total} is` : `it raises the total to ${total},`;
      return `${what} above the ${limit} that pass without a person`;
    },
  };
}
