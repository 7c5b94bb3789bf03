import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { JsonObject } from '../../../platform/json-object.ts';
import { traceIdOf } from '../../../platform/telemetry/traceparent.ts';
import { TaskFault } from '../../../runtime/fault-log.ts';
import { isTerminal, TaskState } from '../../../runtime/states.ts';
import { currentStatus, dataOf, TaskRun, TaskRuns } from '../../../runtime/task-run.ts';
import { withoutWebhookSecrets } from '../../../runtime/webhook-secrets.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { namesOf, Whose, whose } from '../buys/buy-view.ts';
import { BuyerAsked, IdOfTask, pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';
import type { OperatorDeps } from '../operation.ts';
import { approvalsOfTask, TaskApprovalView } from './task-approvals.ts';

/** A task in a list of an operator's. */
export const TaskRowView = z.object({
  ...z
    .object(TaskRun.shape)
    .pick({ task_id: true, task_type: true, state: true, faults: true, created_at: true, updated_at: true }).shape,
  ...Whose.shape,
  /** Its newest status, in words. */
  message: z.string(),
  /** Whom it waits for without knowing how long; absent: for nobody. */
  waits_for: z.enum(['person', 'ad_server']).optional(),
  /** Since when a worker owes it a turn. */
  owed_since: z.string().optional(),
  /** When it was over; absent: it is not. */
  ended_at: z.string().optional(),
});
export type TaskRowView = z.infer<typeof TaskRowView>;

/** A task with what was asked and all that it told. */
export const TaskInFullView = z.object({
  ...TaskRowView.shape,
  /** The API key or token's subject that asked. */
  principal_id: z.string(),
  context_id: z.string(),
  idempotency_key: z.string().nullable(),
  /** What was asked, without secrets. */
  input: JsonObject,
  /** Which public protocol's words it was asked in; absent: our own. */
  spoken: z.object({ dialect: z.string(), skill: z.string(), release: z.string() }).optional(),
  /** What a change of a media buy said there that has no effect, and that its answer tells again. */
  said: JsonObject.optional(),
  /** From when on it could not be canceled. */
  committed_at: z.string().nullable(),
  /** The last of its faults, oldest first; the log has each by its `error_id`. */
  fault_log: z.array(z.object(TaskFault.shape)),
  /** In which rounds it asked a person at the seller, the first first. */
  approvals: z.array(TaskApprovalView),
  /** The trace that tells of it, where traces were recorded. */
  trace_id: z.string().optional(),
  /** Where to look at that trace, where the settings say. */
  trace_url: z.string().optional(),
  /** Oldest first; artifacts by their names alone. */
  events: z.array(
    z.object({
      sequence: z.int(),
      at: z.string(),
      state: TaskState.optional(),
      message: z.string(),
      data: z.unknown().optional(),
    }),
  ),
  /** The response or the error, once it is over. */
  result: z.unknown().optional(),
});
export type TaskInFullView = z.infer<typeof TaskInFullView>;

/** What `state` may ask for: one of them, or all. */
export const TASK_STATES_ASKED = ['all', ...TaskState.options] as const;

/** The types of tasks that are listed: those that do something. */
export const TASK_TYPES_LISTED = [
  ...['create_media_buy', 'update_media_buy', 'sync_creatives', 'provide_performance_feedback'],
  ...['sync_accounts', 'sync_governance'],
] as const;

/** What only reads is left out (rule T8). */
export const listTasksOfAll = operation({
  method: 'get',
  path: '/tasks',
  summary: 'List tasks in one state or all, the newest change first; what only reads is left out.',
  role: 'viewer',
  query: z.strictObject({
    state: z.enum(TASK_STATES_ASKED).default('failed'),
    organization_id: BuyerAsked.optional(),
    /** Such as `create_media_buy`. */
    task_type: z.string().max(100).optional(),
    /** Those that had a fault, over now or not; of what an earlier release ran that is not known. */
    has_faults: z.literal('true').optional(),
    ...pageQuery,
  }),
  answer: z.object({ tasks: z.array(TaskRowView), ...pageView }),
  async handle({ query: { state, organization_id, task_type, has_faults, limit, cursor } }, { store }) {
    const page = await store.collection(TaskRuns).find({
      where: {
        ...(organization_id !== undefined && { organization_id }),
        ...(has_faults !== undefined && { has_faults: true }),
        is_read: null,
        ...(task_type !== undefined && { task_type }),
        state: state === 'all' ? { in: TaskState.options } : state,
      },
      sort: { field: 'updated_at', direction: 'desc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    const names = await namesOf(
      store,
      page.rows.map((run) => run.organization_id),
    );
    return { tasks: page.rows.map((run) => rowOf(run, names)), ...pageEnd(page.cursor) };
  },
});

export const showTask = operation({
  method: 'get',
  path: '/tasks/:task_id',
  summary: 'Show a task: what was asked, by whom, and all that it told.',
  role: 'viewer',
  params: z.strictObject({ task_id: IdOfTask }),
  answer: TaskInFullView,
  async handle({ params: { task_id } }, deps) {
    const { store } = deps;
    const run = await store.collection(TaskRuns).get(task_id);
    if (run === undefined) throw new AppError('NOT_FOUND', 'no task has this id', { field: 'task_id' });
    return taskInFull(deps, run);
  },
});

/** A task with what was asked, without secrets, and all that it told. */
export async function taskInFull(
  { store, traceUrl }: Pick<OperatorDeps, 'store' | 'traceUrl'>,
  run: TaskRun,
): Promise<TaskInFullView> {
  const { task_type, principal_id, context_id, idempotency_key, input, spoken, committed_at, fault_log = [] } = run;
  const trace_id = traceIdOf(run.traceparent);
  const trace_url = trace_id === undefined ? undefined : traceUrl?.replaceAll('{trace_id}', trace_id);
  const result = run.expires_at === null ? undefined : dataOf(currentStatus(run));
  const [names, approvals] = await Promise.all([namesOf(store, [run.organization_id]), approvalsOfTask(store, run)]);
  return {
    ...rowOf(run, names),
    ...{ principal_id, context_id, idempotency_key, committed_at, fault_log, approvals },
    input: withoutWebhookSecrets(input) as JsonObject,
    ...(spoken && { spoken: { dialect: spoken.dialect, skill: spoken.skill, release: spoken.release } }),
    ...(task_type === 'update_media_buy' && spoken?.extra && { said: spoken.extra }),
    ...(trace_id !== undefined && { trace_id }),
    ...(trace_url !== undefined && { trace_url }),
    events: run.events.map(eventOf),
    ...(result !== undefined && { result }),
  };
}

function rowOf(run: TaskRun, names: ReadonlyMap<string, string>): TaskRowView {
  const { task_id, task_type, state, faults, created_at, updated_at, waits_for, run_due_at } = run;
  const { message, timestamp } = currentStatus(run);
  return {
    ...{ task_id, task_type, state, faults, created_at, updated_at },
    ...whose(run.organization_id, names),
    message,
    ...(waits_for !== null && waits_for !== undefined && { waits_for }),
    ...(run_due_at !== null && { owed_since: run_due_at }),
    ...(isTerminal(state) && { ended_at: timestamp }),
  };
}

function eventOf(event: TaskRun['events'][number]): TaskInFullView['events'][number] {
  if (event.kind === 'artifact') {
    const { name, artifact_id } = event.artifact;
    return { sequence: event.sequence, at: event.timestamp, message: `artifact ${name ?? artifact_id}` };
  }
  const { sequence, timestamp: at, state, message } = event;
  const data = dataOf(event);
  return { sequence, at, state, message, ...(data !== undefined && { data }) };
}
