// `npm run new:task NAME --inline|--queued`: makes a task's folder, its line in the list, its test and its rule. NAME is
// in snake_case. Until each of them says something, `npm test` fails with the task's name and what is missing.
import { addOpenRule, addToList, spellings, writeNew, writeRules } from './source-lists.mjs';

const USAGE = `usage: npm run new:task NAME -- --inline|--queued, such as
  npm run new:task get_forecast -- --inline        answered at once; never notifies
  npm run new:task pause_everything -- --queued    done by a worker; told by webhook`;

// npm keeps flags that no `--` precedes for itself, and tells scripts of them by the environment.
const flags = ['inline', 'queued'].filter(
  (flag) => process.argv.includes(`--${flag}`) || process.env[`npm_config_${flag}`] === 'true',
);
const [name = '', ...rest] = process.argv.slice(2).filter((word) => !/^--(inline|queued)$/.test(word));
if (!/^[a-z]+(_[a-z]+)+$/.test(name) || rest.length > 0 || flags.length !== 1) {
  console.error(USAGE);
  process.exit(2);
}
const [mode] = flags;
if (mode === 'queued' && /^(get|list)_/.test(name)) {
  console.error(`${name}: get_* and list_* tasks answer at once (rule T2); use --inline, or another verb`);
  process.exit(2);
}

const { title, kebab, pascal, camel } = spellings(name.split('_'));
const rule = ['C', 'tasks', name].join('.');
const fields = mode === 'queued' ? 'mutationFields' : 'readFields';

const schema = `import { z } from 'zod';
import { ${fields} } from '../mutation-fields.ts';

/** The request of \`${name}\` (rule ${rule}). */
export const ${pascal}Request = z.strictObject({ ...${fields} });
export type ${pascal}Request = z.infer<typeof ${pascal}Request>;

/** The response of \`${name}\` (rule ${rule}). */
export const ${pascal}Response = z.strictObject({});
export type ${pascal}Response = z.infer<typeof ${pascal}Response>;
`;

const WORK = {
  inline: `answer(_request, _context) {
      const result: ${pascal}Response = {};
      return Promise.resolve({ result, message: '${title}' });
    },`,
  queued: `mutates: true,
    /** Refuses what can be refused at once. */
    check: (_request, _context) => Promise.resolve(),
    /** May be repeated from the top at any time: what it makes has ids derived from \`context.run.task_id\`. */
    async run(_request, context) {
      await context.checkpoint();
      const response: ${pascal}Response = {};
      return { done: response, message: '${title}' };
    },`,
};

const task = `import { ${mode}Task } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { ${pascal}Request, ${pascal}Response } from './schema.ts';

/** ${title} (rule ${rule}). */
export function ${camel}(_deps: TaskDependencies): TaskDefinition {
  return ${mode}Task<${pascal}Request>({
    name: '${name}',
    title: '${title}',
    description: '${title}.',
    tags: ['media-buy'],
    examples: [{ title: '${title}', input: {} }],
    scope: 'tasks:${mode === 'queued' ? 'write' : 'read'}',
    input: ${pascal}Request,
    output: ${pascal}Response,
    ${WORK[mode]}
  });
}
`;

const test = `import { afterAll, beforeAll, describe, it } from 'vitest';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite');
});
afterAll(() => agent.stop());

describe('[${rule}] ${name}', () => {
  it.todo('answers …');
  it.todo('refuses …');
});
`;

await writeNew({
  [`src/tasks/${kebab}/schema.ts`]: schema,
  [`src/tasks/${kebab}/task.ts`]: task,
  [`test/tasks/${kebab}.test.ts`]: test,
});
await addToList('src/tasks/index.ts', { name: camel, from: `./${kebab}/task.ts`, opening: 'const TASKS = [' });
await addOpenRule('test/requirements/tasks.ts', {
  ...{ id: rule, section: 'TASKS', opening: 'export const TASK_RULES' },
  text: `\`${name}\` is to be described here.`,
});
writeRules();

console.log(`Made ${name}: src/tasks/${kebab}, test/tasks/${kebab}.test.ts, its line in src/tasks/index.ts, and its rule,
which stands in docs/rules.md, too.
Next:
  1. src/tasks/${kebab}/schema.ts: the fields of its request and of its response.
  2. src/tasks/${kebab}/task.ts: what it does, a description that says more than the title, an example that runs.
  3. test/tasks/${kebab}.test.ts: what it answers and refuses, by \`result\` and \`refusal\` of test/tasks/support/calls.ts.
  4. test/requirements/tasks.ts: what ${rule} promises; \`proved\` in place of \`open\` once the test holds, without
     \`open\` in the import where nothing uses it any more.
  5. npx tsx scripts/write-card.ts && npx tsx scripts/write-rules.ts, whenever card or rule have changed; then npm run check.
\`npm test -- test/tasks/finished.test.ts\` tells what is still missing.`);
