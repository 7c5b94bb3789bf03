import type { TaskDefinition } from '../../../src/runtime/task-definition.ts';
import { mutationFields } from '../../../src/tasks/mutation-fields.ts';
import type { Requirement } from '../../requirements/row.ts';
import type { SourceFile } from '../../support/source-imports.ts';
import { hasNoFields, missingInRules, missingInTests, sameWords } from '../../support/unfinished.ts';

export interface Papers {
  rules: readonly Requirement[];
  /** The files of `test/tasks`. */
  tests: readonly SourceFile[];
}

/** What a task still lacks, one line each: `pause_everything: the title is empty`. */
export function missingInTask(task: TaskDefinition, { rules, tests }: Papers): string[] {
  const { name, title, description, examples, input, output } = task;
  const kebab = name.replaceAll('_', '-');
  const ownTest = `test/tasks/${kebab}.test.ts`;
  const missing: string[] = [];
  if (title.trim() === '') missing.push('the title is empty; name it for people');
  if (description.trim() === '') missing.push('the description is empty; say what it does and answers');
  else if (sameWords(description, title) || sameWords(description, name))
    missing.push('the description only repeats the title; say what it does and answers');
  if (task.mode === 'queued' && hasNoFields(input, mutationFields))
    missing.push('the request has no fields of its own; say in schema.ts what it takes');
  if (hasNoFields(output)) missing.push('the response has no fields; say in schema.ts what it answers');
  if (examples.length === 0) missing.push('it has no example; give one that runs when it is pasted');
  if (!hasNoFields(input, mutationFields) && examples.some((example) => Object.keys(example.input).length === 0))
    missing.push('an example has an empty input, though the request has fields; show how they are used');
  missing.push(
    ...missingInTests(
      tests.filter(({ path, text }) => path === ownTest || text.includes(`'${name}'`)),
      ownTest,
    ),
    ...missingInRules(
      rules.filter(({ id, text }) => id === `C.tasks.${name}` || text.includes(`\`${name}\``)),
      `C.tasks.${name}`,
    ),
  );
  return missing.map((line) => `${name}: ${line}`);
}
