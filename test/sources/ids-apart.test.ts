import { describe, expect, it } from 'vitest';
import { createCompiler } from './support/compile-with.ts';

const EXECUTE = 'src/runtime/execute.ts';
const UNDO = 'src/runtime/undo.ts';
const NOTIFIER = 'src/webhooks/notifier.ts';
const CREATE = 'src/tasks/create-media-buy/undo-buy.ts';
const REPORT = 'src/reporting/next-report.ts';
const MESSAGE = 'src/a2a/send-message.ts';

const compiler = createCompiler([EXECUTE, UNDO, NOTIFIER, CREATE, REPORT, MESSAGE]);

describe('an id of one kind where another is meant', () => {
  it('stands nowhere yet: the sources compile as they are', () => {
    expect(compiler.complaints({})).toEqual([]);
  });

  it.each([
    ['a task’s for a media buy’s', CREATE, 'mediaBuyIdOf(run.task_id)', 'run.task_id', 'MediaBuyId'],
    ['a task’s for what a delivery is about', NOTIFIER, 'deps.subjectOf?.(run) ??', 'run.task_id ??', 'MediaBuyId'],
    [
      'an organization’s for a task’s',
      EXECUTE,
      'transition(deps, task_id,',
      'transition(deps, run.organization_id,',
      'TaskId',
    ],
    ['a task’s for an organization’s', UNDO, '= { organization_id,', '= { organization_id: task_id,', 'OrganizationId'],
    [
      'an organization’s for a media buy’s',
      REPORT,
      'flights.get(media_buy_id)',
      'flights.get(seen.organization_id)',
      'MediaBuyId',
    ],
    ['text from outside for a task’s', MESSAGE, 'TaskId.parse(message.taskId)', 'message.taskId', 'TaskId'],
  ])('does not compile: %s', (_what, file, is, would, brand) => {
    const complaints = compiler.complaints({ [file]: (text) => text.replace(is, would) });
    expect(complaints).toContainEqual(expect.stringMatching(new RegExp(`^${file}: [^]*\\$brand<"${brand}">`)));
  });
});
