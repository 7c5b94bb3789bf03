import { startBuyerReceiver } from '../buyer-receiver.ts';
import { agentClient, responseOf } from './agent-client.ts';
import { BRIEF, campaign, Offers } from './campaign.ts';
import { createReceivedEvents } from './received-events.ts';
import type { ReceivedEvents } from './received-events.ts';

export interface Story {
  agentUrl: string;
  apiKey: string;
  protocolName: string;
  say: (line: string) => void;
  /** How long to wait for the webhooks, in milliseconds. */
  timeoutMs: number;
  /** What shows a person at this machine the approvals that wait. */
  approvalsCommand: string;
}

/**
 * Plays the buyer's side: card, products, a media buy, and its webhooks.
 * @throws {Error} when a signature fails, an event is missing, or an answer is not what it should be.
 */
export async function playStory(story: Story): Promise<void> {
  const { agentUrl, apiKey, protocolName, say, timeoutMs, approvalsCommand } = story;
  const received = createReceivedEvents(timeoutMs);
  const receiver = await startBuyerReceiver({
    agentUrl,
    protocolName,
    port: 0,
    onWebhook(webhook) {
      const { event } = webhook;
      say(
        `  webhook   ${event.status ?? event.format}: ${event.message ?? ''}  (signature verified, key ${event.idempotency_key.slice(0, 8)}…)`,
      );
      if (!event.is_final && event.message?.includes('approval') === true)
        say(`  waits     for a person at the seller: ${agentUrl}/admin/approvals, or ${approvalsCommand}`);
      received.heard(webhook);
    },
    onOutcome({ outcome, code }) {
      if (outcome === 'refused' || outcome === 'failed')
        received.failed(new Error(`a webhook was ${outcome}: ${code ?? ''}`));
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
    await checkEvents(received, task.id, operation_id);

    const finished = await client.get(task.id);
    say(`5 GetTask says the same\n  ${finished.status.state}`);
    say(JSON.stringify(responseOf(finished), null, 2));
    if (finished.status.state !== 'TASK_STATE_COMPLETED') throw new Error('GetTask says something else');
  } finally {
    await receiver.stop();
  }
}

/** The final webhook has come, and all that came are about this task. A working one that comes after it is stale, and not told. */
async function checkEvents(received: ReceivedEvents, task_id: string, operation_id: string): Promise<void> {
  const final = await received.until(({ event }) => event.is_final, 'final');
  if (final.event.status !== 'completed') throw new Error(`the task ended as ${final.event.status ?? 'nothing'}`);
  for (const { event } of received.events) {
    if (event.task_id !== task_id || event.operation_id !== operation_id)
      throw new Error('a webhook is of another task');
  }
}
