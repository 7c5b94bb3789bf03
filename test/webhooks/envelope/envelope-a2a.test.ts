import { describe, expect, it } from 'vitest';
import type { StatusEvent, TaskRun } from '../../../src/runtime/task-run.ts';
import { a2aStatusBody } from '../../../src/webhooks/envelope/envelope-a2a.ts';

const timestamp = '2026-01-01T00:00:00.000Z';
const status = (state: StatusEvent['state'], more: Partial<StatusEvent> = {}): StatusEvent => ({
  kind: 'status',
  sequence: 3,
  state,
  timestamp,
  message: `it is ${state}`,
  ...more,
});

function told(event: StatusEvent, wire: '0.3' | '1.0', changes: Partial<TaskRun> = {}): unknown {
  const run = {
    task_id: 't1',
    context_id: 'c1',
    task_type: 'create_media_buy',
    events: [event],
    ...changes,
  } as TaskRun;
  return JSON.parse(a2aStatusBody({ run, event, idempotency_key: 'k1' }, wire, undefined));
}

const metadata = { idempotency_key: 'k1', task_type: 'create_media_buy' };

describe('[W5] an A2A body of generation 0.3', () => {
  it('[W5] of a final state is the bare Task, the response in the last data part of its first artifact', () => {
    expect(told(status('completed', { data: { media_buy_id: 'mb' } }), '0.3')).toEqual({
      kind: 'task',
      id: 't1',
      contextId: 'c1',
      status: {
        state: 'completed',
        timestamp,
        message: {
          kind: 'message',
          messageId: 't1-3',
          taskId: 't1',
          contextId: 'c1',
          role: 'agent',
          parts: [{ kind: 'text', text: 'it is completed' }],
        },
      },
      artifacts: [
        {
          artifactId: 'result',
          name: 'result',
          description: 'result of create_media_buy (completed)',
          parts: [
            { kind: 'text', text: 'it is completed' },
            { kind: 'data', data: { media_buy_id: 'mb' } },
          ],
        },
      ],
      metadata,
    });
  });

  it('[W5] of an interim state is the bare update, its data in the message', () => {
    expect(told(status('working', { data: { percentage: 50 } }), '0.3', { context: { trace: 1 } })).toEqual({
      kind: 'status-update',
      taskId: 't1',
      contextId: 'c1',
      final: false,
      status: {
        state: 'working',
        timestamp,
        message: {
          kind: 'message',
          messageId: 't1-3',
          taskId: 't1',
          contextId: 'c1',
          role: 'agent',
          parts: [
            { kind: 'text', text: 'it is working' },
            { kind: 'data', data: { percentage: 50 } },
          ],
        },
      },
      metadata: { ...metadata, context: { trace: 1 } },
    });
  });

  it('[W5] writes files as 0.3 has them', () => {
    const parts = [{ url: 'https://x.example/a', media_type: 'text/plain', filename: 'a' }, { raw: 'dGNr' }];
    const body = told(status('input-required', { parts }), '0.3') as { status: { message: { parts: unknown } } };
    expect(body.status.message.parts).toEqual([
      { kind: 'file', file: { uri: 'https://x.example/a', mimeType: 'text/plain', name: 'a' } },
      { kind: 'file', file: { bytes: 'dGNr' } },
    ]);
  });
});

describe('[W5] an A2A body of generation 1.0', () => {
  it('[W5] wraps the Task, names states and roles in upper case and parts without kind', () => {
    expect(told(status('failed', { data: { error: { code: 'X' } } }), '1.0')).toEqual({
      task: {
        id: 't1',
        contextId: 'c1',
        status: {
          state: 'TASK_STATE_FAILED',
          timestamp,
          message: {
            messageId: 't1-3',
            taskId: 't1',
            contextId: 'c1',
            role: 'ROLE_AGENT',
            parts: [{ text: 'it is failed' }],
          },
        },
        artifacts: [
          {
            artifactId: 'result',
            name: 'result',
            description: 'result of create_media_buy (failed)',
            parts: [{ text: 'it is failed' }, { data: { error: { code: 'X' } } }],
          },
        ],
        metadata,
      },
    });
  });

  it('[W5] wraps the update', () => {
    expect(told(status('input-required', { data: { reason: 'budget' } }), '1.0')).toMatchObject({
      statusUpdate: {
        taskId: 't1',
        status: {
          state: 'TASK_STATE_INPUT_REQUIRED',
          message: { parts: [{ text: 'it is input-required' }, { data: { reason: 'budget' } }] },
        },
      },
    });
  });

  it('[W5] joins the chunks of artifacts announced before, behind the result', () => {
    const chunk = (sequence: number, text: string, append?: boolean) => ({
      kind: 'artifact' as const,
      sequence,
      timestamp,
      artifact: { artifact_id: 'a', parts: [{ text }], ...(append !== undefined && { append }) },
    });
    const event = status('completed', { data: { ok: true }, sequence: 4 });
    const body = told(event, '1.0', { events: [chunk(2, 'one'), chunk(3, 'two', true), event] });
    expect((body as { task: { artifacts: unknown[] } }).task.artifacts).toMatchObject([
      { artifactId: 'result' },
      { artifactId: 'a', parts: [{ text: 'one' }, { text: 'two' }] },
    ]);
  });
});

it('an A2A body over 1 MB says so instead, and how to read it', () => {
  const body = told(status('completed', { data: { big: 'x'.repeat(1_100_000) } }), '0.3');
  expect(JSON.stringify(body).length).toBeLessThan(3000);
  expect(body).toMatchObject({
    artifacts: [{ parts: [{ kind: 'text' }, { kind: 'data', data: { too_large: true } }] }],
  });
});
