import { toTimestamp } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { Collection } from '../platform/store/collection.ts';
import type { TaskId } from '../platform/task-id.ts';
import type { RunContext } from '../runtime/task-definition.ts';
import { withoutWebhookSecrets } from '../runtime/webhook-secrets.ts';
import { approvalIdOf, isOpen } from '../sales/approval/approval.ts';
import type { Approval } from '../sales/approval/approval.ts';
import type { ApprovalGrant } from '../sales/approval/grant.ts';
import type { ForcedArmRow } from '../sales/fixture/forced-arm-row.ts';
import type { MediaBuy, MediaBuyEvent } from '../sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../sales/media-buy/media-buy-package.ts';
import type { TaskDependencies } from './dependencies.ts';

type Rounds = Collection<Approval>;

/** What a person is asked to decide. */
export interface ApprovalRequest {
  operation: Approval['operation'];
  buy: MediaBuy;
  /** What is to be done, reckoned from the buy as it stands. */
  terms: ApprovalGrant;
  /** The packages that an update adds. */
  new_packages?: readonly MediaBuyPackage[];
  /** What was approved has been done before: its terms are not looked at any more. */
  isDone?: boolean;
  /** A test of the public protocol has forced the question, or one of the person's to the buyer. */
  forced?: Pick<ForcedArmRow, 'arm' | 'message'> | undefined;
  /** Told to the buyer with the step that waits. */
  details: JsonObject;
}

/** The last round of a task that has asked; superseded when it died before it could ask again. */
export async function lastRound(approvals: Rounds, task_id: TaskId): Promise<Approval | undefined> {
  let last: Approval | undefined;
  for (;;) {
    const row = await approvals.get(approvalIdOf(task_id, (last?.round ?? 0) + 1));
    if (row === undefined) return last;
    last = row;
    if (row.status !== 'superseded') return row;
  }
}

/** The round that counts: asked now when none is there, or when the last one is superseded. */
export async function currentRound(
  { approvals, approvalPolicy, credit }: Pick<TaskDependencies, 'approvals' | 'approvalPolicy' | 'credit'>,
  { operation, buy, terms, new_packages = [], forced }: ApprovalRequest,
  { run, now }: RunContext,
): Promise<Approval> {
  const last = await lastRound(approvals, run.task_id);
  if (last !== undefined && last.status !== 'superseded') return last;
  const { media_buy_id, organization_id, buyer_ref, currency } = buy;
  const total_budget_minor = terms.total_minor;
  const { approvalOver: own } = await credit.limitsOf(organization_id);
  const round = (last?.round ?? 0) + 1;
  const because = last?.superseded?.because ?? [];
  const row: Approval = {
    ...{ approval_id: approvalIdOf(run.task_id, round), task_id: run.task_id, round, organization_id, media_buy_id },
    ...{ buyer_ref, operation, currency, total_budget_minor },
    previous_budget_minor: operation === 'create_media_buy' ? null : buy.total_budget_minor,
    why:
      last !== undefined
        ? `what was approved has changed: ${because.join('; ')}`
        : forced === undefined
          ? approvalPolicy.why({ operation, total_budget_minor, currency, own })
          : 'a test of the public protocol wants it decided by a person',
    asked_terms: terms,
    ...(new_packages.length > 0 && { new_packages: [...new_packages] }),
    request: withoutWebhookSecrets(run.input) as JsonObject,
    requested_at: toTimestamp(now()),
    status: 'pending',
    ...{ decided_at: null, decided_by: null, reason: null, note: null, questions: [], wake_due_at: null },
    ...(last === undefined && forced?.arm === 'input-required' && askedByTest(forced.message, now())),
    revision: 1,
  };
  await approvals.insert(row);
  return (await approvals.get(row.approval_id)) ?? row;
}

/** The question of a person who has looked at it at once. */
function askedByTest(message: string, nowMs: number): Pick<Approval, 'status' | 'questions'> {
  const question = message === '' ? 'please confirm the order' : message;
  const open = {
    asked_at: toTimestamp(nowMs),
    asked_by: 'a test',
    messages_before: null,
    answered_at: null,
    answer: null,
  };
  return { status: 'asked', questions: [{ question, ...open }] };
}

/** An approval whose grant does not cover what is to be done counts no more. */
export async function supersede(
  approvals: Rounds,
  { approval_id }: Approval,
  because: string[],
  nowMs: number,
): Promise<void> {
  await approvals.update(approval_id, (row) =>
    row.status === 'approved'
      ? { ...row, status: 'superseded', superseded: { at: toTimestamp(nowMs), because }, wake_due_at: null }
      : undefined,
  );
}

/** Notes that the task has acted on what was decided last, if anything was. Call when its effects are stored. */
export async function settleApprovals(
  { approvals }: Pick<TaskDependencies, 'approvals'>,
  task_id: TaskId,
): Promise<void> {
  const last = await lastRound(approvals, task_id);
  if (last === undefined) return;
  await approvals.update(last.approval_id, (row) =>
    row.status === last.status && row.wake_due_at !== null ? { ...row, wake_due_at: null } : undefined,
  );
}

/** Takes back what a task has asked and nobody has decided yet, since there is nothing to decide any more; `by` has ended it. */
export async function withdrawApprovals(
  approvals: Rounds,
  task_id: TaskId,
  nowMs: number,
  by: MediaBuyEvent['actor'] = 'buyer',
): Promise<void> {
  const last = await lastRound(approvals, task_id);
  if (last === undefined) return;
  const at = toTimestamp(nowMs);
  await approvals.update(last.approval_id, (row) =>
    isOpen(row) ? { ...row, status: 'withdrawn', decided_at: at, decided_by: by, wake_due_at: at } : undefined,
  );
}
