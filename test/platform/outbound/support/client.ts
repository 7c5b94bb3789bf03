import { onTestFinished } from 'vitest';
import { createOutbound } from '../../../../src/platform/outbound/outbound-client.ts';
import type { Outbound, OutboundOptions } from '../../../../src/platform/outbound/outbound-client.ts';
import type { Resolve } from '../../../../src/platform/outbound/resolve.ts';

/** An outbound client that may use loopback, closed after the test. */
export function outbound(options: Partial<OutboundOptions> = {}): Outbound {
  const client = createOutbound({ allowLoopback: true, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** A resolver that gives these answers one after the other, then the last for ever; `asked` lists the names. */
export function answersInTurn(...answers: readonly string[][]): { resolve: Resolve; asked: string[] } {
  const asked: string[] = [];
  const resolve: Resolve = (hostname) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    return Promise.resolve(answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  };
  return { resolve, asked };
}
