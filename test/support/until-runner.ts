import { TestRunner } from 'vitest';
import type { RunnerTask, RunnerTestSuite } from 'vitest';
import { TESTS_UNTIL_MS } from './tests-until.ts';

/**
 * Runs tests up to the time in `TESTS_UNTIL`, and skips those that have not begun by then: `.ci/run` has an end on slow machines too,
 * and says what it left out.
 */
export default class UntilRunner extends TestRunner {
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    skipIfOver(suite);
    await super.onBeforeRunSuite(suite);
  }

  override async onBeforeRunTask(test: Parameters<TestRunner['onBeforeRunTask']>[0]): Promise<void> {
    skipIfOver(test);
    await super.onBeforeRunTask(test);
  }
}

function skipIfOver(task: RunnerTask): void {
  if (Date.now() < TESTS_UNTIL_MS || !['run', 'queued'].includes(task.mode)) return;
  task.mode = 'skip';
  if ('tasks' in task) for (const one of task.tasks) skipIfOver(one);
}
