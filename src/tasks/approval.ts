import { toTimestamp } from '../platform/clock.ts';
import type { Collection } from '../platform/store/collection.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { RunContext, RunOutcome } from '../runtime/task-definition.ts';
import { withoutWebhookSecrets } from '../runtime/webhook-secrets.ts';
import { approvalIdOf } from '../sales/approval/approval.ts';
import type { Approval } from '../sales/approval/approval.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import type { TaskDependencies } from './dependencies.ts';

/** What a person is asked to decide. */
export interface ApprovalRequest {
  operation: Approval['operation'];
  buy: MediaBuy;
  /** What the buy's total is to be, in minor units. */
  total_budget_minor: number;
  /** Told to the buyer with the step that waits. */
  details: JsonObject;
}

/** The decision, or how the task waits for it. */
export type PersonsDecision = { decided: Approval } | { wait: RunOutcome };

/**
 * Lets a person at the seller decide (rule T3): asks once, however often the task runs, and waits as long as it
 * takes. A question of theirs goes to the buyer, whose next message brings the matter back to them.
 */
export async function personsDecision(
  deps: Pick<TaskDependencies, 'approvals' | 'approvalPolicy'>,
  request: ApprovalRequest,
  context: RunContext,
): Promise<PersonsDecision> {
  const { approvals } = deps;
  let approval = await requestApproval(deps, request, context);
  if (approval.status === 'asked') approval = await takeAnswer(approvals, approval, context);
  if (approval.status === 'asked') {
    if (context.run.state === 'input-required') return { wait: { waitUntil: undefined } };
    const question = approval.questions.at(-1)?.question ?? '';
    const { media_buy_id } = approval;
    return { wait: { ask: { reason: question, media_buy_id, approval_id: approval.approval_id }, message: question } };
  }
  if (approval.status !== 'pending') return { decided: approval };
  await context.step({
    current_step: 'waiting for approval by the seller',
    step_number: 2,
    total_steps: 3,
    details: request.details,
  });
  return { wait: { waitUntil: undefined } };
}

/** Notes that the task has acted on what was decided. Call when its effects are stored. */
export async function settleApproval(
  { approvals }: Pick<TaskDependencies, 'approvals'>,
  { approval_id, status }: Approval,
): Promise<void> {
  await approvals.update(approval_id, (row) =>
    row.status === status && row.wake_due_at !== null ? { ...row, wake_due_at: null } : undefined,
  );
}

/** Takes back what is not decided yet, since there is nothing to decide any more. */
export async function withdrawApproval(
  approvals: Collection<Approval>,
  approval_id: string,
  nowMs: number,
): Promise<boolean> {
  const at = toTimestamp(nowMs);
  const outcome = await approvals.update(approval_id, (row) =>
    row.status === 'pending' || row.status === 'asked'
      ? { ...row, status: 'withdrawn', decided_at: at, decided_by: 'buyer', wake_due_at: at }
      : undefined,
  );
  return outcome?.changed === true;
}

async function requestApproval(
  { approvals, approvalPolicy }: Pick<TaskDependencies, 'approvals' | 'approvalPolicy'>,
  { operation, buy, total_budget_minor }: ApprovalRequest,
  { run, now }: RunContext,
): Promise<Approval> {
  const approval_id = approvalIdOf(run.task_id);
  const known = await approvals.get(approval_id);
  if (known !== undefined) return known;
  const { media_buy_id, organization_id, buyer_ref, currency } = buy;
  const row: Approval = {
    ...{ approval_id, task_id: run.task_id, organization_id, media_buy_id, buyer_ref, operation, currency },
    total_budget_minor,
    previous_budget_minor: operation === 'create_media_buy' ? null : buy.total_budget_minor,
    why: approvalPolicy.why({ operation, total_budget_minor, currency }),
    request: withoutWebhookSecrets(run.input) as JsonObject,
    requested_at: toTimestamp(now()),
    status: 'pending',
    ...{ decided_at: null, decided_by: null, reason: null, note: null, questions: [], wake_due_at: null },
    revision: 1,
  };
  await approvals.insert(row);
  return (await approvals.get(approval_id)) ?? row;
}

/** Puts an open question to the buyer, or takes their answer when a message has come since. */
async function takeAnswer(
  approvals: Collection<Approval>,
  asked: Approval,
  { run, now }: RunContext,
): Promise<Approval> {
  const outcome = await approvals.update(asked.approval_id, (row) => {
    const question = row.questions.at(-1);
    if (row.status !== 'asked' || question === undefined) return undefined;
    const others = row.questions.slice(0, -1);
    if (question.messages_before === null) {
      const put = { ...question, messages_before: run.messages.length };
      return { ...row, questions: [...others, put], wake_due_at: null };
    }
    if (run.messages.length <= question.messages_before) return undefined;
    const answer = run.messages.at(-1)?.wire['parts'] ?? null;
    const answered = { ...question, answered_at: toTimestamp(now()), answer };
    return { ...row, status: 'pending', questions: [...others, answered], wake_due_at: null };
  });
  return outcome?.row ?? asked;
}
