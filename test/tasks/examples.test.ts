import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeExampleBuy } from '../../src/main/demo/example-buy.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { EXAMPLE_MEDIA_BUY_ID, EXAMPLE_TASK_ID } from '../../src/tasks/example-ids.ts';
import { post, responseIn, taskOf } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { organizationId } from '../support/ids.ts';
import { until } from '../support/until.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { env: { CREATIVE_REVIEW_SECONDS: '0' } });
  const { core } = agent;
  await Promise.all([
    makeExampleBuy(core, organizationId('org_demo_buyer')),
    makeExampleBuy(core, organizationId('org_demo_buyer')),
  ]);
  await until(async () => (await core.sales.mediaBuys.get(EXAMPLE_MEDIA_BUY_ID))?.status === 'active');
});
afterAll(() => agent.stop());

it('every example of every skill of the card runs when it is pasted, and again', async () => {
  const card = (await (await fetch(`${agent.baseUrl}/.well-known/agent-card.json`)).json()) as {
    skills: { id: string; examples: string[] }[];
  };
  const pasted: string[] = [];
  for (const { id, examples } of card.skills) {
    expect(examples.length).toBeGreaterThan(0);
    for (const [i, example] of examples.entries()) {
      const message = { messageId: `${id}-${i}`, role: 'ROLE_USER', parts: [{ text: example }] };
      const answer = await post(agent, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
      expect([id, taskOf(answer).state]).toEqual([id, 'TASK_STATE_COMPLETED']);
      expect(responseIn(answer), `${id} answers its example with nothing`).not.toEqual({});
      pasted.push(id);
    }
  }
  expect(new Set(pasted)).toEqual(new Set(agent.core.runtime.tasks.keys()));
  const again = {
    messageId: 'again',
    role: 'ROLE_USER',
    parts: [{ text: exampleOf(card.skills, 'update_media_buy') }],
  };
  const answer = await post(agent, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: again } });
  expect(responseIn(answer)).toMatchObject({ media_buy_id: EXAMPLE_MEDIA_BUY_ID, status: 'active' });
});

it('the example’s media buy is made once, however often the agent starts', async () => {
  await makeExampleBuy(agent.core, organizationId('org_demo_buyer'));
  const { rows } = await agent.core.sales.mediaBuys.find({ where: { organization_id: 'org_demo_buyer' }, limit: 100 });
  expect(rows.filter(({ buyer_ref }) => buyer_ref === 'example-always-on')).toHaveLength(1);
});

it('no example buy is made at an ad server that is not the embedded simulator', async () => {
  const other = await startTestAgent('sqlite', { working: false });
  const { core } = other;
  const made = () => core.store.collection(TaskRuns).get(EXAMPLE_TASK_ID);
  const owner = organizationId('org_demo_buyer');
  try {
    await makeExampleBuy({ ...core, sales: { ...core.sales, isSimulated: false } }, owner);
    expect(await made()).toBeUndefined();
    await makeExampleBuy(core, owner);
    expect(await made()).toMatchObject({ state: 'submitted' });
  } finally {
    await other.stop();
  }
});

function exampleOf(skills: { id: string; examples: string[] }[], wanted: string): string {
  return skills.find(({ id }) => id === wanted)?.examples[0] ?? '';
}
