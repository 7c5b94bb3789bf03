import { TaskState } from '@a2a-js/sdk';
import type { ListTasksRequest, ListTasksResponse } from '@a2a-js/sdk';
import { toTimestamp } from '../platform/clock.ts';
import { AppError, invalidRequest } from '../platform/errors.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { A2aCall } from './call.ts';
import { checkHistoryLength } from './message-check.ts';
import { shownInList } from './shown.ts';
import type { ShowDependencies } from './shown.ts';
import { storedState } from './task-view.ts';

const PAGE_SIZE = { least: 1, usual: 50, most: 100 } as const;

/**
 * The caller's tasks, the one whose status changed last first, each in the words that it was asked for in. Those that only read are
 * shown where a context is named: A2A has no other word for it (rule T8). By a status are found those that stand so here, however the
 * public protocol has it shown.
 * @throws {AppError} `INVALID_REQUEST` naming the parameter.
 */
export async function listTasksOverA2a(
  deps: ShowDependencies & { runtime: Pick<Runtime, 'list'> },
  request: ListTasksRequest,
  call: A2aCall,
): Promise<ListTasksResponse> {
  const { pageSize = PAGE_SIZE.usual, historyLength, contextId, pageToken, includeArtifacts = false } = request;
  checkHistoryLength(historyLength);
  if (!Number.isInteger(pageSize) || pageSize < PAGE_SIZE.least || pageSize > PAGE_SIZE.most) {
    throw invalidRequest('pageSize', `send a whole number from ${PAGE_SIZE.least} to ${PAGE_SIZE.most}`);
  }
  const state = stateOf(request.status);
  const since = instantOf(request.statusTimestampAfter);
  const filter = {
    ...(contextId !== '' && { context_id: contextId }),
    ...(state !== undefined && { states: [state] }),
    ...(since !== undefined && { updated_at: { gte: since } }),
  };
  const cursor = pageToken === '' ? undefined : pageToken;
  const page = await deps.runtime.list(call.caller, filter, pageSize, cursor).catch(namingThePageToken);
  return {
    tasks: await Promise.all(
      page.runs.map((run) => shownInList(deps, run, call, { historyLength, artifacts: includeArtifacts })),
    ),
    nextPageToken: page.cursor ?? '',
    pageSize,
    totalSize: page.total,
  };
}

function stateOf(status: TaskState) {
  if (status === TaskState.TASK_STATE_UNSPECIFIED) return undefined;
  const state = storedState(status);
  if (state === undefined) throw invalidRequest('status', 'send a state such as TASK_STATE_WORKING');
  return state;
}

/** RFC 3339 with an offset, as protobuf writes timestamps. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

function instantOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  const ms = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw invalidRequest('statusTimestampAfter', 'send a date-time such as 2026-01-31T12:00:00Z');
  return toTimestamp(ms);
}

function namingThePageToken(error: unknown): never {
  if (error instanceof AppError && error.details.field === 'cursor') {
    throw invalidRequest('pageToken', 'send the nextPageToken of an earlier page of the same query');
  }
  throw error;
}
