import type { Clock } from '../platform/clock.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import type { Sealer } from '../platform/sealer.ts';
import type { Delivery } from './delivery.ts';
import type { Rings } from './keys/rings.ts';
import { bearerHeader } from './signing/bearer.ts';
import { signHmac } from './signing/hmac.ts';
import { signRequest } from './signing/http-signature.ts';
import { sealedFor } from './webhook-target.ts';

export interface AttemptHeadersDependencies {
  ring: Pick<Rings, 'webhookSigner'>;
  sealer: Sealer;
  names: ProtocolNames;
  clock: Clock;
}

/** The headers of one attempt, and the id of the key that signed it. */
export interface AttemptHeaders {
  headers: Record<string, string>;
  kid?: string;
}

/**
 * Proves one attempt in the delivery's mode and only that (rule W4). Made anew for each attempt: nonce and times
 * belong to the attempt, body and idempotency key to the event.
 */
export async function attemptHeaders(
  deps: AttemptHeadersDependencies,
  delivery: Delivery,
  request: { url: string; body: Uint8Array },
): Promise<AttemptHeaders> {
  const { names, clock } = deps;
  const now = clock.now();
  const headers: Record<string, string> = { 'User-Agent': `${names.name}-sales-agent` };
  if (delivery.sealed_header_token !== undefined) {
    headers['X-A2A-Notification-Token'] = openFor(deps, delivery, delivery.sealed_header_token);
  }
  if (delivery.mode === 'rfc9421') {
    const key = await deps.ring.webhookSigner();
    Object.assign(headers, signRequest({ url: request.url, body: request.body, key, now, names }));
    return { headers, kid: key.kid };
  }
  const secret = openFor(deps, delivery, delivery.sealed_credentials ?? '');
  headers['Content-Type'] = 'application/json';
  if (delivery.mode === 'bearer') Object.assign(headers, bearerHeader(secret));
  else Object.assign(headers, signHmac({ body: request.body, secret, now, names }));
  return { headers };
}

function openFor({ sealer }: AttemptHeadersDependencies, delivery: Delivery, sealed: string): string {
  return sealer.open(sealed, sealedFor(delivery.url));
}
