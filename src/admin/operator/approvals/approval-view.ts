import { fromTimestamp } from '../../../platform/clock.ts';
import { formatMoney } from '../../../platform/money.ts';
import type { Organization } from '../../../directory/organization/organization.ts';
import type { OrganizationId } from '../../../platform/organization-id.ts';
import type { Approval } from '../../../sales/approval/approval.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { toMediaBuyView } from '../../../sales/media-buy/media-buy-view.ts';
import type { MediaBuyView } from '../../../sales/media-buy/media-buy-view.ts';

/** What was decided or asked, and where it stands. */
export interface DecisionView extends Pick<
  Approval,
  'approval_id' | 'task_id' | 'media_buy_id' | 'status' | 'decided_at' | 'decided_by' | 'reason' | 'note'
> {
  /** Whether the buyer's task has acted on it: done within moments. */
  acted_on: boolean;
  questions: { question: string; asked_at: string; asked_by: string; answered_at: string | null; answer: unknown }[];
}

/** An approval with all that a person needs to decide. Amounts are decimals of `money.currency`. */
export interface ApprovalView extends DecisionView {
  operation: Approval['operation'];
  /** Why a person is asked. */
  why: string;
  requested_at: string;
  /** How long it has waited, or had waited when it was decided. */
  age_seconds: number;
  buyer: { organization_id: OrganizationId; name: string | null; company_type: string | null };
  buyer_ref: string;
  money: {
    currency: string;
    /** What the buy's total is to be. */
    total_budget: number;
    /** What it is without the decision; null for a new buy. */
    previous_budget: number | null;
    change: number | null;
  };
  /** The brand that is advertised, as sent. */
  brand: Record<string, unknown> | null;
  /** The buy as it stands: dates, products, prices. Null when it is gone. */
  media_buy: MediaBuyView | null;
  /** What the buyer asks for, as sent. */
  request: Record<string, unknown>;
}

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
    questions: approval.questions.map(({ messages_before: _before, ...question }) => question),
  };
}
