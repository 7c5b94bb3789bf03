import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { withoutQuery } from '../../platform/outbound/without-query.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { TaskId } from '../../platform/task-id.ts';
import type { Notifier } from '../../runtime/notifier.ts';
import { Registration } from '../../runtime/registration.ts';
import { TaskRun } from '../../runtime/task-run.ts';
import { retireRegistration } from '../registration/retire-registration.ts';

const { registration_id, channel, mode, created_at } = Registration.shape;

/** Where the news of one of its tasks goes, as a buyer sees it: without secrets and the query of its URL. */
export const BuyerRegistration = z.object({
  ...{ registration_id, task_id: z.string(), task_type: z.string(), task_state: TaskRun.shape.state },
  channel: channel.describe('`mcp`: of the task’s own input; `a2a`: by the protocol’s own mechanism'),
  url: z.string().describe('Without its query'),
  operation_id: z.string().nullable(),
  ...{ mode, created_at },
  ended_at: z.string().nullable().describe('Since when nothing more goes there; null while it hears of the task'),
});
export type BuyerRegistration = z.infer<typeof BuyerRegistration>;

/** One registration, by the task that it hears of. */
export interface RegistrationPlace {
  task_id: string;
  registration_id: string;
}

export interface BuyerRegistrationDependencies {
  runs: Collection<TaskRun>;
  notifier: Notifier;
  clock: Clock;
}

/** Tasks that are read at a time, and how often at most for one answer. */
const TASKS = 50;
const LOOKS = 4;

/**
 * Where the news of an organization's tasks goes, those of the tasks that changed last first. Of many tasks without any, a page may be
 * empty though there is more behind it.
 */
export async function registrationsOfBuyer(
  { runs }: Pick<BuyerRegistrationDependencies, 'runs'>,
  organization_id: OrganizationId,
  { task_id, after }: { task_id?: string | undefined; after?: string | undefined },
): Promise<{ rows: BuyerRegistration[]; cursor?: string }> {
  if (task_id !== undefined) {
    const run = await runs.get(task_id);
    return { rows: run?.organization_id === organization_id ? viewsOf(run) : [] };
  }
  let cursor = after;
  for (let look = 1; ; look += 1) {
    const page = await runs.find({
      where: { organization_id, is_read: null },
      sort: { field: 'updated_at', direction: 'desc' },
      limit: TASKS,
      ...(cursor !== undefined && { after: cursor }),
    });
    cursor = page.cursor;
    const rows = page.rows.flatMap(viewsOf);
    if (rows.length > 0 || cursor === undefined || look === LOOKS)
      return { rows, ...(cursor !== undefined && { cursor }) };
  }
}

/**
 * One of an organization's.
 * @throws {AppError} `NOT_FOUND` for what is not there, and for what is another's.
 */
export async function ownRegistration(
  { runs }: Pick<BuyerRegistrationDependencies, 'runs'>,
  organization_id: OrganizationId,
  place: RegistrationPlace,
): Promise<{ view: BuyerRegistration; registration: Registration; run: TaskRun }> {
  const run = await runs.get(place.task_id);
  const isMeant = (one: { registration_id: string }) => one.registration_id === place.registration_id;
  const registration = run?.registrations.find(isMeant);
  if (run?.organization_id === organization_id && registration !== undefined)
    return { view: viewOf(run, registration), registration, run };
  throw new AppError('NOT_FOUND', 'no task of yours has such a registration', { field: 'registration_id' });
}

/**
 * Ends one as its owner asked, with what is pending for it (rule W6.ended). May be repeated.
 * @throws {AppError} `NOT_FOUND` likewise.
 */
export async function endRegistrationOfBuyer(
  deps: BuyerRegistrationDependencies,
  organization_id: OrganizationId,
  place: RegistrationPlace,
): Promise<BuyerRegistration> {
  await ownRegistration(deps, organization_id, place);
  await retireRegistration(deps, TaskId.parse(place.task_id), place.registration_id);
  return (await ownRegistration(deps, organization_id, place)).view;
}

function viewsOf(run: TaskRun): BuyerRegistration[] {
  return run.registrations.map((registration) => viewOf(run, registration));
}

function viewOf({ task_id, task_type, state }: TaskRun, one: Registration): BuyerRegistration {
  return {
    ...{ registration_id: one.registration_id, task_id, task_type, task_state: state, channel: one.channel },
    ...{ url: withoutQuery(one.url), operation_id: one.operation_id ?? null, mode: one.mode },
    ...{ created_at: one.created_at, ended_at: one.ended_at ?? null },
  };
}
