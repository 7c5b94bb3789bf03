import type { JsonObject } from '../../platform/json-object.ts';

/** What is told of any task, from our row of it. Pure. */
export function taskHead(row: JsonObject): JsonObject {
  const { task_id, task_type, status, created_at, updated_at } = row;
  return {
    ...{ task_id, task_type, status, created_at, updated_at },
    ...(ENDED.has(String(status)) && { completed_at: updated_at }),
  };
}

const ENDED = new Set(['completed', 'failed', 'canceled', 'rejected']);
