import { z } from 'zod';
import { limitsIn, setLimits } from '../../../directory/organization/limits.ts';
import type { Limits } from '../../../directory/organization/limits.ts';
import { organizations } from '../../../directory/organization/organization.ts';
import { amountsOrNone, NO_AMOUNT } from '../../../platform/amounts-by-currency.ts';
import { formatMoney, formatMoneyText, minorOf } from '../../../platform/money.ts';
import { UncountedBuysError } from '../../../sales/credit/committed-totals.ts';
import type { WhyUncounted } from '../../../sales/credit/committed-totals.ts';
import { committedIn } from '../../../sales/credit/credit.ts';
import { operation } from '../operation.ts';
import type { Json } from '../operation.ts';
import { BuyerParams, knownBuyer } from './operations.ts';

/** Decimals of each currency. */
const Amounts = z.record(z.string(), z.number());

/** What is set for one buyer alone; empty: nothing, and the settings say. */
const LimitsView = z.object({ approval_over: Amounts, credit: Amounts });
type LimitsView = z.infer<typeof LimitsView>;

export const BuyerLimitsView = LimitsView.extend({
  organization_id: z.string(),
  /** Of each credit, what the media buys that are not over come to, and what is left; null where that is not known, with why. */
  credit_in_use: z.array(
    z.object({
      currency: z.string(),
      credit: z.number(),
      committed: z.number().nullable(),
      left: z.number().nullable(),
      not_known: z.enum(['unreadable', 'too_many']).optional(),
    }),
  ),
});
export type BuyerLimitsView = z.infer<typeof BuyerLimitsView>;

/** So many media buys that are not over are summed for whoever looks; a decision sums all. */
export const MOST_SUMMED = 1_000;

/** Reads the media buys of the buyer that are not over, where a credit is set. */
export const showBuyerLimits = operation({
  method: 'get',
  path: '/buyers/:organization_id/limits',
  summary: "Show a buyer's own limits: from which total on a person is asked, and its credit with what is left of it.",
  role: 'viewer',
  params: BuyerParams,
  answer: BuyerLimitsView,
  async handle({ params: { organization_id } }, { store, sales: { credit } }) {
    const limits = limitsIn(await knownBuyer(store, organization_id));
    const credit_in_use: BuyerLimitsView['credit_in_use'] = [];
    for (const [currency, credit_minor] of Object.entries(limits.credit)) {
      const asked = { organization_id, currency, upTo: MOST_SUMMED };
      const committed = await committedIn(credit, asked).catch(whyUncounted);
      const told = (minor: number) => formatMoney(minor, currency);
      const inUse =
        typeof committed === 'string'
          ? { committed: null, left: null, not_known: committed }
          : { committed: told(committed), left: told(Math.max(0, credit_minor - committed)) };
      credit_in_use.push({ currency, credit: told(credit_minor), ...inUse });
    }
    return { organization_id, ...viewOf(limits), credit_in_use };
  },
});

/** What is booked stays so, also where the credit is less by now; nothing is added until it fits. */
export const setBuyerLimits = operation({
  method: 'post',
  path: '/buyers/:organization_id/limits',
  summary:
    "Set a buyer's own limits: from which total on a person is asked, and what the budgets of its open media buys may come to.",
  role: 'admin',
  action: 'buyers.limits',
  done: () => 'The limits are set.',
  undo: 'buyers.limits',
  asUndo: formerLimits,
  params: BuyerParams,
  body: z
    .strictObject({
      /** Such as `USD:100000,EUR:90000`, in place of the setting for these currencies; `none`: the setting alone. Default: as it is. */
      approval_over: amountsOrNone.optional(),
      /** Such as `USD:500000`, and nothing in other currencies then; `none`: no bound. Default: as it is. */
      credit: amountsOrNone.optional(),
    })
    .refine(({ approval_over, credit }) => (approval_over ?? credit) !== undefined, {
      message: 'must have approval_over or credit',
    }),
  onRecord: (body) =>
    Object.fromEntries(
      Object.entries(body).flatMap(([name, amounts]) =>
        amounts === undefined ? [] : [[name, amounts.size === 0 ? NO_AMOUNT : decimalsOf(Object.fromEntries(amounts))]],
      ),
    ),
  answer: LimitsView.extend({ organization_id: z.string(), former: LimitsView }),
  async handle({ params: { organization_id }, body }, { store }) {
    const given = Object.fromEntries(
      Object.entries(body).flatMap(([name, amounts]) =>
        amounts === undefined ? [] : [[name, Object.fromEntries(amounts)]],
      ),
    ) as Partial<Limits>;
    const { row, former } = await setLimits(store.collection(organizations), organization_id, given);
    return { organization_id, ...viewOf(limitsIn(row)), former: viewOf(former) };
  },
});

/** A row that cannot be read fails no page, nor do too many of them. */
function whyUncounted(error: unknown): WhyUncounted {
  if (!(error instanceof UncountedBuysError)) throw error;
  return error.why;
}

function viewOf({ approval_over, credit }: Limits): LimitsView {
  return { approval_over: decimalsOf(approval_over), credit: decimalsOf(credit) };
}

function decimalsOf(amounts: Limits['credit']): Record<string, number> {
  return Object.fromEntries(
    Object.entries(amounts).map(([currency, minor]) => [currency, formatMoney(minor, currency)]),
  );
}

/** What undoes this; undefined where it changed nothing. */
function formerLimits({ former, approval_over, credit }: Json): Json | undefined {
  const before = LimitsView.safeParse(former);
  const after = LimitsView.safeParse({ approval_over, credit });
  if (!before.success || !after.success) return undefined;
  const [was, is] = [asked(before.data), asked(after.data)];
  return was.approval_over === is.approval_over && was.credit === is.credit ? undefined : was;
}

function asked({ approval_over, credit }: LimitsView): { approval_over: string; credit: string } {
  return { approval_over: amountsText(approval_over), credit: amountsText(credit) };
}

/** Amounts in the words that {@link setBuyerLimits} takes. Pure. */
export function amountsText(amounts: Record<string, number>): string {
  const entries = Object.entries(amounts);
  if (entries.length === 0) return NO_AMOUNT;
  return entries
    .map(([currency, amount]) => `${currency}:${formatMoneyText(minorOf(amount, currency), currency)}`)
    .join(',');
}
