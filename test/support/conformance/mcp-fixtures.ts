import { z } from 'zod';
import type { ToolSet } from '../../../src/mcp/tool-set.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { queuedTask } from '../../../src/runtime/task-definition.ts';
import type { RunContext, RunOutcome, TaskDefinition } from '../../../src/runtime/task-definition.ts';

const STEPS = 3;

/** The tasks that MCP's conformance kit calls by name as tools. They run on the same engine as every other task. */
export const MCP_FIXTURES: readonly TaskDefinition[] = [
  fixture('test_simple_text', () => Promise.resolve({ done: { text: 'simple' }, message: 'simple' })),
  fixture('test_error_handling', () => Promise.reject(new AppError('INVALID_STATE', 'fails as it is asked to'))),
  fixture('test_tool_with_progress', async (context) => {
    for (let step = 1; step <= STEPS; step += 1) {
      await context.step({ current_step: `step ${step}`, step_number: step, total_steps: STEPS });
    }
    return { done: {}, message: 'told its progress' };
  }),
];

/** The tools of the agent, and one whose schema has what the kit looks for: ours are made from those that judge. */
export function withSchemaFixture(tools: ToolSet): ToolSet {
  return {
    ...tools,
    list: () => [...tools.list(), { ...SCHEMA_FIXTURE, annotations: { readOnlyHint: true, idempotentHint: true } }],
  };
}

const SCHEMA_FIXTURE = {
  name: 'json_schema_2020_12_tool',
  title: 'JSON Schema 2020-12',
  description: 'Is listed with a schema of that draft, and is not to be called.',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object' as const,
    $defs: {
      address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
};

function fixture(name: string, run: (context: RunContext) => Promise<RunOutcome>): TaskDefinition {
  return queuedTask({
    ...{ name, title: name, description: 'Does what the kit calls it for.', tags: ['conformance'], examples: [] },
    scope: 'tasks:write',
    mutates: false,
    input: z.looseObject({}),
    output: z.unknown(),
    check: () => Promise.resolve(),
    run: (_input, context) => run(context),
  });
}
