import { toTimestamp } from '../platform/clock.ts';
import type { Collection } from '../platform/store/collection.ts';
import type { RunContext, RunOutcome } from '../runtime/task-definition.ts';
import type { Approval } from '../sales/approval/approval.ts';
import { notGranted } from '../sales/approval/grant.ts';
import type { ApprovalGrant } from '../sales/approval/grant.ts';
import { isBeingCanceled } from '../sales/media-buy/being-canceled.ts';
import { isTerminalBuy } from '../sales/media-buy/transitions.ts';
import { currentRound, supersede, withdrawApprovals } from './approval-rounds.ts';
import type { ApprovalRequest } from './approval-rounds.ts';
import type { TaskDependencies } from './dependencies.ts';

/** The decision, or how the task waits for it. */
export type PersonsDecision = { decided: Approval } | { wait: RunOutcome };

/** When a task looks again at a buy that is being canceled, if nobody wakes it before. */
const LOOK_AGAIN_MS = 300_000;

/**
 * Lets a person at the seller decide (rule T3): asks once, however often the task runs, and waits as long as it
 * takes. A question of theirs goes to the buyer, whose next message brings the matter back to them. Once it is approved, what
 * is to be done must be what was granted; else they are asked again (rule B15).
 */
export async function personsDecision(
  deps: Pick<TaskDependencies, 'approvals' | 'approvalPolicy' | 'credit' | 'mediaBuys'>,
  request: ApprovalRequest,
  context: RunContext,
): Promise<PersonsDecision> {
  const { approvals } = deps;
  let approval = await currentRound(deps, request, context);
  const tellOfRound = () =>
    context.step({
      current_step: waitingStep(approval),
      step_number: 2,
      total_steps: 3,
      details: request.details,
    });
  if (approval.status === 'asked') {
    const ended = await endedWith(deps, approval, context);
    if (ended !== undefined) return ended;
    approval = await takeAnswer(approvals, approval, context);
  }
  if (approval.status === 'asked') {
    // The task may stand at a question of the round before, which was approved unanswered.
    if (approval.round > 1) await tellOfRound();
    if (context.run.state === 'input-required') return { wait: { waitUntil: undefined } };
    const question = approval.questions.at(-1)?.question ?? '';
    const { media_buy_id } = approval;
    return { wait: { ask: { reason: question, media_buy_id, approval_id: approval.approval_id }, message: question } };
  }
  if (approval.status === 'approved') {
    const because = request.isDone === true ? [] : changedTerms(approval, request.terms);
    if (because.length === 0) return { decided: approval };
    await supersede(approvals, approval, because, context.now());
    return personsDecision(deps, request, context);
  }
  if (approval.status !== 'pending') return { decided: approval };
  await tellOfRound();
  const ended = await endedWith(deps, approval, context);
  return ended ?? { wait: { waitUntil: undefined, waits_for: 'person' } };
}

/**
 * How the task goes on where there is nothing to decide: what waits for a person about a buy that is over is taken back, and of one
 * that is being canceled that is seen to in a while. Who ends a buy cannot have seen a round that came after.
 */
async function endedWith(
  { approvals, mediaBuys }: Pick<TaskDependencies, 'approvals' | 'mediaBuys'>,
  { media_buy_id, task_id }: Approval,
  { now }: RunContext,
): Promise<{ wait: RunOutcome } | undefined> {
  const buy = await mediaBuys.get(media_buy_id);
  if (buy === undefined) return undefined;
  if (!isTerminalBuy(buy.status)) {
    return isBeingCanceled(buy) ? { wait: { waitUntil: now() + LOOK_AGAIN_MS, waits_for: 'person' } } : undefined;
  }
  const by = buy.history.findLast(({ action }) => action === buy.status)?.actor;
  await withdrawApprovals(approvals, task_id, now(), by);
  return { wait: { waitUntil: now() } };
}

/** What of these terms an approval does not grant, in words; one that 0.1.0 decided grants whatever comes. Pure. */
export function changedTerms({ grant, currency }: Approval, terms: ApprovalGrant): string[] {
  return grant === undefined ? [] : notGranted(grant, terms, currency);
}

/** Each round in words of its own, so that each is told, once (rule W1). */
function waitingStep({ round }: Approval): string {
  const first = 'waiting for approval by the seller';
  return round === 1 ? first : `${first}, asked again since the terms have changed (round ${round})`;
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
