import { SCOPE_MEANINGS } from '../../src/directory/caller.ts';
import type { JsonObject } from '../../src/platform/json-object.ts';
import { taskSchema } from '../../src/runtime/task-schemas.ts';
import type { TaskDefinition } from '../../src/runtime/task-definition.ts';
import { describedTasks } from '../write-card.ts';
import { table } from './table.ts';

const BASE_URL = 'https://sales-agent.example';

/** `docs/skill-schemas.md`: every skill with the members of its input and response. */
export async function skillsPaper(): Promise<string> {
  const { tasks } = await describedTasks();
  const parts = [...tasks.values()].map(partOf);
  return `# The skills and their schemas

The members of each skill's \`input\` and response at the top; what is within them, and every limit, is in the JSON Schemas that an agent serves at
\`/schemas/{skill}/input.json\` and \`/schemas/{skill}/output.json\`, and says as a page at \`/docs/agent\`. \`docs/skills.md\` says how they are meant. Written by
\`npx tsx scripts/write-references.ts\` from the schemas that refuse.

${parts.join('\n')}`;
}

function partOf(task: TaskDefinition): string {
  const { name, title, description, scope, mode } = task;
  const how = mode === 'inline' ? 'answered at once' : 'done by and by, and told by webhook';
  return `## ${name}

${title}: ${description.split('\n')[0] ?? ''}

Needs \`${scope}\` (${SCOPE_MEANINGS[scope]}); ${how}.

${members('input', taskSchema(task, 'input', BASE_URL))}
${members('response', taskSchema(task, 'output', BASE_URL))}`;
}

function members(side: string, schema: JsonObject): string {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Member>; required?: string[] };
  const rows = Object.entries(properties).map(([name, member]) => [
    `\`${name}\``,
    typeOf(member, schema),
    required.includes(name) ? 'yes' : '',
    member.description ?? '',
  ]);
  return rows.length === 0
    ? `The ${side} is described by its schema alone.\n`
    : table([side, 'is', 'always', 'what'], rows);
}

interface Member {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  items?: Member;
  $ref?: string;
  anyOf?: Member[];
  oneOf?: Member[];
  format?: string;
  description?: string;
}

function typeOf(member: Member, root: JsonObject): string {
  const { type, enum: choices, items, $ref, anyOf, oneOf, format } = member;
  if ($ref !== undefined) return typeOf(pointed($ref, root), root);
  if (member.const !== undefined) return `\`${JSON.stringify(member.const)}\``;
  if (choices !== undefined)
    return choices.length > 8
      ? `one of ${choices.length} words`
      : choices.map((one) => `\`${String(one)}\``).join(', ');
  const either = anyOf ?? oneOf;
  if (either !== undefined) return [...new Set(either.map((one) => typeOf(one, root)))].join(' or ');
  if (type === 'array' && items !== undefined) return `list of ${typeOf(items, root)}`;
  if (format !== undefined) return format;
  return [type ?? 'anything'].flat().join(' or ');
}

function pointed(ref: string, root: JsonObject): Member {
  const found = ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((within, step) => (within as JsonObject | undefined)?.[step], root);
  return found ?? {};
}
