import { agentKeys, boundedFetchJson, memoryReplayStore, verifyWebhook } from '#receiver';
import { openReceiver } from '../../../webhooks/support/open-receiver.ts';
import type { Receiver } from '../../../webhooks/support/open-receiver.ts';

/** A buyer's endpoint that verifies what arrives, answers 401 to what it cannot, and keeps it in mind. */
export interface VerifiedReceiver extends Receiver {
  /** Why requests were refused. */
  refused: string[];
}

export async function openVerifiedReceiver(agentUrl: string): Promise<VerifiedReceiver> {
  const resolveKey = agentKeys({ agentUrl, fetchJson: boundedFetchJson({ allowLoopback: true }) });
  const replay = memoryReplayStore();
  const refused: string[] = [];
  const receiver = await openReceiver((response, _n, received) => {
    void verifyWebhook(received, { mode: 'rfc9421', resolveKey }, { replay }).then((verdict) => {
      if (!verdict.ok) refused.push(verdict.code);
      response.writeHead(verdict.ok ? 204 : 401).end();
    });
  });
  return Object.assign(receiver, { refused });
}
