import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { Collection, CollectionSpec } from '../../platform/store/collection.ts';
import { partOfIds, TaskId } from '../../platform/task-id.ts';
import { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { MediaBuyPackage } from '../media-buy/media-buy-package.ts';
import { ApprovalGrant } from './grant.ts';

/**
 * `asked`: the buyer has a question to answer first. `withdrawn`: there is nothing to decide any more. `superseded`: it was
 * approved, but what was to be done is no longer what was granted, and the next round asks again (rule B15).
 */
export const ApprovalStatus = z.enum(['pending', 'asked', 'approved', 'rejected', 'withdrawn', 'superseded']);
export type ApprovalStatus = z.infer<typeof ApprovalStatus>;

/** Those that wait: for the seller's people, or for the buyer's answer to them. */
export const OPEN_APPROVALS: readonly ApprovalStatus[] = ['pending', 'asked'];

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

/** What one person has said yes to, where it takes two. */
const FirstYes = z.object({
  /** Whose it is: no other yes of theirs is the second. */
  person_id: z.string(),
  /** Their name then. */
  by: z.string(),
  at: z.string(),
  /** Their words to the buyer, who gets them with the decision; null when there are none. */
  note: z.string().nullable(),
  /** Exactly what they have approved; it counts for nothing once the terms are others. */
  grant: ApprovalGrant,
});
export type FirstYes = z.infer<typeof FirstYes>;

/** What a person at the seller is to decide, with all that is needed to (rule T3). Amounts in minor units. */
export const Approval = z.object({
  /** See {@link approvalIdOf}. */
  approval_id: z.string(),
  /** The task that waits. */
  task_id: TaskId,
  /** How often the task has asked by now, this time included; from 1. */
  round: z.int().min(1).default(1),
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
  /** The terms as they were when a person was asked. Absent in rows of 0.1.0. */
  asked_terms: ApprovalGrant.optional(),
  /** What was granted; absent until it is approved, and in what 0.1.0 decided, which binds to no terms. */
  grant: ApprovalGrant.optional(),
  /** The yes of one person, where it takes two (rule B15.two); kept once both have said it. Absent before. */
  first_yes: FirstYes.optional(),
  /** When and why a grant did not cover what was to be done; absent unless it is superseded. */
  superseded: z.object({ at: z.string(), because: z.array(z.string()) }).optional(),
  /** The packages that an update adds, as they were priced when a person was asked; absent where it adds none. */
  new_packages: z.array(MediaBuyPackage).optional(),
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

/** A task asks for one approval a round, however often it runs: `apr_{task}`, then `apr_{task}_2` and so on. */
export function approvalIdOf(task_id: TaskId, round = 1): string {
  const first = `apr_${partOfIds(task_id)}`;
  return round === 1 ? first : `${first}_${round}`;
}

/** The round that this one came after; undefined for the first. */
export function predecessorOf({ task_id, round }: Pick<Approval, 'task_id' | 'round'>): string | undefined {
  return round === 1 ? undefined : approvalIdOf(task_id, round - 1);
}

/** The round that asks again; undefined unless this one is superseded. */
export function successorOf({ task_id, round, status }: Pick<Approval, 'task_id' | 'round' | 'status'>) {
  return status === 'superseded' ? approvalIdOf(task_id, round + 1) : undefined;
}

/** Whether somebody still has to act: a person at the seller, or the buyer. */
export function isOpen({ status }: Pick<Approval, 'status'>): boolean {
  return OPEN_APPROVALS.includes(status);
}

/** The approvals of a buy that wait, at most 100. */
export async function openApprovalsOf(
  approvals: Collection<Approval>,
  media_buy_id: MediaBuyId,
): Promise<readonly Approval[]> {
  return (await approvals.find({ where: { media_buy_id, status: { in: OPEN_APPROVALS } }, limit: 100 })).rows;
}
