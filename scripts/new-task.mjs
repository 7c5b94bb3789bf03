// `npm run new:task NAME`: makes the folder of a task and its line in the list. NAME is in snake_case.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './ensure-deps.mjs';

const [name = ''] = process.argv.slice(2);
if (!/^[a-z]+(_[a-z]+)+$/.test(name)) {
  console.error('usage: npm run new:task NAME, such as pause_everything');
  process.exit(2);
}
const words = name.split('_');
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const kebab = words.join('-');
const camel = words.map((word, i) => (i === 0 ? word : capital(word))).join('');
const pascal = words.map(capital).join('');
const title = capital(words.join(' '));
const folder = join(root, 'src/tasks', kebab);
if (existsSync(folder)) {
  console.error(`src/tasks/${kebab} exists already`);
  process.exit(1);
}

mkdirSync(folder);
writeFileSync(
  join(folder, 'schema.ts'),
  `import { z } from 'zod';
import { readFields } from '../mutation-fields.ts';

/** The request of \`${name}\`. */
export const ${pascal}Request = z.strictObject({ ...readFields });
export type ${pascal}Request = z.infer<typeof ${pascal}Request>;

/** The response of \`${name}\`. */
export const ${pascal}Response = z.strictObject({});
export type ${pascal}Response = z.infer<typeof ${pascal}Response>;
`,
);
writeFileSync(
  join(folder, 'task.ts'),
  `import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { ${pascal}Request, ${pascal}Response } from './schema.ts';

/** ${title}. */
export function ${camel}(_deps: TaskDependencies): TaskDefinition {
  return inlineTask<${pascal}Request>({
    name: '${name}',
    title: '${title}',
    description: '${title}.',
    tags: ['media-buy'],
    examples: [{ title: '${title}', input: {} }],
    scope: 'tasks:read',
    input: ${pascal}Request,
    output: ${pascal}Response,
    answer() {
      const result: ${pascal}Response = {};
      return Promise.resolve({ result, message: '${title}' });
    },
  });
}
`,
);

const list = join(root, 'src/tasks/index.ts');
const lines = readFileSync(list, 'utf8').split('\n');
const lastImport = lines.findLastIndex((line) => line.startsWith('import '));
lines.splice(lastImport + 1, 0, `import { ${camel} } from './${kebab}/task.ts';`);
const tasks = lines.findIndex((line) => line.startsWith('const TASKS = ['));
const end = lines.findIndex((line, i) => i >= tasks && line.includes('] as const'));
if (tasks === -1 || end === -1) throw new Error('src/tasks/index.ts has no list named TASKS');
lines[end] = lines[end].replace(
  /,?\s*\] as const/,
  `${tasks === end ? ', ' : '  '}${camel}${tasks === end ? '' : ',\n'}] as const`,
);
writeFileSync(list, lines.join('\n'));
console.log(`made src/tasks/${kebab}; say in task.ts what it does, then run npm run check`);
