import { z } from 'zod';
import type { CollectionSpec } from '../platform/store/collection.ts';
import { JsonObject } from '../platform/json-object.ts';
import { JsonTexts, together } from '../platform/json-text.ts';
import { OrganizationId } from '../platform/organization-id.ts';
import { TaskId } from '../platform/task-id.ts';
import { Artifact, InboundMessage, Part } from './content.ts';
import { TaskFault } from './fault-log.ts';
import { Registration } from './registration.ts';
import { Spoken } from './spoken.ts';
import { TaskState } from './states.ts';

/**
 * The form of the webhooks that tell of events written by this release (rule W20). Whoever changes what is made of a stored event
 * adds a form, and leaves the builder of this one for 30 days.
 */
export const EVENT_FORMAT = 1;

/** A status the task took on. `data` is its structured content: progress, a question, the result or the error. */
export const StatusEvent = z.strictObject({
  kind: z.literal('status'),
  sequence: z.int().positive(),
  state: TaskState,
  timestamp: z.string(),
  message: z.string(),
  data: z.unknown().optional(),
  /** What of it is told as it was written (rule W19). Absent in rows of 0.1.0, and where there is nothing such. */
  data_texts: JsonTexts.optional(),
  /** Free content instead of `message` and `data`, for tasks that answer in their own parts. */
  parts: z.array(Part).optional(),
  /**
   * What it says in the public dialect of those who asked for the task, where that differs: what was done, and all that somebody is told
   * of by webhook. It was put into words when it was recorded, so that every copy has the same bytes (rule W20), and whoever is told
   * it again is told the same (rule D3.changes).
   */
  told: JsonObject.optional(),
  /** Which builder makes its webhooks (rule W20); see `EVENT_FORMAT`. Absent in rows of 0.1.0, which have the first. */
  format: z.int().positive().optional(),
});
export type StatusEvent = z.infer<typeof StatusEvent>;

/** A piece of output, announced before the task ends. */
export const ArtifactEvent = z.strictObject({
  kind: z.literal('artifact'),
  sequence: z.int().positive(),
  timestamp: z.string(),
  artifact: Artifact,
});
export type ArtifactEvent = z.infer<typeof ArtifactEvent>;

export const TaskEvent = z.discriminatedUnion('kind', [StatusEvent, ArtifactEvent]);
export type TaskEvent = z.infer<typeof TaskEvent>;

/** Whom a task waits for without knowing how long: a person at the seller, or the ad server. */
export const WaitsFor = z.enum(['person', 'ad_server']);
export type WaitsFor = z.infer<typeof WaitsFor>;

/**
 * A registration that has ended, as long as what is pending for it has not (rule W6.ended). Of the events after `after`, up to
 * `until`, which were the newest when it ended, deliveries may be made still by who knew it alive.
 */
export const Ending = z.strictObject({ registration: Registration, after: z.int(), until: z.int() });
export type Ending = z.infer<typeof Ending>;

/**
 * One run of a task: what was asked, by whom, and everything that became of it. The row is the truth; queues, webhooks
 * and streams are made from it.
 */
