import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { shownUrl } from '../../../platform/outbound/shown-url.ts';
import { Registration } from '../../../runtime/registration.ts';
import { TaskRun, TaskRuns } from '../../../runtime/task-run.ts';
import { retireRegistration } from '../../../webhooks/registration/retire-registration.ts';
import { Id, IdOfTask } from '../fields.ts';
import { operation } from '../operation.ts';

/** One address that a task's news goes to. */
export const RegistrationView = z.object({
  registration_id: z.string(),
  task_id: z.string(),
  task_type: z.string(),
  task_state: TaskRun.shape.state,
  organization_id: z.string(),
  channel: Registration.shape.channel,
  wire: Registration.shape.wire.unwrap().nullable(),
  /** Without its query. */
  url: z.string(),
  operation_id: z.string().nullable(),
  mode: Registration.shape.mode,
  created_at: z.string(),
  ended_at: z.string().nullable(),
});
export type RegistrationView = z.infer<typeof RegistrationView>;

/** Where a task's news goes, without secrets. */
export const listRegistrations = operation({
  method: 'get',
  path: '/webhooks/registrations',
  summary: "Show where a task's news goes.",
  role: 'viewer',
  query: z.strictObject({ task_id: IdOfTask }),
  answer: z.object({ registrations: z.array(RegistrationView) }),
  async handle({ query: { task_id } }, { store }) {
    return { registrations: viewsOf(await store.collection(TaskRuns).get(task_id)) };
  },
});

/** Sends nothing more there: what is pending ends, but for an attempt that is on its way (rule W6.ended). */
export const endOneRegistration = operation({
  method: 'post',
  path: '/webhooks/registrations/:task_id/:registration_id/end',
  summary: 'Send no more of a task to one registration.',
  role: 'operator',
  action: 'webhooks.end_registration',
  params: z.strictObject({ task_id: IdOfTask, registration_id: Id }),
  answer: RegistrationView,
  async handle({ params: { task_id, registration_id } }, { store, clock, webhooks: { notifier } }) {
    const runs = store.collection(TaskRuns);
    await retireRegistration({ runs, notifier, clock }, task_id, registration_id);
    const view = viewsOf(await runs.get(task_id)).find((row) => row.registration_id === registration_id);
    if (view !== undefined) return view;
    throw new AppError('NOT_FOUND', 'this task has no such registration', { field: 'registration_id' });
  },
});

function viewsOf(run: TaskRun | undefined): RegistrationView[] {
  if (run === undefined) throw new AppError('TASK_NOT_FOUND', 'no task has this id', { field: 'task_id' });
  const { task_id, task_type, state, organization_id } = run;
  return run.registrations.map(({ registration_id, channel, wire, url, operation_id, mode, created_at, ended_at }) => ({
    ...{ registration_id, task_id, task_type, task_state: state, organization_id, channel, wire: wire ?? null },
    url: shownUrl(url),
    ...{ operation_id: operation_id ?? null, mode, created_at, ended_at: ended_at ?? null },
  }));
}
