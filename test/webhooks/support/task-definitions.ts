import { z } from 'zod';
import { inlineTask, queuedTask } from '../../../src/runtime/task-definition.ts';

const described = {
  title: 'T',
  description: 'D',
  tags: [],
  examples: [],
  scope: 'tasks:write',
  output: z.unknown(),
} as const;

/** A task that notifies, and changes what the buyer has. */
export const mutatingTask = queuedTask({
  ...described,
  name: 'create_media_buy',
  input: z.unknown(),
  mutates: true,
  check: () => Promise.resolve(),
  run: () => Promise.resolve({ waitUntil: undefined }),
});

/** A task that notifies, and changes nothing. */
export const readingTask = queuedTask({
  ...described,
  name: 'slow_report',
  input: z.unknown(),
  mutates: false,
  check: () => Promise.resolve(),
  run: () => Promise.resolve({ waitUntil: undefined }),
});

/** A task answered at once. */
export const inlineOnlyTask = inlineTask({
  ...described,
  name: 'get_products',
  input: z.unknown(),
  answer: () => Promise.resolve({ result: {}, message: '' }),
});
