import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { shownUrl } from '../../../platform/outbound/shown-url.ts';
import { Registration } from '../../../runtime/registration.ts';
import { TaskRun, TaskRuns } from '../../../runtime/task-run.ts';
import { TestOutcome } from '../../../webhooks/buyer/test-event.ts';
import { retireRegistration } from '../../../webhooks/registration/retire-registration.ts';
import { destinationOf } from '../../../webhooks/registration/webhook-target.ts';
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
    return { registrations: viewsOf(known(await store.collection(TaskRuns).get(task_id))) };
  },
});

const OneRegistration = z.strictObject({ task_id: IdOfTask, registration_id: Id });

/** Sends nothing more there: what is pending ends, but for an attempt that is on its way (rule W6.ended). */
export const endOneRegistration = operation({
  method: 'post',
  path: '/webhooks/registrations/:task_id/:registration_id/end',
  summary: 'Send no more of a task to one registration.',
  role: 'operator',
  action: 'webhooks.end_registration',
  done: () => 'No more of this task is sent there.',
  params: OneRegistration,
  answer: RegistrationView,
  async handle({ params: { task_id, registration_id } }, { store, clock, webhooks: { notifier } }) {
    const runs = store.collection(TaskRuns);
    await retireRegistration({ runs, notifier, clock }, task_id, registration_id);
    return viewOf(known(await runs.get(task_id)), registration_id);
  },
});

/** Counted with its buyer's own: whoever asks, no receiver is knocked at more often for it (rule W18). */
export const testOneRegistration = operation({
  method: 'post',
  path: '/webhooks/registrations/:task_id/:registration_id/test',
  summary: 'Send one registration a test event, proved as it has it, and tell what happened.',
  role: 'operator',
  action: 'webhooks.test',
  done: ({ delivered }) => (delivered ? 'The test event was taken.' : 'The test event was not taken.'),
  params: OneRegistration,
  answer: TestOutcome,
  async handle({ params }, { store, budgets, webhooks: { buyer, operator } }) {
    const run = known(await store.collection(TaskRuns).get(params.task_id));
    const { url } = viewOf(run, params.registration_id);
    // The buyer's refusal would have the seller ask themselves why.
    if ((await operator.destination(destinationOf(url))).is_paused)
      throw new AppError('INVALID_STATE', 'this receiver is paused, so nothing is sent there: resume it first', {
        field: 'registration_id',
      });
    await budgets.take('test_webhook', run.organization_id);
    const outcome = await buyer.testRegistration(run.organization_id, params);
    return { ...outcome, url: shownUrl(outcome.url) };
  },
});

function known(run: TaskRun | undefined): TaskRun {
  if (run !== undefined) return run;
  throw new AppError('TASK_NOT_FOUND', 'no task has this id', { field: 'task_id' });
}

function viewOf(run: TaskRun, registration_id: string): RegistrationView {
  const view = viewsOf(run).find((row) => row.registration_id === registration_id);
  if (view !== undefined) return view;
  throw new AppError('NOT_FOUND', 'this task has no such registration', { field: 'registration_id' });
}

function viewsOf(run: TaskRun): RegistrationView[] {
  const { task_id, task_type, state, organization_id } = run;
  return run.registrations.map(({ registration_id, channel, wire, url, operation_id, mode, created_at, ended_at }) => ({
    ...{ registration_id, task_id, task_type, task_state: state, organization_id, channel, wire: wire ?? null },
    url: shownUrl(url),
    ...{ operation_id: operation_id ?? null, mode, created_at, ended_at: ended_at ?? null },
  }));
}
