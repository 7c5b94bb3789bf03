import { z } from 'zod';
import type { Store } from '../../../platform/store/collection.ts';
import type { TaskRun } from '../../../runtime/task-run.ts';
import { Approval, approvalIdOf, Approvals, BuyerQuestion, successorOf } from '../../../sales/approval/approval.ts';

/** So many rounds of a task's approval are told. */
const MOST_ROUNDS = 10;

/** A person's decision that a task waited for: since when and until when. */
export const TaskApprovalView = Approval.pick({
  ...{ approval_id: true, status: true, requested_at: true, decided_at: true },
}).extend({ questions: z.array(BuyerQuestion.pick({ asked_at: true, answered_at: true })) });
export type TaskApprovalView = z.infer<typeof TaskApprovalView>;

/** The rounds in which a task asked a person, the first first: by their ids, one read a round. */
export async function approvalsOfTask(
  store: Store,
  { task_id, task_type }: Pick<TaskRun, 'task_id' | 'task_type'>,
): Promise<TaskApprovalView[]> {
  const found: TaskApprovalView[] = [];
  if (!Approval.shape.operation.safeParse(task_type).success) return found;
  let id: string | undefined = approvalIdOf(task_id);
  while (id !== undefined && found.length < MOST_ROUNDS) {
    const row: Approval | undefined = await store.collection(Approvals).get(id);
    if (row === undefined) break;
    const { approval_id, status, requested_at, decided_at } = row;
    const questions = row.questions.map(({ asked_at, answered_at }) => ({ asked_at, answered_at }));
    found.push({ approval_id, status, requested_at, decided_at, questions });
    id = successorOf(row);
  }
  return found;
}
