import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { makeExampleBuys } from '../../src/main/demo/example-buy.ts';
import { isObject } from '../../src/platform/json-object.ts';
import { BUYER_ACTIONS } from '../../src/sales/media-buy/buyer-actions.ts';
import { CallingGuide } from '../../src/tasks/calling-schema.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { EXAMPLE_MEDIA_BUY_ID, EXAMPLE_MEDIA_BUY_TO_CANCEL_ID, EXAMPLE_TASK_ID } from '../../src/tasks/example-ids.ts';
import { ask, post, responseIn, taskOf } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { organizationId } from '../support/ids.ts';
import { schemaValidator } from '../support/schema-validator.ts';
import type { SchemaValidator } from '../support/schema-validator.ts';
import { until } from '../support/until.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { env: { CREATIVE_REVIEW_SECONDS: '0' } });
  const { core } = agent;
  await Promise.all([
    makeExampleBuys(core, organizationId('org_demo_buyer')),
    makeExampleBuys(core, organizationId('org_demo_buyer')),
  ]);
  for (const id of [EXAMPLE_MEDIA_BUY_ID, EXAMPLE_MEDIA_BUY_TO_CANCEL_ID])
    await until(async () => (await core.sales.mediaBuys.get(id))?.status === 'active');
});
afterAll(() => agent.stop());

interface Card {
  skills: { id: string; examples: string[] }[];
  capabilities: { extensions: { params: { calling: CallingGuide } }[] };
}

async function readCard(): Promise<Card> {
  const headers = { 'A2A-Version': '1.0' };
  const card = (await (await fetch(`${agent.baseUrl}/.well-known/agent-card.json`, { headers })).json()) as Card;
  // Those of the public protocol alone have schemas of its own.
  return { ...card, skills: card.skills.filter(({ id }) => agent.core.runtime.tasks.has(id)) };
}

function callingOf(card: Card): CallingGuide {
  return CallingGuide.parse(card.capabilities.extensions[0]?.params.calling);
}

/** The schema of a skill, from the address that the card names. */
async function schemaOf(card: Card, id: string, side: 'input' | 'output'): Promise<SchemaValidator> {
  const url = callingOf(card).schemas[side].replace('{skill}', id);
  return schemaValidator((await (await fetch(url)).json()) as object);
}

