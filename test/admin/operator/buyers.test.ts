import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false });
});
afterAll(() => agent.stop());

it('an operator makes an organization, once for a click, and a key for it that opens', async () => {
  const click = { 'idempotency-key': randomUUID() };
  const made = await operate(agent, 'POST', '/buyers/add', { name: 'Harbour Media' }, click);
  expect(made).toMatchObject({ status: 200, body: { name: 'Harbour Media', state: 'active', suspended_at: null } });
  const again = await operate(agent, 'POST', '/buyers/add', { name: 'Harbour Media' }, click);
  expect(again.body).toMatchObject({ ...made.body, replayed: true });
  const { buyers } = (await operate(agent, 'GET', '/buyers')).body as { buyers: { name: string }[] };
  expect(buyers.filter(({ name }) => name === 'Harbour Media')).toHaveLength(1);

  const id = String(made.body['organization_id']);
  const { key } = (await operate(agent, 'POST', `/buyers/${id}/keys/add`, { name: 'first' })).body;
  const headers = { authorization: `Bearer ${String(key)}`, 'a2a-version': '1.0' };
  const opened = await fetch(`${agent.baseUrl}/a2a/rest/tasks`, { headers });
  expect(opened.status).toBe(200);
  await opened.arrayBuffer();

  const { actions } = (await operate(agent, 'GET', '/actions?target=/buyers')).body;
  expect(actions).toMatchObject([{ action: 'buyers.add', input: { name: 'Harbour Media' }, outcome: 'done' }]);
});

it('an organization needs a name', async () => {
  for (const body of [{}, { name: ' ' }, { name: 'a\u0007' }])
    expect((await operate(agent, 'POST', '/buyers/add', body)).status).toBe(422);
});
