import express from 'express';
import { listen } from './process/listen.ts';
import {
  agentKeys,
  boundedFetchJson,
  memoryInbox,
  memoryReplayStore,
  protocolNames,
  webhookReceiver,
} from '../webhooks/receiver/index.ts';
import type { ReceivedWebhook, WebhookOutcome } from '../webhooks/receiver/index.ts';

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
  const resolveKey = agentKeys({ agentUrl, fetchJson: boundedFetchJson({ allowLoopback: true }) });
  const app = express();
  app.disable('x-powered-by');
  app.post(
    '/webhooks',
    webhookReceiver(
      {
        registration: { mode: 'rfc9421', resolveKey },
        names: protocolNames(protocolName),
        replay: memoryReplayStore(),
        inbox: memoryInbox(),
        publicUrl: listening.url,
        onOutcome,
      },
      onWebhook,
    ),
  );
  listening.answer(app);
  return { url: `${listening.url}/webhooks`, stop: () => listening.stop() };
}
