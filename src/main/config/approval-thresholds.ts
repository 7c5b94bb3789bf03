import { z } from 'zod';
import { formatMoneyText, parseMoneyText } from '../../platform/money.ts';
import type { ApprovalThresholds } from '../../sales/approval/approval-policy.ts';
import { ConfigError } from './config-error.ts';

interface ThresholdSettings {
  APPROVAL_OVER?: ApprovalThresholds | undefined;
  /** Minor units. */
  APPROVAL_OVER_USD?: number | undefined;
  SECOND_APPROVER_OVER?: ApprovalThresholds | undefined;
}

/**
 * From which totals on a person decides, and from which two do.
 * @throws {ConfigError} when the settings disagree, or would let something pass that is to take two people.
 */
export function approvalThresholds(settings: ThresholdSettings) {
  const approvalOver = overOne(settings);
  const secondApproverOver = settings.SECOND_APPROVER_OVER ?? new Map<string, number>();
  const mistakes = [...secondApproverOver].flatMap(([currency, two]) => {
    const one = approvalOver.size === 0 ? Infinity : (approvalOver.get(currency) ?? 0);
    if (one <= two) return [];
    const needed = `${currency}:${formatMoneyText(two, currency)}`;
    const now = one === Infinity ? 'is not set' : `has ${formatMoneyText(one, currency)}`;
    const fix = `set APPROVAL_OVER to ${needed} or less`;
    return [`SECOND_APPROVER_OVER has ${needed}, and APPROVAL_OVER ${now}, so nobody would be asked at all: ${fix}`];
  });
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return { approvalOver, secondApproverOver };
}

function overOne({ APPROVAL_OVER, APPROVAL_OVER_USD: dollars }: ThresholdSettings): ApprovalThresholds {
  const named = APPROVAL_OVER ?? new Map<string, number>();
  if (dollars === undefined) return named;
  const other = named.get('USD') ?? dollars;
  if (other !== dollars) {
    const [one = '', two = ''] = [dollars, other].map((minor) => formatMoneyText(minor, 'USD'));
    throw new ConfigError([
      `APPROVAL_OVER_USD must agree with the USD of APPROVAL_OVER: it is ${one}, and there ${two}; keep one of them`,
    ]);
  }
  return new Map([...named, ['USD', dollars]]);
}

/** An amount of dollars, in minor units. */
export const dollars = z.string().transform((text, context): number => {
  const parsed = parseMoneyText(text, 'USD');
  if (parsed.ok) return parsed.minor;
  context.addIssue({ code: 'custom', message: `must be an amount in dollars, such as 50000: it ${parsed.reason}` });
  return z.NEVER;
});
