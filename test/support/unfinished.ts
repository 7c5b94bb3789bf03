import { z } from 'zod';
import type { Requirement } from '../requirements/row.ts';
import type { SourceFile } from './source-imports.ts';

/** Whether two texts say the same, but for capitals, signs and the way words are joined (`listThings`, `List things.`). */
export function sameWords(one: string, other: string): boolean {
  return lettersOf(one) === lettersOf(other);
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Whether a schema is an object of no fields but those of `beside`. */
export function hasNoFields(schema: z.ZodType | undefined, beside: object = {}): boolean {
  return schema instanceof z.ZodObject && Object.keys(schema.shape).every((field) => field in beside);
}

/** What is missing in the rules that something names; one of them at least must be proved, and its own, if it has one. */
export function missingInRules(rules: readonly Requirement[], ownId: string): string[] {
  const own = rules.find(({ id }) => id === ownId);
  if (own?.status === 'open')
    return [
      `rule ${ownId} is open: say in test/requirements what it promises, name it in a test's title, make it \`proved\``,
    ];
  return rules.some(({ status }) => status === 'proved')
    ? []
    : [`no proved rule names it: add ${ownId} to test/requirements`];
}

/** What is missing in the test files of something: a test, or what a todo says. */
export function missingInTests(tests: readonly SourceFile[], wanted: string): string[] {
  const withTodo = tests.filter(({ text }) => /\bit\.todo\(/.test(text));
  if (withTodo.length > 0) return withTodo.map(({ path }) => `${path} has an it.todo: write that test`);
  return tests.some(({ text }) => /\bit(\(|\.(each|for|concurrent))/.test(text))
    ? []
    : [`no test calls it: write ${wanted}`];
}
