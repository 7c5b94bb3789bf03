import { z } from 'zod';
import { isCurrency } from '../../platform/currency.ts';
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

/** Such as `USD:50000,EUR:45000`, in decimals of each currency. Every entry that is wrong is named, with what to write. */
export const thresholdByCurrency = z.string().transform((list, context): ApprovalThresholds => {
  const found = new Map<string, number>();
  const mistakes = list.split(',').flatMap((entry, i) => {
    const mistake = take(entry.trim(), found);
    return mistake === undefined ? [] : [`entry ${i + 1}, ${JSON.stringify(entry.trim())}, ${mistake}`];
  });
  if (mistakes.length === 0) return found;
  const message = `must be amounts by currency, such as USD:50000,EUR:45000: ${mistakes.join('; ')}`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** An amount of dollars, in minor units. */
export const dollars = z.string().transform((text, context): number => {
  const parsed = parseMoneyText(text, 'USD');
  if (parsed.ok) return parsed.minor;
  context.addIssue({ code: 'custom', message: `must be an amount in dollars, such as 50000: it ${parsed.reason}` });
  return z.NEVER;
});

/** Adds an entry to those found, or says what is wrong with it. */
function take(entry: string, found: Map<string, number>): string | undefined {
  if (entry === '') return 'is empty; leave out its comma';
  const colon = entry.indexOf(':');
  if (colon === -1) return 'has no amount; write the currency, a colon and the amount';
  const currency = entry.slice(0, colon);
  if (!isCurrency(currency)) return 'begins with no ISO 4217 currency; write its three capital letters';
  if (found.has(currency)) return `names ${currency} again; keep one of the two`;
  const parsed = parseMoneyText(entry.slice(colon + 1), currency);
  if (!parsed.ok) return `has an amount that ${parsed.reason}`;
  found.set(currency, parsed.minor);
  return undefined;
}