export const TaskRun = z.strictObject({
  task_id: TaskId,
  revision: z.int(),
  organization_id: OrganizationId,
  principal_id: z.string(),
  task_type: z.string(),
  /** It only reads, and lists leave it out (rule T8). Absent otherwise, and in rows of 0.1.0, which go within a day. */
  is_read: z.literal(true).optional(),
  context_id: z.string(),
  /** Of the message that began it (rule T6), or the task id where the wire has none: unique per organization. */
  message_key: z.string(),
  messages: z.array(InboundMessage),
  input: JsonObject,
  /** Echoed verbatim in every webhook (rule C.events.2). */
  context: z.unknown().optional(),
  /** The same as it was written (rule W19). Absent in rows of 0.1.0, and of what came over gRPC. */
  context_text: z.string().optional(),
  idempotency_key: z.string().nullable(),
  /**
   * While true, the key is taken (rules B7, B7.effect): from the first write on, whatever its age, until the run ends without
   * effect or has been over for 24 hours.
   */
  idempotency_live: z.boolean(),
  request_hash: z.string(),
  /** Absent in what was asked for in our own words, and in rows of 0.1.0. */
  spoken: Spoken.optional(),
  /** What no other run of the organization may be at work on at the same time, if anything. */
  exclusive_key: z.string().nullable(),
  /** True until the run is over. */
  exclusive_live: z.boolean(),
  registrations: z.array(Registration),
  /**
   * Random; under it the idempotency keys of the run's webhooks are made, again and again the same (rule W20). Absent in rows of
   * 0.1.0, whose deliveries keep keys of their own, and where nothing is ever told.
   */
  webhook_seed: z.string().optional(),
  /** Absent in rows of 0.1.0, and until the first registration ends. */
  endings: z.array(Ending).optional(),
  state: TaskState,
  events: z.array(TaskEvent),
  /** True until a worker has begun with it (budget `tasks_queued`). Absent in rows of 0.1.0, and where nothing is queued. */
  is_unbegun: z.boolean().optional(),
  /** When a worker owes this task a run; null while it waits for someone or is over. */
  run_due_at: z.string().nullable(),
  /** Grows each time the run becomes owed anew, so that queued jobs of an earlier turn are known as stale. */
  turn: z.int(),
  /** Unexpected failures in a row. */
  faults: z.int(),
  /** The last faults, oldest first, also of turns before the run came to a rest. Absent where there were none, and in rows of before. */
  fault_log: z.array(TaskFault).optional(),
  /** It has a log of faults: by this, people look for it. Absent where there were none, and in rows of before. */
  has_faults: z.literal(true).optional(),
  /** Answers of an ad server in a row that were not known. */
  waits: z.int().default(0),
  /**
   * Whom its last turn left it to wait for, so that a caller need not wait along (rule T2.wait). Null while it is to be done, or
   * waits for a moment only; absent in rows of 0.1.0, and before the first turn has ended.
   */
  waits_for: WaitsFor.nullable().optional(),
  /**
   * When the run passed its point of no return (rule T1.no-return); null before. From then on it cannot be canceled, and none of
   * our faults ends it.
   */
  committed_at: z.string().nullable().default(null),
  /**
   * Where its trace goes on, as the W3C's `traceparent` says it: below the span that queued its first turn. Absent where nobody records
   * traces, and in rows of 0.1.0.
   */
  traceparent: z.string().optional(),
  /** Sequence of the last event whose deliveries all exist as rows. */
  notified_sequence: z.int(),
  /** Since when events wait for their deliveries to be made, or endings to be carried out; null when none does. */
  notify_due_at: z.string().nullable(),
  created_at: z.string(),
  /** When the task last took on a status. */
  updated_at: z.string(),
  /** When the row may go; null until the task is over. */
  expires_at: z.string().nullable(),
});
export type TaskRun = z.infer<typeof TaskRun>;

export const TaskRuns: CollectionSpec<TaskRun> = {
  name: 'task_runs',
  key: 'task_id',
  schema: TaskRun,
  indexes: [
    { name: 'by_message', fields: ['organization_id', 'message_key'], unique: true },
    {
      name: 'by_idempotency_key',
      fields: ['organization_id', 'idempotency_key'],
      unique: true,
      where: { idempotency_live: true },
    },
    {
      name: 'by_exclusive_key',
      fields: ['organization_id', 'exclusive_key'],
      unique: true,
      where: { exclusive_live: true },
    },
    { name: 'by_updated', fields: ['organization_id', 'updated_at'], holds: ['state', 'task_type', 'created_at'] },
    { name: 'by_listed', fields: ['organization_id', 'is_read', 'updated_at'], holds: ['task_type', 'created_at'] },
    {
      name: 'by_state',
      fields: ['organization_id', 'is_read', 'state', 'updated_at'],
      holds: ['task_type', 'created_at'],
    },
    { name: 'by_created', fields: ['organization_id', 'is_read', 'created_at'], holds: ['task_type', 'updated_at'] },
    {
      name: 'by_state_created',
      fields: ['organization_id', 'is_read', 'state', 'created_at'],
      holds: ['task_type', 'updated_at'],
    },
    { name: 'by_state_of_all', fields: ['is_read', 'state', 'updated_at'], holds: ['task_type'] },
    {
      name: 'by_faults_of_all',
      fields: ['has_faults', 'is_read', 'state', 'updated_at'],
      where: { has_faults: true },
      holds: ['task_type'],
    },
    {
      name: 'by_faults',
      fields: ['has_faults', 'organization_id', 'is_read', 'state', 'updated_at'],
      where: { has_faults: true },
      holds: ['task_type'],
    },
    { name: 'by_context', fields: ['organization_id', 'context_id', 'updated_at'], holds: ['state', 'task_type'] },
    { name: 'by_unbegun', fields: ['organization_id'], where: { is_unbegun: true }, holds: ['is_unbegun'] },
    { name: 'by_run_due', fields: ['run_due_at'] },
    { name: 'by_notify_due', fields: ['notify_due_at'] },
  ],
  expires: 'expires_at',
};

/** The sequence of the newest event. */
export function lastSequence(run: TaskRun): number {
  return run.events.at(-1)?.sequence ?? 0;
}

/** A status's structured content, with what is told as it was written; see `verbatim`. */
export function dataOf({ data, data_texts }: StatusEvent): unknown {
  return together(data, data_texts);
}

/** The newest status the task took on. */
export function currentStatus(run: TaskRun): StatusEvent {
  const status = run.events.findLast((event) => event.kind === 'status');
  if (status === undefined) throw new Error(`task ${run.task_id} has no status`);
  return status;
}
