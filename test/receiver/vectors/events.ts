import { toTimestamp } from '../../../src/platform/clock.ts';
import { newRun } from '../../../src/runtime/new-run.ts';
import type { StatusEvent } from '../../../src/runtime/task-run.ts';
import { a2aStatusBody } from '../../../src/webhooks/envelope/envelope-a2a.ts';
import { mcpStatusBody } from '../../../src/webhooks/envelope/envelope-mcp.ts';
import { organizationId, taskId } from '../../support/ids.ts';
import { NOW } from './keys.ts';

const timestamp = toTimestamp(NOW * 1000);
const context = { trace: 'a-1' };
const idempotency_key = '5e0c9a4e-6f0b-4c55-9a0d-6a1a2c3d4e5f';
const run = newRun({
  task_id: taskId('11111111-1111-4111-8111-111111111111'),
  organization_id: organizationId('buyer'),
  principal_id: 'key-1',
  task_type: 'create_media_buy',
  context_id: '22222222-2222-4222-8222-222222222222',
  message_key: 'm-1',
  created_at: timestamp,
  context,
});
const working: StatusEvent = {
  kind: 'status',
  sequence: 2,
  state: 'working',
  timestamp,
  message: 'placing the order',
  data: { percentage: 50 },
};
const completed: StatusEvent = {
  kind: 'status',
  sequence: 3,
  state: 'completed',
  timestamp,
  message: 'done',
  data: { media_buy_id: 'mb_1' },
};

/** Bodies of every envelope, and the event that is in each; null for none. */
export function eventVectors(): unknown {
  return [
    ...[working, completed].flatMap((event) => {
      const notification = { run, event, idempotency_key };
      const { task_id, task_type, context_id } = run;
      const is_final = event === completed;
      const told = { task_id, task_type, operation_id: 'op-1', status: event.state, is_final, timestamp };
      const expected = { idempotency_key, ...told, message: event.message, result: event.data, context };
      const ofA2a = { format: 'a2a', ...expected, context_id };
      return [
        {
          name: `mcp, ${event.state}`,
          body: mcpStatusBody(notification, { operation_id: 'op-1' }),
          event: { format: 'mcp', domain: 'media-buy', ...expected },
        },
        { name: `a2a 0.3, ${event.state}`, body: a2aStatusBody(notification, '0.3', 'op-1'), event: ofA2a },
        { name: `a2a 1.0, ${event.state}`, body: a2aStatusBody(notification, '1.0', 'op-1'), event: ofA2a },
      ];
    }),
    {
      name: 'another event',
      body: '{"idempotency_key":"k","notification_id":"n","result":[1]}',
      event: { format: 'other', idempotency_key: 'k', notification_id: 'n', is_final: false, result: [1] },
    },
    {
      name: 'a2a without a key',
      body: '{"kind":"task","id":"t1","status":{"state":"failed"}}',
      event: {
        format: 'a2a',
        idempotency_key: 'sha256-5c952138fc1cf3d9321d111b870ed21bfed25e56d31716a3d90ccd6f8a6e8307',
        task_id: 't1',
        status: 'failed',
        is_final: true,
      },
    },
    { name: 'no key', body: '{"task_id":"t1","status":"completed"}', event: null },
    { name: 'a status nobody knows', body: '{"idempotency_key":"k","task_id":"t1","status":"active"}', event: null },
    { name: 'no object', body: '[]', event: null },
  ];
}
