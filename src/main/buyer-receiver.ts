import { agentKeys, createReceiver, memoryInbox, memoryReplayStore } from '#receiver';
import type { ReceivedWebhook, WebhookOutcome } from '#receiver';
import { guardedFetchJson, toNode } from '#receiver/node/index';
import { listen } from './process/listen.ts';

export interface BuyerReceiverOptions {
  /** The agent whose webhooks are expected; its keys are found through its brand.json. */
  agentUrl: string;
  protocolName: string;
  host?: string;
  /** 0 picks a free one. */
  port: number;
  onWebhook: (webhook: ReceivedWebhook) => void;
  /** Told of every request, the refused ones included. */
  onOutcome: (outcome: WebhookOutcome) => void;
}

export interface BuyerReceiver {
  /** What goes into `push_notification_config.url`. */
  url: string;
  stop(): Promise<void>;
}

/** A buyer's webhook endpoint on this machine, built on the receiver kit as a buyer would. */
export async function startBuyerReceiver(options: BuyerReceiverOptions): Promise<BuyerReceiver> {
  const { agentUrl, protocolName, host = '127.0.0.1', port, onWebhook, onOutcome } = options;
  const listening = await listen(host, port);
  const resolveKey = agentKeys({ agentUrl, fetchJson: guardedFetchJson({ allowLoopback: true }) });
  const registration = { mode: 'rfc9421', resolveKey } as const;
  const path = '/webhooks';
  const receiver = createReceiver({
    publicUrl: listening.url,
    registration: ({ url }) => (new URL(url).pathname === path ? registration : undefined),
    protocol: protocolName,
    replay: memoryReplayStore(),
    inbox: memoryInbox(),
    onEvent: onWebhook,
    onOutcome,
  });
  listening.answer(toNode(receiver));
  return { url: `${listening.url}${path}`, stop: () => listening.stop() };
}
