import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogger } from '../../../src/platform/log.ts';
import { openStore } from '../../../src/platform/store/store.ts';
import { addRegistration, endRegistration, redirectTask } from '../../../src/runtime/registrations.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import { aTask } from '../../runtime/support/tasks.ts';
import { mediaBuyId, organizationId } from '../../support/ids.ts';
import { createMongoPlace } from '../../platform/support/mongo-place.ts';
import type { MongoPlace } from '../../platform/support/mongo-place.ts';
import { describeOnStores } from '../../support/stores.ts';
import { openReceiver, status } from '../support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';

const CALLER = {
  organization_id: organizationId('buyer'),
  principal_id: 'key-1',
  scopes: ['tasks:read', 'tasks:write'] as const,
};
const URL_OF = (id: string) => `https://buyer.example/${id}?${'q'.repeat(1_500)}`;

describeOnStores('[S2.registrations] the row of a task on %s', (kind) => {
  let sender: Sender;
  let place: MongoPlace | undefined;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'mba-old-registrations-'));
    place = kind === 'mongodb' ? await createMongoPlace() : undefined;
    const store = await openStore({ dataDir, mongodbUrl: place?.target, logger: createLogger('silent') });
    sender = await openSender({ store, subjectOf: () => mediaBuyId('mb_1') });
  });
  afterAll(async () => {
    await sender.close();
    await place?.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  const deps = () => ({
    ...{
      ...sender.dependencies,
      runs: sender.runs,
      notifier: sender.webhooks.notifier,
      queue: undefined as never,
      suspensions: undefined as never,
    },
    ...{ changeSignal: undefined as never, tasks: new Map([['create_media_buy', TASK]]) },
  });
  const register = ({ task_id }: TaskRun, id: string, url = URL_OF(id)) =>
    addRegistration(deps(), CALLER, task_id, {
      ...{ channel: 'a2a', wire: '1.0', field: 'config' },
      config: { id, url, token: 't'.repeat(2_000) },
    });
  const end = ({ task_id }: TaskRun, id: string) => endRegistration(deps(), CALLER, task_id, id);
  const sizeOf = async ({ task_id }: TaskRun) => JSON.stringify(await sender.runOf(task_id)).length;

  it('stays as small as it was, however often a webhook is registered and deleted', async () => {
    const run = await storedRun(sender, [registration('https://buyer.example/own')]);
    for (let n = 0; n < 10; n++) await register(run, `first-${n}`).then(() => end(run, `first-${n}`));
    const before = await sizeOf(run);
    for (let n = 0; n < 100; n++) await register(run, `c-${1_000 + n}`).then(() => end(run, `c-${1_000 + n}`));
    expect(await sizeOf(run)).toBeLessThan(before * 1.1);
    const { registrations, endings, notify_due_at } = await sender.runOf(run.task_id);
    expect([registrations.length, endings, notify_due_at]).toEqual([1 + 5, [], null]);
    expect(registrations.at(-1)).toMatchObject({ registration_id: 'c-1099', ended_at: expect.any(String) as string });
  });

  it('loses what an earlier release left there, and ends what was pending for it', async () => {
    const receiver = await openReceiver(status(500));
    const old = (n: number) =>
      registration(receiver.url(), {
        ...{ registration_id: `old-${n}`, channel: 'a2a', wire: '1.0' },
        ended_at: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
      });
    const run = await storedRun(sender, [{ ...registration(receiver.url()), ...withoutEnd(old(0)) }]);
    await sender.runs.update(run.task_id, (stored) => withStatuses(stored, { state: 'working' }));
    await sender.webhooks.notifier.notify(await sender.runOf(run.task_id));
    await sender.runs.update(run.task_id, (stored) => ({
      ...stored,
      registrations: Array.from({ length: 150 }, (_, n) => old(n)),
      notified_sequence: 2,
    }));
    expect((await sender.deliveryOf(run.task_id)).state).toBe('pending');
    await register(run, 'new-1');
    expect((await sender.deliveryOf(run.task_id)).state).toBe('ended');
    await register(run, 'new-2');
    expect((await sender.runOf(run.task_id)).registrations.map(({ registration_id }) => registration_id)).toEqual([
      'old-145',
      'old-146',
      'old-147',
      'old-148',
      'old-149',
      'new-1',
      'new-2',
    ]);
    await receiver.close();
  });

  it('goes on telling what was sent to a webhook that has left it', async () => {
    const receiver = await openReceiver(status(200));
    const run = await storedRun(sender, []);
    await register(run, 'told', receiver.url());
    const told = await sender.runs.update(run.task_id, (stored) => withStatuses(stored, { state: 'working' }));
    await sender.webhooks.notifier.notify(told?.row ?? run);
    await sender.runs.update(run.task_id, (stored) => ({ ...stored, notified_sequence: 2 }));
    await sender.attempt(await sender.deliveryOf(run.task_id));
    await end(run, 'told');
    for (let n = 0; n < 6; n++) await register(run, `later-${n}`).then(() => end(run, `later-${n}`));
    const { registrations } = await sender.runOf(run.task_id);
    expect(registrations.map(({ registration_id }) => registration_id)).not.toContain('told');
    const { organization_id } = CALLER;
    const activity = await sender.webhooks.activity({ organization_id, subject_id: mediaBuyId('mb_1') });
    expect(activity.filter(({ task_id }) => task_id === run.task_id)).toMatchObject([{ status: 'success' }]);
    await receiver.close();
  });

  it('takes no more webhooks while those that have ended cannot be carried out', async () => {
    const run = await storedRun(sender, []);
    await register(run, 'first');
    await sender.runs.update(run.task_id, (stored) => ({
      ...stored,
      endings: Array.from({ length: 50 }, (_, until) => ({
        ...{ registration: registration(URL_OF('gone'), { registration_id: `gone-${until}` }), after: 0, until },
      })),
    }));
    await expect(register(run, 'second')).rejects.toMatchObject({ code: 'CONFLICT' });
    await end(run, 'first');
    expect(await register(run, 'second')).toMatchObject({ registration_id: 'second' });
  });

  it('keeps the newest of those that its input and updates of it named', async () => {
    const run = await storedRun(sender, [registration('https://buyer.example/own')]);
    for (let n = 0; n < 30; n++) {
      const created_at = new Date(Date.UTC(2027, 0, 1, 0, n)).toISOString();
      await redirectTask(
        deps(),
        run.task_id,
        registration(URL_OF(String(n)), { registration_id: `r-${n}`, created_at }),
      );
    }
    const { registrations } = await sender.runOf(run.task_id);
    expect(registrations.map(({ registration_id }) => registration_id)).toEqual([
      'r-24',
      'r-25',
      'r-26',
      'r-27',
      'r-28',
      'r-29',
    ]);
    expect(registrations.filter(({ ended_at }) => ended_at === undefined)).toHaveLength(1);
  });
});

function withoutEnd<R extends { ended_at?: string | undefined }>({ ended_at: _, ...rest }: R) {
  return rest;
}

const TASK = aTask('create_media_buy', () => Promise.resolve({ done: {}, message: 'done' }));
