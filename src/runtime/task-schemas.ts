import type { JsonObject } from '../platform/json-object.ts';
import { jsonSchemaOf } from '../platform/json-schema.ts';
import type { SchemaSide } from '../platform/json-schema.ts';
import type { TaskDefinition } from './task-definition.ts';

/** Where all schemas are listed, below the base URL. */
export const SCHEMAS_PATH = '/schemas';

/** Where a schema of a task is served, below the base URL; `{skill}` in the place of a name leaves it open. */
export function schemaPath(name: string, side: SchemaSide): string {
  return `${SCHEMAS_PATH}/${name}/${side}.json`;
}

/** What a task takes or answers, as JSON Schema (draft 2020-12) with its address as `$id`. Costs a few milliseconds. */
export function taskSchema(task: TaskDefinition, side: SchemaSide, baseUrl: string): JsonObject {
  const { name, title } = task;
  const { $schema, ...schema } = side === 'input' ? inputOf(task) : jsonSchemaOf(task.output, side);
  return {
    $schema,
    $id: `${baseUrl}${schemaPath(name, side)}`,
    title: `${title}, ${side}`,
    description: side === 'input' ? task.description : `The response of ${name}.`,
    ...schema,
    ...(side === 'input' && { examples: task.examples.map(({ input }) => input) }),
  };
}

function inputOf(task: TaskDefinition): JsonObject {
  const schema = jsonSchemaOf(task.toldInput ?? task.input, 'input');
  if (task.mode === 'queued') return schema;
  // What is answered at once never notifies: a registration is refused (rule W3).
  const { push_notification_config: _refused, ...properties } = schema['properties'] as JsonObject;
  return { ...schema, properties };
}
