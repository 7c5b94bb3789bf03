import type { Clock } from '../platform/clock.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import type { Sealer } from '../platform/sealer.ts';
import type { Delivery } from './delivery.ts';
import type { KeyRing } from './keys/key-ring.ts';
import { bearerHeader } from './signing/bearer.ts';
import { signHmac } from './signing/hmac.ts';
import { signRequest } from './signing/http-signature.ts';
import { sealedFor } from './webhook-target.ts';

export interface AttemptHeadersDependencies {
  ring: KeyRing;
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
 * Proves one attempt in the delivery's mode and only that (decisions W4). Made anew for each attempt: nonce and times
 * belong to the attempt, body and idempotency key to the event.
 */
export async function attemptHeaders(
  deps: AttemptHeadersDependencies,
  delivery: Delivery,
  request: { url: string; body: Uint8Array },
): Promise<AttemptHeaders> {
  const { names } = deps;
  const open = (sealed: string) => deps.sealer.open(sealed, sealedFor(delivery.url));
  const fixed = {
    'User-Agent': `${names.name}-sales-agent`,
    ...(delivery.sealed_header_token !== undefined && {
      'X-A2A-Notification-Token': open(delivery.sealed_header_token),
    }),
  };
  const now = deps.clock.now();
  if (delivery.mode === 'rfc9421') {
    const key = await deps.ring.signer();
    return { headers: { ...fixed, ...signRequest({ ...request, key, now, names }) }, kid: key.kid };
  }
  const secret = open(delivery.sealed_credentials ?? '');
  const proof =
    delivery.mode === 'hmac-sha256' ? signHmac({ body: request.body, secret, now, names }) : bearerHeader(secret);
  return { headers: { ...fixed, 'Content-Type': 'application/json', ...proof } };
}
