import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { RequestHandler } from 'express';
import { onTestFinished } from 'vitest';
import { createReceiver, memoryInbox, memoryReplayStore } from '#receiver';
import type { ReceivedWebhook, ReceiverOptions, WebhookOutcome } from '#receiver';
import { toExpress } from '#receiver/express';
import { signRequest } from '../../src/webhooks/signing/http-signature.ts';
import type { SigningKey } from '../../src/webhooks/signing/signing-key.ts';
import { ED25519, ES256, NAMES } from './craft.ts';

export const PUBLIC_URL = 'https://buyer.example';
export const PATH = '/hooks/sales';

export interface ReceivingApp {
  /** Where it listens. */
  url: string;
  received: ReceivedWebhook[];
  outcomes: WebhookOutcome[];
  /** Posts exactly these bytes. */
  post(body: string | Buffer, headers: Record<string, string>): Promise<Response>;
  /** Posts this event, signed now for the public URL with a nonce of its own. */
  deliver(event: unknown, key?: SigningKey): Promise<Response>;
}

/** A real Express server with a receiver on {@link PATH}, which ends with the test. */
export async function openReceivingApp(
  options: Partial<ReceiverOptions> & {
    before?: RequestHandler;
    handler?: (webhook: ReceivedWebhook) => unknown;
  } = {},
): Promise<ReceivingApp> {
  const { before, handler, ...given } = options;
  const received: ReceivedWebhook[] = [];
  const outcomes: WebhookOutcome[] = [];
  const receiver = createReceiver({
    publicUrl: PUBLIC_URL,
    registration: {
      mode: 'rfc9421',
      sender: 'https://sales.example',
      jwks: { keys: [ED25519.publicJwk, ES256.publicJwk] },
    },
    inbox: memoryInbox(),
    replay: memoryReplayStore(),
    onOutcome: (outcome) => outcomes.push(outcome),
    onEvent: async (webhook) => {
      received.push(webhook);
      await handler?.(webhook);
    },
    ...given,
  });
  const app = express();
  if (before !== undefined) app.use(before);
  app.post(/.*/, toExpress(receiver));
  const url = await listen(createServer(app));
  const post = (body: string | Buffer, headers: Record<string, string>) =>
    fetch(url + PATH, { method: 'POST', body, headers, signal: AbortSignal.timeout(20_000) });
  return {
    url,
    received,
    outcomes,
    post,
    deliver(event, key = ED25519) {
      const body = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
      return post(body, signRequest({ url: PUBLIC_URL + PATH, body, key, now: Date.now(), names: NAMES }));
    },
  };
}

/** Starts a server on a free port of this machine; it ends with the test. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let made = 0;

/** An event with a key of its own. */
export function statusEvent(change: Record<string, unknown> = {}): Record<string, unknown> {
  made += 1;
  return {
    idempotency_key: `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`,
    operation_id: 'op-1',
    task_id: `task-${made}`,
    task_type: 'create_media_buy',
    domain: 'media-buy',
    status: 'completed',
    timestamp: '2026-03-01T12:00:00.000Z',
    message: 'done',
    result: { media_buy_id: 'mb_1' },
    ...change,
  };
}
