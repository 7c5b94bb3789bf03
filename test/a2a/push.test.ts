import { afterAll, beforeAll, expect, it } from 'vitest';
import { readEvent } from '#receiver';
import type { WebhookEvent } from '#receiver';
import { until } from '../support/until.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { openReceiver } from './support/open-receiver.ts';
import { invoke, invoke03, rpcClient } from './support/rpc.ts';
import { databaseOf } from './support/stores.ts';
import { describeOnStores } from '../support/stores.ts';
import { TASKS } from './support/tasks.ts';

const FORMS = {
  '1.0': {
    begin: (input: object) => invoke('build', input),
    method: 'SendMessage',
    field: 'taskPushNotificationConfig',
    task: (body: Record<string, unknown>) => body['task'],
    update: (body: Record<string, unknown>) => body['statusUpdate'],
    states: ['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'],
  },
  '0.3': {
    begin: (input: object) => invoke03('build', input),
    method: 'message/send',
    field: 'pushNotificationConfig',
    task: (body: Record<string, unknown>) => (body['kind'] === 'task' ? body : undefined),
    update: (body: Record<string, unknown>) => (body['kind'] === 'status-update' ? body : undefined),
    states: ['working', 'completed'],
  },
} as const;

describeOnStores('on %s', (store) => {
  const mongodbUrl = databaseOf(store);
  let agent: Agent;
  let key: string;
  beforeAll(async () => {
    agent = await openAgent({ tasks: TASKS, mongodbUrl });
    key = await agent.newKey();
  });
  afterAll(() => agent.close());

  it.each(['1.0', '0.3'] as const)(
    '[C.events.1] [C.events.5] [W5] both channels of one task fire, each in its own envelope, in A2A %s',
    async (wire) => {
      const { begin, method, field, task, update, states } = FORMS[wire];
      const [native, enveloped] = [await openReceiver(), await openReceiver()];
      const context = { campaign: 'spring' };
      const push_notification_config = { url: enveloped.url, operation_id: 'op-7' };
      const message = begin({ thing: 'house', push_notification_config, context });
      const configuration = { blocking: false, [field]: { url: native.url, token: 'token-of-mine' } };
      const { error } = await rpcClient(agent.url, key, wire).call(method, { message, configuration });
      expect(error).toBeUndefined();
      await until(() => native.received.length === 3 && enveloped.received.length === 3);

      for (const { headers } of [...native.received, ...enveloped.received]) {
        expect(headers['content-type']).toBe('application/json');
        expect(headers['signature-input']).toContain('sig1=');
      }
      expect(native.received.map(({ headers }) => headers['x-a2a-notification-token'])).toEqual(
        native.received.map(() => 'token-of-mine'),
      );
      const bodies = native.received.map(({ body }) => body);
      expect(bodies.map(task).filter(Boolean)).toMatchObject([{ status: { state: states[1] } }]);
      expect(bodies.map(update).filter(Boolean)).toMatchObject([
        { status: { state: states[0] } },
        { status: { state: states[0] } },
      ]);

      const told = async (received: typeof native.received): Promise<WebhookEvent[]> => {
        const read = await Promise.all(received.map(({ body }) => readEvent(Buffer.from(JSON.stringify(body)))));
        return read.flatMap((one) => (one.ok ? one.event : []));
      };
      const [a2a, mcp] = [await told(native.received), await told(enveloped.received)];
      expect([...new Set(a2a.map(({ format }) => format))]).toEqual(['a2a']);
      expect([...new Set(mcp.map(({ format }) => format))]).toEqual(['mcp']);
      for (const events of [a2a, mcp]) {
        expect(events.find(({ is_final }) => is_final)).toMatchObject({
          status: 'completed',
          result: { built: 'house' },
          context,
        });
        expect(new Set(events.map(({ idempotency_key }) => idempotency_key)).size).toBe(3);
        const steps = events.filter(({ status }) => status === 'working').map(({ result }) => result);
        expect(steps).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ current_step: 'dig' }),
            expect.objectContaining({ current_step: 'raise' }),
          ]),
        );
      }
      expect(mcp.every(({ operation_id }) => operation_id === 'op-7')).toBe(true);
      await Promise.all([native.close(), enveloped.close()]);
    },
  );
});
