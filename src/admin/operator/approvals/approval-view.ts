import { z } from 'zod';
import { fromTimestamp } from '../../../platform/clock.ts';
import { formatMoney } from '../../../platform/money.ts';
import type { Organization } from '../../../directory/organization/organization.ts';
import { OrganizationId } from '../../../platform/organization-id.ts';
import { Approval, BuyerQuestion, isOpen } from '../../../sales/approval/approval.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { MediaBuyView, toMediaBuyView } from '../../../sales/media-buy/media-buy-view.ts';
import { resultingTotal } from '../../../tasks/update-media-buy/resulting-total.ts';

/** What was decided or asked, and where it stands. */
export const DecisionView = Approval.pick({
  ...{ approval_id: true, task_id: true, media_buy_id: true, status: true },
  ...{ decided_at: true, decided_by: true, reason: true, note: true },
}).extend({
  /** Whether the buyer's task has acted on it: done within moments. */
  acted_on: z.boolean(),
  questions: z.array(BuyerQuestion.omit({ messages_before: true })),
});
export type DecisionView = z.infer<typeof DecisionView>;

/** An approval with all that a person needs to decide. Amounts are decimals of `money.currency`. */
export const ApprovalView = DecisionView.extend({
  operation: Approval.shape.operation,
  /** Why a person is asked. */
  why: z.string(),
  requested_at: z.string(),
  /** How long it has waited, or had waited when it was decided. */
  age_seconds: z.number(),
  buyer: z.object({
    organization_id: OrganizationId,
    name: z.string().nullable(),
    company_type: z.string().nullable(),
  }),
  buyer_ref: z.string(),
  money: z.object({
    currency: z.string(),
    /** What the buy's total was to be when a person was asked. */
    total_budget: z.number(),
    /** What it was then without the decision; null for a new buy. */
    previous_budget: z.number().nullable(),
    change: z.number().nullable(),
    /** The buy's total as it stands; null when the buy is gone. */
    current_total: z.number().nullable(),
    /** What it would become by an approval now; null when there is nothing to decide, or it could not be done. */
    resulting_total: z.number().nullable(),
  }),
  /** The brand that is advertised, as sent. */
  brand: z.record(z.string(), z.unknown()).nullable(),
  /** The buy as it stands: dates, products, prices. Null when it is gone. */
  media_buy: MediaBuyView.nullable(),
  /** What the buyer asks for, as sent. */
  request: z.record(z.string(), z.unknown()),
});
export type ApprovalView = z.infer<typeof ApprovalView>;

export interface ApprovalFacts {
  buy: MediaBuy | undefined;
  buyer: Organization | undefined;
  nowMs: number;
}

/** Pure. */
export function toApprovalView(approval: Approval, { buy, buyer, nowMs }: ApprovalFacts): ApprovalView {
  const { organization_id, operation, requested_at, decided_at, buyer_ref, currency, request } = approval;
  const { total_budget_minor, previous_budget_minor } = approval;
  const amount = (minor: number | null) => (minor === null ? null : formatMoney(minor, currency));
  const resulting_minor = buy === undefined || !isOpen(approval) ? null : resultingTotal(buy, approval);
  const untilMs = decided_at === null ? nowMs : fromTimestamp(decided_at);
  return {
    ...toDecisionView(approval),
    operation,
    why: approval.why ?? 'an operation of this size needs a person',
    requested_at,
    age_seconds: Math.max(0, Math.floor((untilMs - fromTimestamp(requested_at)) / 1000)),
    buyer: { organization_id, name: buyer?.name ?? null, company_type: buyer?.company_type ?? null },
    buyer_ref,
    money: {
      currency,
      total_budget: formatMoney(total_budget_minor, currency),
      previous_budget: amount(previous_budget_minor),
      change: amount(previous_budget_minor === null ? null : total_budget_minor - previous_budget_minor),
      current_total: amount(buy?.total_budget_minor ?? null),
      resulting_total: amount(resulting_minor),
    },
    brand: buy?.brand_manifest ?? null,
    media_buy: buy === undefined ? null : toMediaBuyView(buy),
    request,
  };
}

/** Pure. */
export function toDecisionView(approval: Approval): DecisionView {
  const { approval_id, task_id, media_buy_id, status, decided_at, decided_by, reason, note, wake_due_at } = approval;
  return {
    ...{ approval_id, task_id, media_buy_id, status, decided_at, decided_by, reason, note },
    acted_on: decided_at !== null && wake_due_at === null,
    questions: approval.questions,
  };
}
