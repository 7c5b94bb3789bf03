import { z } from 'zod';
import { isObject } from '../../../platform/json-object.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { TaskId } from '../../../platform/task-id.ts';
import { isInterrupted } from '../../../runtime/states.ts';
import { currentStatus } from '../../../runtime/task-run.ts';
import { EnvelopeFields } from '../envelope.ts';
import { taskHead } from '../task-view.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';

const AdcpGetTaskStatusRequest = z.looseObject({
  ...EnvelopeFields.shape,
  task_id: z.string().min(1, 'must not be empty').max(512),
  include_result: z.boolean().optional(),
});
type AdcpGetTaskStatusRequest = z.infer<typeof AdcpGetTaskStatusRequest>;

/** Tells how a task stands, by its name of 3.1. */
export const adcpGetTaskStatus = (): Translator => statusOf('get_task_status');
/** The same by its name of 3.0. */
export const adcpTasksGet = (): Translator => statusOf('tasks/get');

function statusOf(skill: string): Translator {
  return translator<AdcpGetTaskStatusRequest>({
    skill,
    task: 'get_task_status',
    title: 'Get task status',
    description: 'Tells how one of your tasks stands, with its progress, its result when asked for, or its error.',
    tags: ['tasks'],
    mutates: false,
    examples: [{ task_id: '0192d1c6-0000-7000-8000-000000000000', include_result: true }],
    input: AdcpGetTaskStatusRequest,
    in: ({ task_id, include_result = skill === 'tasks/get' }) => ({
      input: { task_id },
      ...(include_result && { extra: { include_result } }),
    }),
    async out(result, { extra, release, standing }) {
      const { run, result: done, error } = await standing(TaskId.parse(result['task_id']));
      const progress = run.state === 'working' ? progressOf(result['result']) : undefined;
      return {
        ...taskHead(result, release, run.spoken?.skill),
        ...{ protocol: 'media-buy', has_webhook: run.registrations.length > 0, status: run.state },
        ...(isInterrupted(run.state) && { message: currentStatus(run).message }),
        ...(progress !== undefined && { progress }),
        ...(extra['include_result'] === true && done !== undefined && { result: done }),
        ...(error !== undefined && { error }),
      };
    },
  });
}

/** Where a task that is at work stands: its step, and how much of the way is behind it. */
function progressOf(told: unknown): JsonObject | undefined {
  if (!isObject(told)) return undefined;
  const { current_step, step_number, total_steps } = told;
  if (typeof step_number !== 'number' || typeof total_steps !== 'number' || total_steps === 0) return undefined;
  const percentage = Math.min(100, Math.max(0, Math.round(((step_number - 1) / total_steps) * 100)));
  return { percentage, current_step, step_number, total_steps };
}
