import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogger } from '../../src/platform/log.ts';
import { sealer } from '../../src/platform/crypto/sealer.ts';
import { openStore } from '../../src/platform/store/store.ts';
import { append } from '../../src/runtime/transition.ts';
import type { TaskRun } from '../../src/runtime/task-run.ts';
import { createWebhooks } from '../../src/webhooks/webhooks.ts';
import type { Webhooks } from '../../src/webhooks/webhooks.ts';
import { createMongoPlace } from '../platform/support/mongo-place.ts';
import type { MongoPlace } from '../platform/support/mongo-place.ts';
import { describeOnStores } from '../support/stores.ts';
import { openSender, SECRET, storedRun } from './support/open-sender.ts';
import type { Sender } from './support/open-sender.ts';
import { registration } from './support/registrations.ts';

const URL = 'https://buyer.example/hook';
const SEED = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

/** One in each form: with a token in its body, in its headers, with none. */
const EACH = [
  registration(URL, { token: 'only the buyer knows it' }),
  registration(URL, { registration_id: 'r2', operation_id: 'ö "2"' }),
  registration(URL, { registration_id: 'r3', channel: 'a2a', wire: '0.3', token: 'likewise' }),
  registration(URL, { registration_id: 'r4', channel: 'a2a', wire: '1.0' }),
  registration(URL, { registration_id: 'r5', dialect: 'adcp/3.0' }),
  registration(URL, { registration_id: 'r6', channel: 'a2a', wire: '1.0', dialect: 'adcp/3.1' }),
];

/** What JSON can say and a store must give back as it was. */
const json = fc.jsonValue({ maxDepth: 3, noUnicodeString: false }).filter((value) => isStorable(JSON.stringify(value)));
const words = fc.dictionary(fc.constantFrom('media_buy_id', 'packages'), json);
const content = fc.record({
  message: fc.string().filter(isStorable),
  data: fc.option(json, { nil: undefined }),
  told: fc.option(words, { nil: undefined }),
});

function isStorable(text: string): boolean {
  return !/\p{Surrogate}/u.test(text) && !/\u0000|\\u0000|"[^"]*[$.][^"]*":|__proto__/.test(text);
}

describeOnStores('on %s, a webhook', (kind) => {
  let sender: Sender;
  let place: MongoPlace | undefined;
  let dataDir: string;
  /** Another process, later: with another secret, which still opens what the first one sealed. */
  let later: Webhooks;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'mba-made-again-'));
    place = kind === 'mongodb' ? await createMongoPlace() : undefined;
    const store = await openStore({ dataDir, mongodbUrl: place?.target, logger: createLogger('silent') });
    sender = await openSender({ store });
    later = createWebhooks({
      ...sender.dependencies,
      sealer: sealer('another secret, which is long enough', [SECRET]),
    });
  });
  afterAll(async () => {
    await sender.close();
    await place?.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Everything that may be sent of a task, after whose deliveries were lost. */
  async function told(webhooks: Webhooks, run: TaskRun): Promise<unknown[]> {
    await webhooks.notifier.notify(run);
    const rows = await sender.deliveriesOf(run.task_id);
    const open = (row: (typeof rows)[number]) =>
      row.is_body_sealed
        ? sealer('another secret, which is long enough', [SECRET]).open(row.body, `webhook ${URL}`)
        : row.body;
    for (const { delivery_id } of rows) await sender.deliveries.delete(delivery_id);
    return rows
      .map((row) => [row.sequence, row.registration_id, row.idempotency_key, open(row)])
      .sort((one, other) => one.join().localeCompare(other.join()));
  }

  /** A task with one event more, as it is written, and as this process has it in memory. */
  async function moved(run: TaskRun, event: Parameters<typeof append>[1]): Promise<TaskRun> {
    const outcome = await sender.runs.update(run.task_id, (stored) => append(stored, event, sender.clock.now()));
    if (outcome?.changed !== true) throw new Error('it was not moved');
    return outcome.row;
  }

  it('[W20] [W1.again] made again from the stored event has the bytes and the key of the first, whatever has happened since', async () => {
    await fc.assert(
      fc.asyncProperty(content, content, json, async (working, completed, context) => {
        const changes = { webhook_seed: SEED, context, context_text: JSON.stringify(context) };
        const begun = await storedRun(sender, EACH, changes);
        const first = await told(sender.webhooks, await moved(begun, { state: 'working', ...working }));
        expect(first).toHaveLength(EACH.length);
        await sender.runs.update(begun.task_id, (stored) => ({ ...stored, notified_sequence: 2 }));
        const run = await moved(begun, { state: 'completed', ...completed });
        const second = await told(sender.webhooks, run);

        sender.clock.advance(3_600_000);
        const late = registration(URL, { registration_id: 'late', ended_at: run.created_at });
        await sender.runs.update(run.task_id, (stored) => ({
          ...{ ...stored, notified_sequence: 1 },
          registrations: [...stored.registrations, late],
        }));
        expect(await told(later, await sender.runOf(run.task_id))).toEqual([...first, ...second]);
      }),
      { numRuns: 15 },
    );
  });

  it('[D5] to who came while an event was being recorded, without its words, says where they are read', async () => {
    const spoken = { dialect: 'adcp', skill: 'create_media_buy', release: '3.1' } as const;
    const [own, , , , public30] = EACH;
    const run = await storedRun(
      sender,
      [own, public30].flatMap((one) => one ?? []),
      { webhook_seed: SEED, spoken },
    );
    await told(sender.webhooks, await moved(run, { state: 'working', message: '' }));
    await sender.runs.update(run.task_id, (stored) => ({ ...stored, notified_sequence: 2 }));
    const [mine, theirs] = (await told(
      sender.webhooks,
      await moved(run, { state: 'completed', message: 'done', data: { a: 1 } }),
    )) as string[][];
    expect(JSON.parse(mine?.[3] ?? '')).toMatchObject({ result: { a: 1 } });
    const { result } = JSON.parse(theirs?.[3] ?? '') as { result: Record<string, unknown> };
    expect(result).toEqual({ message: expect.stringContaining('get_task_status') as unknown, task_id: run.task_id });
  });

  it('[W20] of 0.1.0, whose row has no seed, keeps the key of its stored delivery', async () => {
    const run = await moved(await storedRun(sender, EACH), { state: 'working', message: '' });
    await sender.webhooks.notifier.notify(run);
    const first = await sender.deliveriesOf(run.task_id);
    await later.notifier.notify(await sender.runOf(run.task_id));
    expect(await sender.deliveriesOf(run.task_id)).toEqual(first);
    expect(new Set(first.map((row) => row.idempotency_key)).size).toBe(EACH.length);
  });

  it('[W20] in a form that only a newer release knows is made by none other', async () => {
    const run = await moved(await storedRun(sender, EACH, { webhook_seed: SEED }), { state: 'working', message: '' });
    const newer = run.events.map((event) => (event.kind === 'status' ? { ...event, format: 1_000 } : event));
    await expect(later.notifier.notify({ ...run, events: newer })).rejects.toThrow('a newer release');
    expect(await sender.deliveriesOf(run.task_id)).toEqual([]);
  });
});
