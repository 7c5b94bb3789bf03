import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { TaskId } from '../../platform/task-id.ts';
import { MediaBuyId } from '../media-buy/media-buy-id.ts';

/** `asked`: the buyer has a question to answer first. `withdrawn`: there is nothing to decide any more. */
export const ApprovalStatus = z.enum(['pending', 'asked', 'approved', 'rejected', 'withdrawn']);
export type ApprovalStatus = z.infer<typeof ApprovalStatus>;

/** A question to the buyer, and what they answered. */
export const BuyerQuestion = z.object({
  question: z.string(),
  asked_at: z.string(),
  asked_by: z.string(),
  /** How many messages the task had when the question was put to the buyer; null before. */
  messages_before: z.int().nullable(),
  answered_at: z.string().nullable(),
  /** The parts of the buyer's message, as sent. */
  answer: z.unknown(),
});

/** What a person at the seller is to decide, with all that is needed to (rule T3). Amounts in minor units. */
export const Approval = z.object({
  /** See {@link approvalIdOf}. */
  approval_id: z.string(),
  /** The task that waits. */
  task_id: TaskId,
  organization_id: OrganizationId,
  media_buy_id: MediaBuyId,
  buyer_ref: z.string(),
  operation: z.enum(['create_media_buy', 'update_media_buy']),
  currency: z.string(),
  /** What the buy's total is to be. */
  total_budget_minor: z.int(),
  /** What it is without the decision; null for a new buy. */
  previous_budget_minor: z.int().nullable(),
  /** Why a person is asked, as the policy said when it was. Absent in rows of before it was kept. */
  why: z.string().optional(),
  /** The request's input, as parsed. */
  request: z.record(z.string(), z.unknown()),
  requested_at: z.string(),
  status: ApprovalStatus,
  decided_at: z.string().nullable(),
  decided_by: z.string().nullable(),
  /** Why it was rejected, told to the buyer; null otherwise. */
  reason: z.string().nullable(),
  /** Words to the buyer along with the decision; null when there are none. */
  note: z.string().nullable(),
  questions: z.array(BuyerQuestion),
  /** Since when the task has not acted on what was decided or asked; null when it has. */
  wake_due_at: z.string().nullable(),
  revision: z.int(),
});
export type Approval = z.infer<typeof Approval>;

export const Approvals: CollectionSpec<Approval> = {
  name: 'approvals',
  key: 'approval_id',
  schema: Approval,
  indexes: [
    { name: 'status', fields: ['status', 'requested_at'] },
    { name: 'requested', fields: ['requested_at'] },
    { name: 'media_buy', fields: ['media_buy_id', 'status'] },
    { name: 'wake_due', fields: ['wake_due_at'] },
  ],
};

/** A task asks for one approval, however often it runs. */
export function approvalIdOf(task_id: TaskId): string {
  return `apr_${task_id.replaceAll('-', '')}`;
}

/** Whether somebody still has to act: a person at the seller, or the buyer. */
export function isOpen({ status }: Pick<Approval, 'status'>): boolean {
  return status === 'pending' || status === 'asked';
}
