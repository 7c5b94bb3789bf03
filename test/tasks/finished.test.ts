import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inlineTask, queuedTask } from '../../src/runtime/task-definition.ts';
import type { TaskDefinition } from '../../src/runtime/task-definition.ts';
import { mutationFields, readFields } from '../../src/tasks/mutation-fields.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { REQUIREMENTS } from '../requirements.ts';
import { open, proved } from '../requirements/row.ts';
import { typescriptFiles } from '../support/project-files.ts';
import { missingInTask } from './support/unfinished-task.ts';

/** They speak of tasks without calling one with its own input. */
const ABOUT_ALL = ['test/tasks/finished.test.ts', 'test/tasks/examples.test.ts'];

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite');
});
afterAll(() => agent.stop());

it('every task is finished: it says what it does, has fields, examples, a test and a rule', async () => {
  const tests = (await typescriptFiles('test/tasks')).filter(
    ({ path }) => path.endsWith('.test.ts') && !ABOUT_ALL.includes(path),
  );
  const missing = [...agent.core.runtime.tasks.values()].flatMap((task) =>
    missingInTask(task, { rules: REQUIREMENTS, tests }),
  );
  if (missing.length > 0) expect.fail(missing.join('\n'));
});

describe('the check', () => {
  const finished = {
    name: 'pause_everything',
    title: 'Pause everything',
    description: 'Pauses every media buy that runs. Answers which.',
    tags: ['media-buy'],
    examples: [{ title: 'Until told otherwise', input: { note: 'a pause' } }],
    scope: 'tasks:write' as const,
    input: z.strictObject({ note: z.string(), ...mutationFields }),
    output: z.strictObject({ media_buy_ids: z.array(z.string()) }),
    mutates: true,
    check: () => Promise.resolve(),
    run: () => Promise.resolve({ done: {}, message: 'paused' }),
  };
  const rules = [proved('C.tasks.pause_everything', 'Tasks', 'It pauses.')];
  const path = 'test/tasks/pause-everything.test.ts';
  const tests = [{ path, text: `it('pauses', () => call('pause_everything'));` }];
  const missing = (task: TaskDefinition, papers: Partial<Parameters<typeof missingInTask>[1]> = {}) =>
    missingInTask(task, { rules, tests, ...papers });

  it('is content with a task that has everything, and with an empty example where nothing can be sent', () => {
    expect(missing(queuedTask(finished))).toEqual([]);
    const answer = () => Promise.resolve({ result: {}, message: '' });
    const examples = [{ title: 'All', input: {} }];
    expect(missing(inlineTask({ ...finished, examples, input: z.strictObject(readFields), answer }))).toEqual([]);
  });

  it.each([
    ['the title is empty', { title: ' ' }],
    ['the description is empty', { description: '' }],
    ['the description only repeats the title; say what it does and answers', { description: 'Pause everything.' }],
    ['the request has no fields of its own', { input: z.strictObject(mutationFields) }],
    ['the response has no fields', { output: z.strictObject({}) }],
    ['it has no example', { examples: [] }],
    ['an example has an empty input', { examples: [...finished.examples, { title: 'None', input: {} }] }],
  ])('finds: %s', (told, changes) => {
    const found = missing(queuedTask({ ...finished, ...changes } as typeof finished));
    expect(found).toEqual([expect.stringContaining(`pause_everything: ${told}`)]);
  });

  it.each([
    ['no proved rule names it: add C.tasks.pause_everything', { rules: [] }],
    ['is open', { rules: [open('C.tasks.pause_everything', 'Tasks', 'It pauses.', 'not built yet')] }],
    [`no test calls it: write ${path}`, { tests: [] }],
    [`${path} has an it.todo`, { tests: [{ path, text: 'it.todo("pauses");' }] }],
    ['no test calls it', { tests: [{ path, text: '' }] }],
  ])('finds: %s', (told, papers) => {
    const found = missing(queuedTask(finished), papers);
    expect(found).toEqual([expect.stringContaining(told)]);
    expect(found[0]).toMatch(/^pause_everything: /);
  });
});
