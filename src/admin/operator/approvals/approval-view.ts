import { z } from 'zod';
import { fromTimestamp } from '../../../platform/clock.ts';
import { formatMoney } from '../../../platform/money.ts';
import type { Organization } from '../../../directory/organization/organization.ts';
import { OrganizationId } from '../../../platform/organization-id.ts';
import { Approval, BuyerQuestion, isOpen, predecessorOf, successorOf } from '../../../sales/approval/approval.ts';
import type { FirstYes } from '../../../sales/approval/approval.ts';
import type { ApprovalDesk } from '../../../sales/approval/approval-desk.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { MediaBuyView, toSellersView } from '../../../sales/media-buy/media-buy-view.ts';
import { withoutWebhookPaths } from '../../../runtime/webhook-secrets.ts';
import { termsNow } from '../../../tasks/update-media-buy/granted.ts';
import { GrantView, toGrantView } from './grant-view.ts';
import { otherChanges, OtherChangesView } from './other-changes.ts';

/** What was decided or asked, and where it stands. */
export const DecisionView = Approval.pick({
  ...{ approval_id: true, task_id: true, media_buy_id: true, status: true },
  ...{ round: true, decided_at: true, decided_by: true, reason: true, note: true },
}).extend({
  /** The round that this one asked again after, and the one that asks again after it; null when there is none. */
  predecessor: z.string().nullable(),
  successor: z.string().nullable(),
  /** What a grant did not cover, in words, and when that was found; null unless superseded. */
  superseded: Approval.shape.superseded.unwrap().nullable(),
  /** The terms that were granted; null until then, and for what 0.1.0 decided. */
  granted: GrantView.nullable(),
  /** What the first of two people approved, whose yes alone decides nothing; null where none has. */
  first_yes: z
    .object({ person_id: z.string(), by: z.string(), at: z.string(), note: z.string().nullable(), granted: GrantView })
    .nullable(),
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
  /** What an approval without a digest grants; null for rows of 0.1.0. */
  asked_terms: GrantView.nullable(),
  /** What an approval grants now if it sends their digest; null when there is nothing to decide, or it could not be done. */
  terms_now: GrantView.nullable(),
  /** What an update would change besides; null when there is nothing to decide, or the request does not say. */
  other_changes: OtherChangesView.nullable(),
  /** Whether it takes two people to approve these terms, by the setting as it is. */
  takes_two_people: z.boolean(),
  /** Whether the first yes is to the terms as they are; null where there is none. */
  first_yes_stands: z.boolean().nullable(),
  /** The brand that is advertised, as sent. */
  brand: z.record(z.string(), z.unknown()).nullable(),
  /** The buy as it stands: dates, products, prices. Null when it is gone. */
  media_buy: MediaBuyView.nullable(),
  /** What the buyer asks for, as sent but for what may be a secret of its webhooks. */
  request: z.record(z.string(), z.unknown()),
});
export type ApprovalView = z.infer<typeof ApprovalView>;

export interface ApprovalFacts {
  buy: MediaBuy | undefined;
  buyer: Organization | undefined;
  nowMs: number;
  takesTwo: ApprovalDesk['takesTwo'];
}

/** Pure. */
export function toApprovalView(approval: Approval, { buy, buyer, nowMs, takesTwo }: ApprovalFacts): ApprovalView {
  const { organization_id, operation, requested_at, decided_at, buyer_ref, currency, request } = approval;
  const { total_budget_minor, previous_budget_minor } = approval;
  const amount = (minor: number | null) => (minor === null ? null : formatMoney(minor, currency));
  const { asked_terms, first_yes } = approval;
  const now = buy === undefined || !isOpen(approval) ? undefined : termsNow(buy, approval);
  const asItStands = now ?? approval.grant ?? asked_terms;
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
      resulting_total: amount(now?.total_minor ?? null),
    },
    asked_terms: asked_terms === undefined ? null : toGrantView(asked_terms, currency),
    terms_now: now === undefined ? null : toGrantView(now, currency),
    other_changes:
      now === undefined || buy === undefined || operation !== 'update_media_buy' ? null : otherChanges(buy, approval),
    takes_two_people: takesTwo(asItStands?.total_minor ?? total_budget_minor, currency),
    first_yes_stands: first_yes === undefined ? null : first_yes.grant.digest === asItStands?.digest,
    brand: buy?.brand_manifest ?? null,
    media_buy: buy === undefined ? null : toSellersView(buy),
    request: withoutWebhookPaths(request) as Record<string, unknown>,
  };
}

/** Pure. */
export function toDecisionView(approval: Approval): DecisionView {
  const { approval_id, task_id, media_buy_id, status, round, decided_at, decided_by, reason, note } = approval;
  const { wake_due_at, superseded, grant, currency, first_yes } = approval;
  return {
    ...{ approval_id, task_id, media_buy_id, status, round, decided_at, decided_by, reason, note },
    predecessor: predecessorOf(approval) ?? null,
    successor: successorOf(approval) ?? null,
    superseded: superseded ?? null,
    granted: grant === undefined ? null : toGrantView(grant, currency),
    first_yes: first_yes === undefined ? null : firstYesView(first_yes, currency),
    acted_on: decided_at !== null && wake_due_at === null,
    questions: approval.questions,
  };
}

function firstYesView({ person_id, by, at, note, grant }: FirstYes, currency: string) {
  return { person_id, by, at, note, granted: toGrantView(grant, currency) };
}
