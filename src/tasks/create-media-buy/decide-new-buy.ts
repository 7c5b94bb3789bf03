import { AppError } from '../../platform/errors.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { RunContext } from '../../runtime/task-definition.ts';
import type { Approval } from '../../sales/approval/approval.ts';
import { approved, rejected } from '../../sales/approval/decided-buy.ts';
import { grantOfNewBuy } from '../../sales/approval/grant.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { awaitsApproval } from '../../sales/media-buy/readiness.ts';
import { isTerminalBuy } from '../../sales/media-buy/transitions.ts';
import { changedTerms, personsDecision } from '../approval.ts';
import type { PersonsDecision } from '../approval.ts';
import type { TaskDependencies } from '../dependencies.ts';

/**
 * How the task waits for a person, or the buy after their decision. While it waits the buyer may change it, so it is approved
 * only as it was granted, also when the change comes between the look at it and the write (rule B15).
 */
export async function decideNewBuy(
  deps: TaskDependencies,
  seen: MediaBuy,
  context: RunContext,
): Promise<Extract<PersonsDecision, { wait: unknown }> | { decided: Approval; buy: MediaBuy }> {
  const forced = await deps.tested?.forcedArms.of(context.run.task_id);
  for (let buy = seen; ;) {
    const { media_buy_id, status } = buy;
    const details = { media_buy_id, status, pending_reason: 'approval' };
    const isDone = isTerminalBuy(status) || !awaitsApproval(buy);
    const request = { operation: 'create_media_buy' as const, buy, terms: grantOfNewBuy(buy), isDone, details, forced };
    const decision = await personsDecision(deps, request, context);
    if ('wait' in decision) return decision;
    buy = await applyDecision(deps, buy, decision.decided, context);
    const isLeft = decision.decided.status === 'approved' && !isTerminalBuy(buy.status) && awaitsApproval(buy);
    if (!isLeft) return { ...decision, buy };
  }
}

/** Makes the buy what was decided, once. */
async function applyDecision(
  deps: TaskDependencies,
  seen: MediaBuy,
  approval: Approval,
  { now }: RunContext,
): Promise<MediaBuy> {
  const at = toTimestamp(now());
  const look = await deps.courier.look(seen);
  const outcome = await deps.mediaBuys.update(seen.media_buy_id, (stored) => {
    if (isTerminalBuy(stored.status) || !awaitsApproval(stored)) return undefined;
    if (approval.status === 'rejected') return rejected(stored, approval, at);
    if (approval.status !== 'approved' || changedTerms(approval, grantOfNewBuy(stored)).length > 0) return undefined;
    return approved(stored, approval, look.readiness, at);
  });
  return outcome?.row ?? seen;
}

/** What a task fails with whose buy a person has rejected. Pure. */
export function approvalRejection({ reason, note }: Approval): AppError {
  const words = [reason, note].filter((text) => text !== null).join('; ');
  return new AppError('APPROVAL_REJECTED', `the seller rejected the media buy${words === '' ? '' : `: ${words}`}`);
}
