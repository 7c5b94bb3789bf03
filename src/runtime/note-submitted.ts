import type { RuntimeBase } from './dependencies.ts';
import type { TaskRun } from './task-run.ts';

/**
 * Writes down that the first answer to a translated request said that the work goes on, before it is given: repeats of the request
 * are answered the same, whatever has come of it since.
 */
export async function noteSubmitted({ runs }: Pick<RuntimeBase, 'runs'>, run: TaskRun): Promise<TaskRun> {
  const { spoken } = run;
  if (spoken === undefined || spoken.was_submitted === true) return run;
  const outcome = await runs.update(run.task_id, (stored) =>
    stored.spoken === undefined || stored.spoken.was_submitted === true
      ? undefined
      : { ...stored, spoken: { ...stored.spoken, was_submitted: true } },
  );
  return outcome?.row ?? run;
}
