import { z } from 'zod';
import { isRandomId, TaskId } from '../../platform/task-id.ts';
import { ForcedArm } from '../../sales/fixture/forced-arm-row.ts';
import { ControllerRefusal } from './refusal.ts';
import { scenario } from './scenario.ts';

/** Of an id that is the test's own: it goes wherever ids go. */
const ForcedTaskId = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,127}$/, 'send 1 to 128 letters, digits, _ or -, a letter first')
  .refine((id) => !isRandomId(id), 'ids of this form are made here; choose another')
  .pipe(TaskId);

/**
 * Has the next `create_media_buy` under the sandbox account wait for a person at the seller, in a task of this id; or for the buyer's
 * answer to that person's question. What is booked is what is asked for, once it is decided: `force_task_completion`, or an operator.
 */
export const forceCreateMediaBuyArm = scenario({
  name: 'force_create_media_buy_arm',
  params: z
    .looseObject({
      arm: ForcedArm,
      task_id: ForcedTaskId.optional(),
      message: z.string().max(2000).default(''),
    })
    .refine(({ arm, task_id }) => arm !== 'submitted' || task_id !== undefined, {
      path: ['task_id'],
      error: 'send the id that the task is to have',
    }),
  async play({ arm, task_id, message }, { tested, caller, account_id = '', newId }) {
    const { organization_id } = caller;
    const id = task_id ?? TaskId.parse(newId());
    if (await tested.forcedArms.force({ task_id: id, organization_id, account_id, arm, message })) {
      return { forced: { arm, ...(task_id !== undefined && { task_id }) } };
    }
    throw new ControllerRefusal('INVALID_STATE', `the task id ${id} cannot be used here any more; choose another`);
  },
});
