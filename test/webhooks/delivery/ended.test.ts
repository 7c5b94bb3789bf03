import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RUN_QUEUE } from '../../../src/runtime/dependencies.ts';
import { endRegistrations } from '../../../src/runtime/end-registrations.ts';
import type { Notifier } from '../../../src/runtime/notifier.ts';
import { createReconcileRuns } from '../../../src/runtime/reconcile.ts';
import { markNotified } from '../../../src/runtime/transition.ts';
import type { Registration } from '../../../src/runtime/registration.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { openReceiver, status } from '../support/open-receiver.ts';
import type { Receiver } from '../support/open-receiver.ts';
import { openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import type { Sender } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';
import { reportNotification } from '../support/report-notification.ts';

let sender: Sender;
let receiver: Receiver;
beforeAll(async () => {
  sender = await openSender({
    subjectOf: ({ input: { media_buy_id: id } }) => (typeof id === 'string' ? mediaBuyId(id) : null),
  });
});
afterAll(() => sender.close());
beforeEach(async () => {
  receiver = await openReceiver(status(500));
});
afterEach(() => receiver.close());

/** A stored task with events whose deliveries nobody has made yet. */
async function untold(
  registrations = [registration(receiver.url())],
  changes: Partial<TaskRun> = {},
  states: TaskRun['state'][] = ['working'],
): Promise<TaskRun> {
  const begun = await storedRun(sender, registrations, changes);
  const { events, state } = withStatuses(begun, ...states.map((one) => ({ state: one })));
  const outcome = await sender.runs.update(begun.task_id, (stored) => ({
    ...{ ...stored, events, state },
    notify_due_at: stored.created_at,
  }));
  return outcome?.row ?? begun;
}

/** A stored task with events whose deliveries are all made, but not sent. */
async function made(...of: Parameters<typeof untold>): Promise<TaskRun> {
  const run = await untold(...of);
  await sender.webhooks.notifier.notify(run);
  await markNotified(sender, run);
  return run;
}

/** A stored task whose receiver has failed once, so that its event waits for another attempt. */
async function pending(changes: Partial<TaskRun> = {}): Promise<{ run: TaskRun; row: Delivery }> {
  const run = await made(undefined, changes);
  return { run, row: await sender.attempt(await sender.deliveryOf(run.task_id)) };
}

const end = ({ task_id }: TaskRun, notifier: Notifier = sender.webhooks.notifier) =>
  endRegistrations({ ...sender, notifier }, task_id, ({ registration_id }: Registration) => registration_id === 'r1');

const now = ({ delivery_id }: Delivery) => sender.deliveries.get(delivery_id);

/** What is left of a process that is killed once it has written. */
const killed: Notifier = {
  register: () => Promise.reject(new Error('killed')),
  notify: () => Promise.reject(new Error('killed')),
};

const reconcile = () =>
  createReconcileRuns({
    ...sender.dependencies,
    runs: sender.runs,
    queue: sender.queues.queue(RUN_QUEUE),
    notifier: sender.webhooks.notifier,
    changeSignal: { publish: () => Promise.resolve(), subscribe: () => Promise.resolve() },
    tasks: new Map(),
  } as never)(0);

describe('[W6.ended] when a registration ends', () => {
  it('[W6.ended] what is pending for it ends, and is never sent', async () => {
    const { run, row } = await pending();
    await end(run);
    expect(await now(row)).toMatchObject({ state: 'ended', next_attempt_at: null, attempts: [{ attempt: 1 }] });
    sender.clock.advance(86_400_000);
    await sender.attempt(row);
    await sender.webhooks.reconcile(0);
    expect(receiver.received).toHaveLength(1);
    expect(await sender.runOf(run.task_id)).toMatchObject({ endings: [], notify_due_at: null });
  });

  it('[W6.ended] another of the same task goes on', async () => {
    const others = [registration(receiver.url()), registration(receiver.url('/other'), { registration_id: 'r2' })];
    const run = await made(others);
    await end(run);
    const rows = await sender.deliveriesOf(run.task_id);
    expect(rows.map(({ registration_id, state }) => [registration_id, state]).sort()).toEqual([
      ['r1', 'ended'],
      ['r2', 'pending'],
    ]);
  });

  it.each([
    [500, 'ended', 'failed', '5xx'],
    [204, 'delivered', 'success', undefined],
    [404, 'rejected', 'failed', '4xx'],
  ])('[W6.ended] the attempt on its way still arrives and is recorded: %d', async (code, state, shown, last_answer) => {
    const run = await made();
    receiver.answer = (response, n, received) => {
      void end(run).then(() => {
        status(code)(response, n, received);
      });
    };
    const row = await sender.attempt(await sender.deliveryOf(run.task_id));
    expect(row).toMatchObject({ state, next_attempt_at: null, attempts: [{ status: shown, http_status_code: code }] });
    expect([row.last_answer, row.has_failed]).toEqual([last_answer, last_answer && true]);
  });

  it('[W6.ended] an event whose delivery is made only afterwards, by who knew it alive, is not sent', async () => {
    const before = await untold();
    await end(before);
    await sender.webhooks.notifier.notify(before);
    const row = await sender.deliveryOf(before.task_id);
    expect(row).toMatchObject({ state: 'ended', attempts: [] });
    await sender.attempt(row);
    expect(receiver.received).toHaveLength(0);
  });

  it('[W6.ended] a process killed once it has written the end leaves the rest to the reconciler', async () => {
    const { run, row } = await pending();
    await expect(end(run, killed)).rejects.toThrow('killed');
    expect(await now(row)).toMatchObject({ state: 'pending' });
    await reconcile();
    expect(await now(row)).toMatchObject({ state: 'ended' });
    expect(await sender.runOf(run.task_id)).toMatchObject({ endings: [], notify_due_at: null });
  });

  it('[W6.ended] and so it does though the same id is registered anew before, which hears what comes later', async () => {
    const before = await untold();
    await expect(end(before, killed)).rejects.toThrow('killed');
    const anew = registration(receiver.url('/new'), { created_at: '2026-01-02T00:00:00.000Z' });
    await sender.runs.update(before.task_id, (stored) => ({ ...stored, registrations: [anew] }));
    const later = withStatuses(await sender.runOf(before.task_id), { state: 'completed' });
    await sender.webhooks.notifier.notify(later);
    const rows = await sender.deliveriesOf(before.task_id);
    expect(rows.map(({ sequence, state }) => [sequence, state])).toEqual([
      [2, 'ended'],
      [3, 'pending'],
    ]);
  });

  it('[W6.ended] ending it again ends what an earlier release has left pending', async () => {
    const { run, row } = await pending();
    const ended = [registration(receiver.url(), { ended_at: '2026-01-02T00:00:00.000Z' })];
    await sender.runs.update(run.task_id, (stored) => ({ ...stored, registrations: ended }));
    await end(run);
    expect(await now(row)).toMatchObject({ state: 'ended' });
    expect((await sender.runOf(run.task_id)).registrations).toEqual(ended);
  });

  it('[W6] [W6.ended] 410 ends what else is pending for it, and none that leads elsewhere by now', async () => {
    const run = await made(undefined, { input: { media_buy_id: 'mb-gone' } }, ['working', 'completed']);
    const [first, second] = await sender.deliveriesOf(run.task_id);
    receiver.answer = status(410);
    if (first === undefined || second === undefined) throw new Error('two were expected');
    expect(await sender.attempt(first)).toMatchObject({ state: 'gone' });
    expect(await now(second)).toMatchObject({ state: 'ended', attempts: [] });
    expect((await sender.runOf(run.task_id)).registrations[0]).toHaveProperty('ended_at');

    const moved = await pending();
    const anew = [registration(receiver.url('/elsewhere'))];
    await sender.runs.update(moved.run.task_id, (stored) => ({ ...stored, registrations: anew }));
    expect(await sender.attemptWhenDue(moved.row)).toMatchObject({ state: 'gone' });
    expect((await sender.runOf(moved.run.task_id)).registrations).toEqual(anew);
  });

  it('[W6.ended] 410 to one that has left the row of its task ends what is pending for it, such as what was sent anew', async () => {
    const run = await made([
      registration(receiver.url()),
      registration(receiver.url('/next'), { registration_id: 'r2' }),
    ]);
    const [first, other] = await sender.deliveriesOf(run.task_id);
    const { run: later } = await pending();
    if (first === undefined || other === undefined) throw new Error('two were expected');
    const again = { ...(await sender.deliveryOf(later.task_id)), task_id: run.task_id, delivery_id: 'sent-anew' };
    await sender.deliveries.insert(again);
    await sender.runs.update(run.task_id, (stored) => ({ ...stored, registrations: [] }));
    receiver.answer = status(410);
    expect(await sender.attempt(first)).toMatchObject({ state: 'gone' });
    expect(await now(again)).toMatchObject({ state: 'ended' });
    expect(await now(other)).toMatchObject({ state: 'pending' });
  });

  it('[W6.ended] 410 to a task that is of no media buy ends what is pending for it; of a media buy, nothing of its other tasks', async () => {
    const [alone] = await sender.deliveriesOf((await made(undefined, {}, ['working', 'completed'])).task_id);
    const of = { input: { media_buy_id: 'mb-of-two' } };
    const [one, other] = [await made(undefined, of, ['working', 'completed']), await made(undefined, of)];
    const [first] = await sender.deliveriesOf(one.task_id);
    if (alone === undefined || first === undefined) throw new Error('two were expected');
    receiver.answer = status(410);
    for (const row of [alone, first]) {
      expect(await sender.attempt(row)).toMatchObject({ state: 'gone' });
      expect((await sender.deliveriesOf(row.task_id))[1]).toMatchObject({ state: 'ended', attempts: [] });
    }
    expect(await sender.deliveryOf(other.task_id)).toMatchObject({
      registration_id: first.registration_id,
      state: 'pending',
    });
  });

  it('[W6.ended] 410 to a report ends what else is pending for that webhook of the media buy', async () => {
    const reports = [1, 2, 3].map((sequence) =>
      reportNotification(receiver.url(sequence === 3 ? '/new' : '/hook'), { sequence }),
    );
    await sender.webhooks.enqueue(reports);
    receiver.answer = status(410);
    const [first, second, third] = await Promise.all([1, 2, 3].map((n) => sender.deliveryOf(`delivery_report_${n}`)));
    if (!first || !second || !third) throw new Error('three were expected');
    expect(await sender.attempt(first)).toMatchObject({ state: 'gone' });
    expect(await now(second)).toMatchObject({ state: 'ended' });
    expect(await now(third)).toMatchObject({ state: 'pending' });
  });

  it('[W6.ended] [W11] webhook_activity shows it as failed, and nothing as pending', async () => {
    const { run, row } = await pending({ input: { media_buy_id: 'mb-shown' } });
    await end(run);
    const shown = await sender.webhooks.activity({
      organization_id: run.organization_id,
      subject_id: mediaBuyId('mb-shown'),
    });
    expect(shown).toHaveLength(2);
    expect(shown).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ status: 'failed', attempt: 2, error_message: 'registration ended' }),
        expect.objectContaining({ status: 'failed', attempt: 1, http_status_code: 500 }),
      ]),
    );
    expect(shown[0]?.idempotency_key).toBe(row.idempotency_key);
  });

  it('[W6.ended] an operator sends it no more, alone or in a range', async () => {
    const { run, row } = await pending();
    await end(run);
    await expect(sender.webhooks.operator.resend(row.delivery_id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await now(row)).toMatchObject({ state: 'ended' });
  });
});
