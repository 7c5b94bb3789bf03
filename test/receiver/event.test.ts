import { describe, expect, it } from 'vitest';
import { orderOf, readEvent } from '#receiver';
import type { WebhookEvent } from '#receiver';

const timestamp = '2026-03-01T12:00:00.000Z';
const at = Date.parse(timestamp);

async function read(body: unknown): Promise<WebhookEvent | undefined> {
  const given = await readEvent(Buffer.from(JSON.stringify(body)));
  return given.ok ? given.event : undefined;
}

describe('MCP-style envelopes', () => {
  const envelope = {
    idempotency_key: 'key',
    operation_id: 'op',
    task_id: 't1',
    task_type: 'create_media_buy',
    domain: 'media-buy',
    protocol: 'media-buy',
    status: 'working',
    timestamp,
    message: 'working on it',
    result: { percentage: 50 },
    context: { trace: 1 },
    token: 'secret',
  };

  it('[C.events.5] are known by a status that is a string beside a task_id; content comes from result', async () => {
    expect(await read(envelope)).toEqual({
      format: 'mcp',
      idempotency_key: 'key',
      operation_id: 'op',
      task_id: 't1',
      task_type: 'create_media_buy',
      domain: 'media-buy',
      status: 'working',
      is_final: false,
      timestamp,
      message: 'working on it',
      result: { percentage: 50 },
      context: { trace: 1 },
    });
  });

  it.each(['completed', 'failed', 'canceled', 'rejected'])('are final when the status is %s', async (status) => {
    expect((await read({ ...envelope, status }))?.is_final).toBe(true);
  });

  it.each([undefined, '', 5, 'k'.repeat(256)])('cannot be read with the idempotency_key %j', async (key) => {
    expect(await read({ ...envelope, idempotency_key: key })).toBeUndefined();
  });

  it('leave out what is not of its type', async () => {
    expect(await read({ idempotency_key: 'key', task_id: 5, status: 'x', message: {} })).toEqual({
      format: 'other',
      idempotency_key: 'key',
      status: 'x',
      is_final: false,
    });
  });
});

describe('A2A bodies', () => {
  const parts03 = [
    { kind: 'text', text: 'done' },
    { kind: 'data', data: { n: 1 } },
    { kind: 'data', data: { n: 2 } },
  ];
  const parts10 = [{ text: 'done' }, { data: { n: 1 } }, { data: { n: 2 } }];

  it.each([
    [
      '0.3',
      {
        kind: 'task',
        id: 't1',
        contextId: 'c1',
        status: { state: 'completed', timestamp },
        artifacts: [{ parts: parts03 }, { parts: [] }],
      },
    ],
    [
      '1.0',
      {
        task: {
          id: 't1',
          contextId: 'c1',
          status: { state: 'TASK_STATE_COMPLETED', timestamp },
          artifacts: [{ parts: parts10 }, { parts: [] }],
        },
      },
    ],
  ])(
    '[C.events.5] of generation %s in a final state give the last data part of the first artifact',
    async (_generation, body) => {
      expect(await read(body)).toMatchObject({
        format: 'a2a',
        task_id: 't1',
        context_id: 'c1',
        status: 'completed',
        is_final: true,
        timestamp,
        result: { n: 2 },
      });
    },
  );

  it.each([
    [
      '0.3',
      {
        kind: 'status-update',
        taskId: 't1',
        contextId: 'c1',
        status: { state: 'input-required', timestamp, message: { parts: parts03 } },
        final: false,
      },
    ],
    [
      '1.0',
      {
        statusUpdate: {
          taskId: 't1',
          contextId: 'c1',
          status: { state: 'TASK_STATE_INPUT_REQUIRED', timestamp, message: { parts: parts10 } },
        },
      },
    ],
  ])(
    '[C.events.5] of generation %s in an interim state give the first data part of the status message',
    async (_generation, body) => {
      expect(await read(body)).toMatchObject({
        format: 'a2a',
        task_id: 't1',
        status: 'input-required',
        is_final: false,
        message: 'done',
        result: { n: 1 },
      });
    },
  );

  it('give the message’s data when a final state came without an artifact', async () => {
    const body = { kind: 'task', id: 't1', status: { state: 'failed', message: { parts: parts03 } } };
    expect(await read(body)).toMatchObject({ status: 'failed', is_final: true, result: { n: 1 } });
  });

  it('take idempotency_key, operation_id, task_type and context from metadata', async () => {
    const metadata = { idempotency_key: 'key', operation_id: 'op', task_type: 'create_media_buy', context: { a: 1 } };
    expect(await read({ kind: 'task', id: 't1', status: { state: 'working' }, metadata })).toMatchObject(metadata);
  });

  it('[W15] without an idempotency_key are deduped by their bytes', async () => {
    const body = { kind: 'task', id: 't1', status: { state: 'working', timestamp } };
    const key = (await read(body))?.idempotency_key;
    expect(key).toMatch(/^sha256-[0-9a-f]{64}$/);
    expect((await read({ ...body }))?.idempotency_key).toBe(key);
    expect((await read({ ...body, id: 't2' }))?.idempotency_key).not.toBe(key);
  });

  it('keep a status that only looks like one', async () => {
    expect(await read({ idempotency_key: 'key', status: {}, task_id: 't1' })).toMatchObject({ format: 'other' });
  });
});

