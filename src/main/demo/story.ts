import { once } from 'node:events';
import { EventEmitter } from 'node:events';
import type { ReceivedWebhook, WebhookOutcome } from '../../webhooks/receiver/index.ts';
import { startBuyerReceiver } from '../buyer-receiver.ts';
import { agentClient, responseOf } from './agent-client.ts';
import { BRIEF, campaign, Offers } from './campaign.ts';

const NEWS_WITHIN_MS = 60_000;

export interface Story {
  agentUrl: string;
  apiKey: string;
  protocolName: string;
  say: (line: string) => void;
}

/**
 * Plays the buyer's side: card, products, a media buy, and its webhooks.
 * @throws {Error} when a signature fails, an event is missing, or an answer is not what it should be.
 */
export async function playStory({ agentUrl, apiKey, protocolName, say }: Story): Promise<void> {
  const news = new EventEmitter();
  const events: ReceivedWebhook[] = [];
  const receiver = await startBuyerReceiver({
    agentUrl,
    protocolName,
    port: 0,
    onWebhook: (webhook) => {
      events.push(webhook);
      const { event } = webhook;
      say(
        `  webhook   ${event.status ?? event.format}: ${event.message ?? ''}  (signature verified, key ${event.idempotency_key.slice(0, 8)}…)`,
      );
      news.emit('news');
    },
    onOutcome: ({ outcome, code }: WebhookOutcome) => {
      if (outcome === 'refused' || outcome === 'failed')
        news.emit('error', new Error(`a webhook was ${outcome}: ${code ?? ''}`));
    },
  });
  try {
    const client = agentClient(agentUrl, apiKey);
    const card = await client.card();
    say(`1 the agent card\n  ${card.name}, with ${card.skills.join(', ')}`);

    say(`2 get_products\n  brief     ${BRIEF}`);
    const { products } = Offers.parse(responseOf(await client.send('get_products', { brief: BRIEF })));
    for (const { name, match_reason } of products.slice(0, 5)) say(`  product   ${name}: ${match_reason}`);

    const operation_id = `demo-${Date.now()}`;
    const input = {
      ...campaign({ products }, Date.now()),
      context: { campaign_manager: 'demo' },
      push_notification_config: { url: receiver.url, operation_id },
    };
    say(`3 create_media_buy, webhooks to ${receiver.url}`);
    const task = await client.send('create_media_buy', input, { returnImmediately: true });
    say(`  answered  ${task.status.state} as task ${task.id}`);

    say('4 what became of it');
    const deadline = AbortSignal.timeout(NEWS_WITHIN_MS);
    while (!events.some(({ event }) => event.is_final)) await once(news, 'news', { signal: deadline });
    while (!events.some(({ event }) => event.status === 'working')) await once(news, 'news', { signal: deadline });
    check(events, task.id, operation_id);

    const finished = await client.get(task.id);
    say(`5 GetTask says the same\n  ${finished.status.state}`);
    say(JSON.stringify(responseOf(finished), null, 2));
  } finally {
    await receiver.stop();
  }
}

function check(events: readonly ReceivedWebhook[], task_id: string, operation_id: string): void {
  for (const { event } of events) {
    if (event.task_id !== task_id || event.operation_id !== operation_id)
      throw new Error('a webhook is of another task');
  }
  const final = events.find(({ event }) => event.is_final)?.event;
  if (final?.status !== 'completed') throw new Error(`the task ended as ${final?.status ?? 'nothing'}`);
  const statuses = new Set(events.map(({ event }) => event.status));
  if (!statuses.has('working')) throw new Error('the working webhook is missing');
}
