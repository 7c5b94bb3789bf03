import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wrappedStore } from '../../src/platform/store/wrapped-store.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { post } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { modernRequest } from '../mcp/support/modern-request.ts';
import { withStoreAway } from '../support/store-away.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, RELEASES, schemaErrors } from './support/public-call.ts';
import type { ShownTask } from './support/public-call.ts';

const AWAY = { code: 'SERVICE_UNAVAILABLE', recovery: 'transient', retry_after: 5 };

describeOnStores('[D2.refusals] a call of the public protocol that finds the store of tasks away, on %s,', (store) => {
  let at: TestAgent;
  let line: Json;
  let isAway = false;
  beforeAll(async () => {
    at = await startTestAgent(store, {
      working: false,
      wrapStore(inner) {
        const away = withStoreAway(inner, () => isAway);
        // Credentials are still read: where they are not, the wire itself refuses.
        return wrappedStore(inner, (one) => (one.spec.name === TaskRuns.name ? away.collection(one.spec) : one));
      },
    });
    line = await packageForSale(at);
    isAway = true;
  });
  afterAll(async () => {
    isAway = false;
    await at.stop();
  });

  const message = (skill: string, parameters: Json) => ({
    ...{ messageId: randomUUID(), role: 'ROLE_USER' },
    parts: [{ data: { skill, parameters } }],
  });

  it.each(RELEASES)('is told so in %s over A2A, as over MCP', async (release) => {
    for (const [skill, request] of [
      ['get_products', { brief: 'video', buying_mode: 'brief' }],
      ['create_media_buy', orderOf(line, { account: accountOf('acme.example') })],
    ] as const) {
      const parameters = { adcp_version: release, context: { mine: true }, ...request };
      const params = { message: message(skill, parameters) };
      const { status, result, error } = await post(at, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
      expect([status, error]).toEqual([200, undefined]);
      const task = result?.['task'] as ShownTask;
      expect(task.status.state).toBe('TASK_STATE_FAILED');
      const body = bodyOf(task);
      expect(body).toMatchObject({ status: 'failed', adcp_error: AWAY, errors: [AWAY], context: { mine: true } });
      if (skill === 'create_media_buy') expect(schemaErrors(skill, release, body)).toEqual([]);
      const tool = await modernRequest(at, 'tools/call', { name: skill, arguments: parameters });
      expect(tool.result?.['structuredContent']).toEqual(body);
    }
  });

  it('is told so to clients of A2A 0.3, and in a stream', async () => {
    const parts = [{ kind: 'data', data: { skill: 'get_products', parameters: { adcp_version: '3.0', brief: 'x' } } }];
    const sent = { kind: 'message', messageId: randomUUID(), role: 'user', parts };
    const old = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message: sent } };
    const { result } = await post(at, old, { 'a2a-version': '' });
    expect((result as { status?: { state: string } }).status?.state).toBe('completed');
    expect(bodyOf(result as unknown as ShownTask)).toMatchObject({ adcp_error: AWAY });

    const params = { message: message('get_products', { adcp_version: '3.1', brief: 'x' }) };
    const streamed = await fetch(`${at.baseUrl}/a2a/jsonrpc`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${at.apiKey}`, 'content-type': 'application/json', 'a2a-version': '1.0' },
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params }),
    });
    const text = await streamed.text();
    expect(text).toContain('SERVICE_UNAVAILABLE');
    expect(text).not.toContain('"error":{"code":-32');
  });

  it('is refused by the wire where it is in our own words', async () => {
    const input = { brief: 'video' };
    const params = { message: { ...message('', {}), parts: [{ data: { skill: 'get_products', input } }] } };
    const { status, error } = await post(at, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
    expect([status, error?.code]).toEqual([503, -32603]);
  });
});