describe('a status that the protocol does not know', () => {
  it.each(['active', 'TASK_STATE_UNSPECIFIED', 'Completed', ''])('is refused in every envelope: %j', async (state) => {
    for (const body of [
      { idempotency_key: 'key', task_id: 't1', status: state },
      { kind: 'task', id: 't1', status: { state } },
      { statusUpdate: { taskId: 't1', status: { state } } },
    ]) {
      const given = await readEvent(Buffer.from(JSON.stringify(body)));
      expect(given).toMatchObject({ ok: false, reason: expect.stringContaining('is no status of a task') as string });
    }
  });

  it.each(['submitted', 'working', 'input-required', 'auth-required', 'completed', 'failed', 'canceled', 'rejected'])(
    '[C.states.tasks] is none of the eight: %s',
    async (status) => {
      expect(await read({ idempotency_key: 'key', task_id: 't1', status })).toMatchObject({ status });
    },
  );
});

describe('other events', () => {
  it('are read as they are', async () => {
    expect(await read({ idempotency_key: 'key', notification_id: 'n', result: [1] })).toEqual({
      format: 'other',
      idempotency_key: 'key',
      notification_id: 'n',
      is_final: false,
      result: [1],
    });
  });

  it.each([null, [], 'text', 5, true, {}])('cannot be read from %j', async (body) => {
    expect(await read(body)).toBeUndefined();
  });
});

describe('what makes an event stale', () => {
  const status = { idempotency_key: 'key', task_id: 't1', status: 'working', timestamp };
  const orderFor = async (body: unknown) => {
    const event = await read(body);
    return event === undefined ? undefined : orderOf(event);
  };

  it('[W15] is a newer timestamp of the same task', async () => {
    expect(await orderFor(status)).toEqual({ subject: 'task t1', at });
    expect(await orderFor({ kind: 'task', id: 't1', status: { state: 'working', timestamp } })).toEqual({
      subject: 'task t1',
      at,
    });
  });

  it('[T1] a final status comes after any other of the same millisecond', async () => {
    expect((await orderFor({ ...status, status: 'completed' }))?.at).toBeGreaterThan(at);
    expect((await orderFor({ ...status, status: 'completed' }))?.at).toBeLessThan(at + 1);
  });

  it('of state-shaped events is a newer one of the same notification_id', async () => {
    expect(await orderFor({ ...status, notification_id: 'n1' })).toEqual({ subject: 'notification n1', at });
  });

  it.each(['scheduled', 'final', 'delayed', 'adjusted'])('nothing is, for a delivery report: %s', async (type) => {
    expect(await orderFor({ ...status, result: { notification_type: type } })).toBeUndefined();
  });

  it.each([undefined, 'soon', 5])('nothing is, without an instant: %j', async (wrong) => {
    expect(await orderFor({ ...status, timestamp: wrong })).toBeUndefined();
  });
});
