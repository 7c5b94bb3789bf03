import type { Caller } from '../directory/caller.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { replay } from './insert-run.ts';
import type { Submitted } from './insert-run.ts';
import { requestHash } from './request-hash.ts';

/** A request under a key of its caller's. */
export interface KeyedRequest {
  task_type: string;
  /** As sent, in whichever words. */
  request: JsonObject;
  idempotency_key: string;
}

/**
 * The task of this very request, for who must know before the request is looked at: what it means may hang on what it has done.
 * Undefined where there is none, and for callers who may not ask for the task: they are refused as it is submitted.
 * @throws {AppError} `IDEMPOTENCY_CONFLICT`.
 */
export async function earlierTask(
  deps: RuntimeDependencies,
  { organization_id, scopes }: Caller,
  { task_type, request, idempotency_key }: KeyedRequest,
): Promise<Submitted | undefined> {
  const definition = deps.tasks.get(task_type);
  if (definition === undefined || !scopes.includes(definition.scope)) return undefined;
  return replay(deps, { organization_id, idempotency_key, request_hash: requestHash(task_type, request) });
}
