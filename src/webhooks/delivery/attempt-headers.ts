import type { Clock } from '../../platform/clock.ts';
import { protocolNames } from '../../platform/protocol-name.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import { registeredUrl } from '../../platform/crypto/sealed-url.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import type { Attempt, Delivery } from './delivery.ts';
import type { SigningKeySets } from '../keys/signing-key-sets.ts';
import { schemeOf } from '../schemes/scheme-of.ts';
import type { UnsignedAttempt } from '../schemes/scheme.ts';
import { sealedFor } from '../registration/webhook-target.ts';

export interface AttemptHeadersDependencies {
  keySet: Pick<SigningKeySets, 'webhookSigner' | 'noteSigned'>;
  sealer: Sealer;
  names: ProtocolNames;
  clock: Clock;
}

/** The headers of one attempt, and what is kept of them where a key signed it. */
export interface AttemptHeaders extends Pick<Attempt, 'kid' | 'signed'> {
  headers: Record<string, string>;
  /** What the buyer gave that stands in them, or proves them: nobody is shown it. */
  secrets: readonly string[];
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
  const { clock } = deps;
  const names = delivery.dialect === undefined ? deps.names : PUBLIC_NAMES;
  const headers: Record<string, string> = { 'User-Agent': `${deps.names.name}-sales-agent` };
  const secrets: string[] = [];
  if (delivery.sealed_header_token !== undefined) {
    const token = openFor(deps, delivery, delivery.sealed_header_token);
    headers['X-A2A-Notification-Token'] = token;
    secrets.push(token);
  }
  headers['Content-Type'] = 'application/json';
  const proof = await proofOf(deps, delivery, { ...request, now: clock.now(), names });
  return { ...proof, headers: { ...headers, ...proof.headers }, secrets: [...secrets, ...proof.secrets] };
}

/** Those of the public protocol, whatever this installation calls its own (rule D5). */
const PUBLIC_NAMES = protocolNames('adcp');

/** What the delivery's own scheme says, given the one secret that it proves with. */
async function proofOf(
  deps: AttemptHeadersDependencies,
  delivery: Delivery,
  attempt: UnsignedAttempt,
): Promise<AttemptHeaders> {
  const scheme = schemeOf(delivery.mode);
  switch (scheme.secret) {
    case 'signing-key': {
      const key = await deps.keySet.webhookSigner(delivery.dialect);
      const headers = scheme.sign(attempt, key);
      deps.keySet.noteSigned(key.kid);
      const { 'Signature-Input': input = '', Signature: signature = '' } = headers;
      return { headers, kid: key.kid, signed: { input, signature }, secrets: [] };
    }
    case 'credentials': {
      const { delivery_id, sealed_credentials } = delivery;
      if (sealed_credentials === undefined) throw new Error(`delivery ${delivery_id} has no credentials to prove with`);
      const credentials = openFor(deps, delivery, sealed_credentials);
      return { headers: scheme.sign(attempt, credentials), secrets: [credentials] };
    }
  }
}

function openFor({ sealer }: AttemptHeadersDependencies, delivery: Delivery, sealed: string): string {
  return sealer.open(sealed, sealedFor(registeredUrl(sealer, delivery.url)));
}
