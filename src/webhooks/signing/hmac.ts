import { createHmac } from 'node:crypto';
import type { ProtocolNames } from '../../platform/protocol-name.ts';

/**
 * The two legacy headers over the exact bytes that will be sent, which for this mode are compact JSON
 * (rule C.webhook.hmac). `now` is in milliseconds since the epoch.
 */
export function signHmac(request: {
  body: Uint8Array;
  secret: string;
  now: number;
  names: ProtocolNames;
}): Record<string, string> {
  const timestamp = String(Math.floor(request.now / 1000));
  return {
    [request.names.hmacSignatureHeader]: `sha256=${mac(request.secret, timestamp, request.body).toString('hex')}`,
    [request.names.hmacTimestampHeader]: timestamp,
  };
}

function mac(secret: string, timestamp: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
}
