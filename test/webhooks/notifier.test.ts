import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskRun } from '../../src/runtime/task-run.ts';
import { openSender, storedRun, withStatuses } from './support/open-sender.ts';
import type { Sender } from './support/open-sender.ts';
import { registration } from './support/registrations.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const URL = 'https://buyer.example/hook';

let sender: Sender;
beforeAll(async () => {
  sender = await openSender();
});
afterAll(() => sender.close());

async function told(run: TaskRun): Promise<Record<string, unknown>[]> {
  await sender.webhooks.notifier.notify(run);
  return (await sender.deliveriesOf(run.task_id)).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
}

describe('the MCP-style envelope', () => {
  it('[W1] holds what the rule names, in snake_case', async () => {
    const run = await storedRun(sender, [registration(URL)], { context: { trace: ['a', 1, null] } });
    const result = { media_buy_id: 'mb-1', status: 'active', packages: [] };
    const [body] = await told(withStatuses(run, { state: 'completed', message: 'media buy created', data: result }));
    expect(body).toEqual({
      idempotency_key: expect.stringMatching(UUID_V4) as string,
      operation_id: 'op-1',
      task_id: run.task_id,
      task_type: 'create_media_buy',
      domain: 'media-buy',
      protocol: 'media-buy',
      status: 'completed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      message: 'media buy created',
      result,
      context: { trace: ['a', 1, null] },
    });
  });

  it('[W1] echoes operation_id and context verbatim with every status', async () => {
    const operation_id = 'ö p/1?"\\ \u2028';
    const context = { b: 1, a: [{ z: 'ü' }], '': false };
    const run = await storedRun(sender, [registration(URL, { operation_id })], { context });
    const states = ['working', 'input-required', 'working', 'failed'] as const;
    const bodies = await told(withStatuses(run, ...states.map((state) => ({ state }))));
    expect(bodies.map(({ status }) => status)).toEqual(states);
    for (const body of bodies) {
      expect(body['operation_id']).toBe(operation_id);
      expect(JSON.stringify(body['context'])).toBe(JSON.stringify(context));
    }
  });

  it('[W1] carries the token of the registration, sealed in the store', async () => {
    const run = await storedRun(sender, [registration(URL, { token: 'shown only to the buyer' })]);
    await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
    const row = await sender.deliveryOf(run.task_id);
    expect(row.is_body_sealed).toBe(true);
    expect(JSON.stringify(row)).not.toContain('shown only to the buyer');
  });

  it('is compact JSON', async () => {
    const run = await storedRun(sender, [registration(URL)]);
    await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working', data: { percentage: 50 } }));
    const { body } = await sender.deliveryOf(run.task_id);
    expect(body).toBe(JSON.stringify(JSON.parse(body)));
  });

  it('of an event over 1 MB says so instead, and how to read it', async () => {
    const run = await storedRun(sender, [registration(URL)], { context: { trace: 1 } });
    const [body] = await told(withStatuses(run, { state: 'completed', data: { packages: 'é'.repeat(600_000) } }));
    expect(body).toMatchObject({
      status: 'completed',
      context: { trace: 1 },
      result: { too_large: true, limit_bytes: 1_048_576, task_id: run.task_id },
    });
    expect((body?.['result'] as { size_bytes: number }).size_bytes).toBeGreaterThan(1_200_000);
    expect(JSON.stringify(body)).toContain('get_task_status');
  });
});

describe('which events are told', () => {
  it('every status after the first answer, but neither submitted nor resubmitted', async () => {
    const run = await storedRun(sender, [registration(URL)]);
    const states = ['working', 'input-required', 'submitted', 'working', 'completed'] as const;
    const bodies = await told(withStatuses(run, ...states.map((state) => ({ state }))));
    expect(bodies.map(({ status }) => status)).toEqual(['working', 'input-required', 'working', 'completed']);
  });

  it('an event once per registration, however often it is notified, with the bytes and key of the first time', async () => {
    const run = withStatuses(await storedRun(sender, [registration(URL)]), { state: 'working' });
    const first = await told(run);
    expect(await told(run)).toEqual(first);
    expect(await told({ ...run, revision: 7 })).toEqual(first);
  });

  it('events already told by the row are not told again', async () => {
    const run = withStatuses(
      await storedRun(sender, [registration(URL)]),
      { state: 'working' },
      { state: 'completed' },
    );
    expect((await told({ ...run, notified_sequence: 2 })).map(({ status }) => status)).toEqual(['completed']);
  });

  it('[W5] with two registrations both fire, each in its own envelope and under its own key', async () => {
    const native = registration(URL, { registration_id: 'r2', channel: 'a2a', wire: '1.0' });
    const run = await storedRun(sender, [registration(URL), native]);
    const bodies = await told(withStatuses(run, { state: 'working' }));
    expect(bodies.map((body) => Object.keys(body).includes('statusUpdate')).sort()).toEqual([false, true]);
    const rows = await sender.deliveriesOf(run.task_id);
    expect(new Set(rows.map((row) => row.idempotency_key)).size).toBe(2);
  });

  it('[W6] nothing goes to a registration that has ended', async () => {
    const ended = registration(URL, { ended_at: '2026-01-01T00:00:00.000Z' });
    expect(await told(withStatuses(await storedRun(sender, [ended]), { state: 'working' }))).toEqual([]);
  });

  it('output announced before the end makes no webhook', async () => {
    const run = await storedRun(sender, [registration(URL)]);
    const artifact = { artifact_id: 'a', parts: [{ text: 'x' }] };
    const event = { kind: 'artifact' as const, sequence: 2, timestamp: run.created_at, artifact };
    expect(await told({ ...run, events: [...run.events, event] })).toEqual([]);
  });
});
