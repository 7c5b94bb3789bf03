import { z } from 'zod';
import { AppError } from '../../../src/platform/errors.ts';
import { inlineTask, queuedTask } from '../../../src/runtime/task-definition.ts';
import type { QueuedTask, RunContext, RunOutcome, TaskDefinition } from '../../../src/runtime/task-definition.ts';

const described = (name: string) => ({
  ...{ name, title: name, description: name, tags: [], examples: [] },
  output: z.record(z.string(), z.unknown()),
});

const Input = z.strictObject({
  text: z.string().optional(),
  idempotency_key: z.string().optional(),
  context: z.unknown().optional(),
  push_notification_config: z.unknown().optional(),
});
type Input = z.infer<typeof Input>;

/** A task of a test's own making; what it does stands in the test. */
export function aTask(
  name: string,
  run: (input: Input, context: RunContext) => Promise<RunOutcome>,
  more: Partial<Pick<QueuedTask<Input>, 'check' | 'undo' | 'exclusive' | 'makes'>> = {},
): TaskDefinition {
  return queuedTask<Input>({
    ...described(name),
    ...{ scope: 'tasks:write', mutates: true, input: Input, run },
    check: () => Promise.resolve(),
    ...more,
  });
}

/** Ends at once. */
export const plain = aTask('plain', ({ text }) => Promise.resolve({ done: { text }, message: 'done' }));

/** Answers at once what it is sent. */
export const echo = inlineTask<Input>({
  ...described('echo'),
  ...{ scope: 'tasks:read', input: Input },
  answer({ text }) {
    if (text === 'refuse me') throw new AppError('INVALID_REQUEST', 'as you wish', { field: 'text' });
    return Promise.resolve({ result: { text }, message: 'echoed' });
  },
});

/** One at a time per text, waiting to be woken; refuses what asks for it. */
export const only = aTask('only', () => Promise.resolve({ waitUntil: undefined }), {
  exclusive: {
    key: ({ text }) => text ?? '',
    refusal: (holder) => new AppError('CONFLICT', 'at work on it', { details: { task_id: holder.task_id } }),
  },
  check({ text }) {
    if (text === 'refuse me') throw new AppError('INVALID_REQUEST', 'as you wish', { field: 'text' });
    return Promise.resolve();
  },
});
