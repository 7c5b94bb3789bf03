import { z } from 'zod';
import { AppError } from '../../../src/platform/errors.ts';
import { inlineTask, queuedTask } from '../../../src/runtime/task-definition.ts';

const described = { tags: ['test'], output: z.unknown(), examples: [] };

/** Answered at once. */
export const echo = inlineTask({
  ...described,
  name: 'echo',
  title: 'Echo',
  description: 'Says it again.',
  scope: 'tasks:read',
  examples: [{ title: 'A word', input: { say: 'hello' } }],
  input: z.strictObject({ say: z.string() }),
  answer: ({ say }) => Promise.resolve({ result: { said: say }, message: `you said ${say}` }),
});

/** Takes two steps; refuses some input at once, some later, and breaks on some. */
export const build = queuedTask({
  ...described,
  name: 'build',
  title: 'Build',
  description: 'Builds a thing in two steps.',
  scope: 'tasks:write',
  examples: [{ title: 'A house', input: { thing: 'house' } }],
  mutates: true,
  input: z.strictObject({
    thing: z.string(),
    idempotency_key: z.string().optional(),
    context: z.unknown().optional(),
    push_notification_config: z.unknown().optional(),
  }),
  check({ thing }) {
    if (thing !== 'nothing') return Promise.resolve();
    throw new AppError('PRODUCT_NOT_FOUND', 'thing: there is no such thing', { field: 'thing' });
  },
  async run({ thing }, context) {
    await context.step({ current_step: 'dig', step_number: 1, total_steps: 2 });
    if (thing === 'tower') throw new AppError('AD_SERVER_REJECTED', 'the ground is too soft', { field: 'thing' });
    if (thing === 'bomb') throw new Error('secret text /etc/passwd');
    await context.step({ current_step: 'raise', step_number: 2, total_steps: 2 });
    return { done: { built: thing }, message: `the ${thing} stands` };
  },
});

/** Asks for a colour unless it was told one. */
export const paint = queuedTask({
  ...described,
  name: 'paint',
  title: 'Paint',
  description: 'Paints in the colour that it is told.',
  scope: 'tasks:write',
  mutates: true,
  input: z.strictObject({ colour: z.string().optional() }),
  check: () => Promise.resolve(),
  run({ colour }) {
    return Promise.resolve(
      colour === undefined
        ? { ask: { reason: 'no colour' }, message: 'which colour?' }
        : { done: { painted: colour }, message: `painted ${colour}` },
    );
  },
});

/** Waits until it is canceled. */
export const wait = queuedTask({
  ...described,
  name: 'wait',
  title: 'Wait',
  description: 'Waits for ever.',
  scope: 'tasks:write',
  mutates: false,
  input: z.strictObject({}),
  check: () => Promise.resolve(),
  run: () => Promise.resolve({ waitUntil: undefined }),
});

/** Waits for somebody without end; for nobody in particular: a moment, twice, and then it is done. */
export const hold = queuedTask({
  ...{ name: 'hold', title: 'Hold', description: 'Waits.', tags: [], examples: [], output: z.unknown() },
  ...{ scope: 'tasks:write', mutates: false, check: () => Promise.resolve() },
  input: z.strictObject({ for: z.enum(['person', 'ad_server', 'moment']) }),
  async run({ for: whom }, context) {
    await context.step({ current_step: `waiting for a ${whom}`, step_number: 1, total_steps: 2 });
    if (whom !== 'moment') return { waitUntil: undefined, waits_for: whom };
    return context.run.turn < 3 ? { waitUntil: context.now() + 20 } : { done: {}, message: 'held' };
  },
});

export const TASKS = [echo, build, paint, wait];
