import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import { TaskId } from '../../platform/task-id.ts';
import { isTerminal } from '../../runtime/states.ts';
import type { TaskState } from '../../runtime/states.ts';
import type { TaskRun } from '../../runtime/task-run.ts';
import { createApprovalDesk } from '../../sales/approval/approval-desk.ts';
import type { Approval } from '../../sales/approval/approval.ts';
import { isOpen } from '../../sales/approval/approval.ts';
import { lastRound } from '../approval-rounds.ts';
import { termsNow } from '../update-media-buy/granted.ts';
import { ControllerRefusal } from './refusal.ts';
import { scenario } from './scenario.ts';
import { sandboxBuy } from './scene.ts';
import type { Scene } from './scene.ts';

/** How often, and how many times, the task is looked at until it is over. */
const LOOK_EVERY_MS = 100;
const LOOKS = 80;

/**
 * Grants what a task about a sandbox account's media buy waits for, as a person at the seller would: so it is completed, with what it
 * then has done as its result, and everybody who is to hear of that does.
 */
export const forceTaskCompletion = scenario({
  name: 'force_task_completion',
  params: z.looseObject({ task_id: z.string().max(128).pipe(TaskId), result: z.looseObject({}) }),
  async play({ task_id }, scene) {
    const { state: previous_state } = await ownTask(scene, task_id);
    if (previous_state === 'completed') return { previous_state, current_state: previous_state };
    if (isTerminal(previous_state)) {
      const why = `the task ${task_id} is ${previous_state} and cannot become completed`;
      throw new ControllerRefusal('INVALID_TRANSITION', why, previous_state);
    }
    const approval = await waitingApproval(scene, task_id);
    if (approval === undefined) {
      const why = `the task ${task_id} does not wait for a person; ask again, or read it`;
      throw new ControllerRefusal('INVALID_STATE', why, previous_state);
    }
    await sandboxBuy(scene, approval.media_buy_id);
    await grant(scene, approval, previous_state);
    const { state: current_state } = await over(scene, task_id);
    return { previous_state, current_state, message: sayOf(current_state) };
  },
});

/** @throws {ControllerRefusal} `NOT_FOUND`. */
async function ownTask({ tasks, caller }: Scene, task_id: TaskId): Promise<TaskRun> {
  try {
    return await tasks.read(caller, task_id);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'TASK_NOT_FOUND') throw error;
    throw new ControllerRefusal('NOT_FOUND', `no task of yours has the id ${task_id}`);
  }
}

async function waitingApproval({ approvals }: Scene, task_id: TaskId): Promise<Approval | undefined> {
  const last = await lastRound(approvals, task_id);
  return last !== undefined && isOpen(last) ? last : undefined;
}

/** @throws {ControllerRefusal} `INVALID_STATE` where somebody else was quicker, or what it is about has changed. */
async function grant(scene: Scene, { approval_id }: Approval, previous_state: TaskState): Promise<void> {
  try {
    await deskOf(scene).approve(approval_id, { by: 'a test' });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ControllerRefusal('INVALID_STATE', error.message, previous_state);
  }
}

function sayOf(state: TaskState): string {
  if (state === 'completed') return 'granted; its result is what was done, and not what the test sent';
  if (isTerminal(state)) return `granted; and then the task has ${state === 'failed' ? 'failed' : `become ${state}`}`;
  return 'granted; the task is at work on it still: read it';
}

function deskOf({ approvals, clock, wakeTask, mediaBuys }: Scene) {
  return createApprovalDesk({
    ...{ approvals, clock, wake: wakeTask },
    async termsNow(approval) {
      const buy = await mediaBuys.get(approval.media_buy_id);
      return buy && termsNow(buy, approval);
    },
  });
}

/** The task once it is over, or as it stands when that takes longer than a caller may wait. */
async function over(scene: Scene, task_id: TaskId): Promise<TaskRun> {
  let run = await ownTask(scene, task_id);
  for (let look = 0; look < LOOKS && !isTerminal(run.state); look += 1) {
    await delay(LOOK_EVERY_MS);
    run = await ownTask(scene, task_id);
  }
  return run;
}