it('every example of every skill of the card runs when it is pasted, and again; both sides fit their schemas', async () => {
  const card = await readCard();
  const pasted: string[] = [];
  for (const { id, examples } of card.skills) {
    expect(examples.length).toBeGreaterThan(0);
    const [input, output] = await Promise.all([schemaOf(card, id, 'input'), schemaOf(card, id, 'output')]);
    for (const [i, example] of examples.entries()) {
      expect([example, input((JSON.parse(example) as { input: unknown }).input)]).toEqual([example, '']);
      const message = { messageId: `${id}-${i}`, role: 'ROLE_USER', parts: [{ text: example }] };
      const answer = await post(agent, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
      expect([example, taskOf(answer).state]).toEqual([example, 'TASK_STATE_COMPLETED']);
      expect(responseIn(answer), `${id} answers its example with nothing`).not.toEqual({});
      expect([example, output(responseIn(answer))]).toEqual([example, '']);
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

it('the schemas refuse an unknown key exactly where the task does, and nothing that the task takes', async () => {
  const card = await readCard();
  for (const { id, examples } of card.skills) {
    const fits = await schemaOf(card, id, 'input');
    const task = agent.core.runtime.tasks.get(id);
    const taken = task?.toldInput ?? task?.input ?? z.never();
    const inputs = examples.map((example) => (JSON.parse(example) as { input: unknown }).input);
    for (const one of inputs.flatMap(withUnknownKeys))
      expect([one, fits(one) === '']).toEqual([one, taken.safeParse(one).success]);
    for (const one of inputs.flatMap(withOtherLeaves))
      if (taken.safeParse(one).success) expect([one, fits(one)]).toEqual([one, '']);
  }
});

it('the card says for every action of valid_actions what to send, and has an example of it', async () => {
  const card = await readCard();
  const { valid_actions, fields } = callingOf(card);
  expect(Object.keys(valid_actions).sort()).toEqual([...BUYER_ACTIONS].sort());
  expect(valid_actions.pause).toBe('update_media_buy with updates {"status":"paused"}');
  const examples = card.skills.find(({ id }) => id === 'update_media_buy')?.examples ?? [];
  const shown = examples.map((example) => sayOf((JSON.parse(example) as { input: { updates: Json } }).input.updates));
  const told = Object.values(valid_actions).flatMap(
    (text) => /^update_media_buy with updates (.*)$/.exec(text)?.[1] ?? [],
  );
  expect(told.map((updates) => sayOf(JSON.parse(updates) as Json))).toEqual(expect.arrayContaining(shown));
  expect(Object.keys(fields)).toEqual(
    expect.arrayContaining(['product_id', 'pricing_option_id', 'bid_price', 'buyer_ref']),
  );
  expect(told).toHaveLength(shown.length);
  const { calling } = await ask(agent, 'get_agent_capabilities', {});
  expect(calling).toEqual(callingOf(card));
});

it('the example’s media buy is made once, however often the agent starts', async () => {
  await makeExampleBuys(agent.core, organizationId('org_demo_buyer'));
  const { rows } = await agent.core.sales.mediaBuys.find({ where: { organization_id: 'org_demo_buyer' }, limit: 100 });
  expect(rows.filter(({ buyer_ref }) => buyer_ref === 'example-always-on')).toHaveLength(1);
});

it('no example buy is made at an ad server that is not the embedded simulator', async () => {
  const other = await startTestAgent('sqlite', { working: false });
  const { core } = other;
  const made = () => core.store.collection(TaskRuns).get(EXAMPLE_TASK_ID);
  const owner = organizationId('org_demo_buyer');
  try {
    await makeExampleBuys({ ...core, sales: { ...core.sales, isSimulated: false } }, owner);
    expect(await made()).toBeUndefined();
    await makeExampleBuys(core, owner);
    expect(await made()).toMatchObject({ state: 'submitted' });
  } finally {
    await other.stop();
  }
});

/** What updates change; two processes or instants have other times in them. */
function sayOf({ status, ...updates }: Json): unknown[] {
  return [status, ...Object.keys(updates)];
}

/** The value once with an unknown key in each of its objects. */
function withUnknownKeys(value: unknown): unknown[] {
  if (Array.isArray(value)) return inItems(value, withUnknownKeys);
  if (!isObject(value)) return [];
  return [
    { ...value, no_such_key: 1 },
    ...inEach(Object.entries(value), withUnknownKeys, (name, one) => ({ ...value, [name]: one })),
  ];
}

/** The value once without each of its members, and with something else in the place of each. */
function withOtherLeaves(value: unknown): unknown[] {
  if (Array.isArray(value)) return inItems(value, withOtherLeaves);
  if (!isObject(value)) return ['', ' ', 'x'.repeat(300), 0, -1.5, 1e9, true, null, [], {}, ['x']];
  const without = Object.keys(value).map((name) =>
    Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)),
  );
  return [...without, ...inEach(Object.entries(value), withOtherLeaves, (name, one) => ({ ...value, [name]: one }))];
}

function inItems(items: readonly unknown[], change: (item: unknown) => unknown[]): unknown[] {
  return inEach(items.entries(), change, (i, one) => items.with(i, one));
}

function inEach<Name, Made>(
  members: Iterable<[Name, unknown]>,
  change: (member: unknown) => unknown[],
  put: (name: Name, one: unknown) => Made,
): Made[] {
  return [...members].flatMap(([name, member]) => change(member).map((one) => put(name, one)));
}

function exampleOf(skills: { id: string; examples: string[] }[], wanted: string): string {
  return skills.find(({ id }) => id === wanted)?.examples[0] ?? '';
}
