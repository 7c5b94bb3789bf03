import type { JsonObject } from '../../platform/json-object.ts';
import { isFrom } from './release.ts';
import type { Release } from './release.ts';

/** What is told of any task, from our row of it; `skill`: the public name that it was asked for by, if it was. Pure. */
export function taskHead(row: JsonObject, release: Release, skill: string | undefined): JsonObject {
  const { task_id, task_type, status, created_at, updated_at } = row;
  return {
    ...{ task_id, task_type: typeIn(release, String(task_type), skill), status, created_at, updated_at },
    ...(ENDED.has(String(status)) && { completed_at: updated_at }),
  };
}

const ENDED = new Set(['completed', 'failed', 'canceled', 'rejected']);

/** Types of tasks that 3.2 has besides, and what they are in the releases before it, as well as in our own words. */
const FROM_32: ReadonlyMap<string, string> = new Map([
  ['buy_products', 'create_media_buy'],
  ['control_media_buy', 'update_media_buy'],
]);
const TOLD_APART: ReadonlySet<string> = new Set([...FROM_32].flat());

/** The type of a task as webhooks name it, where the release has that. */
function typeIn(release: Release, task_type: string, skill = task_type): string {
  if (isFrom(release, '3.2')) return FROM_32.has(skill) ? skill : task_type;
  return FROM_32.get(task_type) ?? task_type;
}

/** Whether a task of ours may be of several types in a release: then it hangs on how it was asked for. Pure. */
export function isToldApart(release: Release, task_type: unknown): boolean {
  return isFrom(release, '3.2') && TOLD_APART.has(String(task_type));
}

/** Where our own tasks of some public types are found; some of what is found so may be of others. Pure. */
export function typesAsked(release: Release, types: readonly string[]): string[] {
  if (!isFrom(release, '3.2')) return [...types];
  return [...new Set(types.flatMap((type) => [type, FROM_32.get(type) ?? type]))];
}
