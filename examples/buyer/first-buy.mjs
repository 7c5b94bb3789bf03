// A buyer's first media buy, by the SDK of A2A (`npm install @a2a-js/sdk`): AGENT_URL and API_KEY say with whom.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SendMessageRequest, TaskState } from '@a2a-js/sdk';
import { ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client';

const { AGENT_URL = 'http://127.0.0.1:8080', API_KEY } = process.env;
const fetchImpl = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${API_KEY}`);
  return fetch(url, { ...init, headers });
};
const factory = new ClientFactory({ transports: [new JsonRpcTransportFactory({ fetchImpl })] });
const client = await factory.createFromUrl(AGENT_URL);

const GOES_ON = [TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING];

/** One call, until its task is over. What waits for a person takes days: a webhook tells of that, too. */
async function ask(skill, input) {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill, input } }] };
  let task = await client.sendMessage(SendMessageRequest.fromJSON({ message }));
  while (GOES_ON.includes(task.status.state)) {
    console.log(...task.status.message.parts.map(({ content }) => content.value));
    await delay(2_000);
    task = await client.getTask({ tenant: '', id: task.id });
  }
  return (task.artifacts[0] ?? task.status.message).parts.at(-1).content.value;
}

const { products } = await ask('get_products', { brief: 'podcasts for runners', limit: 3 });
for (const { product_id, match_reason } of products) console.log(`${product_id}: ${match_reason}`);

const id = randomUUID();
const bought = await ask('create_media_buy', {
  buyer_ref: `first-buy-${id}`,
  idempotency_key: id,
  brand_manifest: { name: 'Acme Outdoor', url: 'https://acme-outdoor.example' },
  packages: [{ product_id: 'podcast_network_dynamic', pricing_option_id: 'podcast_fixed_usd', budget: 10_000 }],
  start_time: { type: 'asap' },
  end_time: new Date(Date.now() + 90 * 86_400_000).toISOString(),
});
console.log(JSON.stringify(bought, null, 2));
