import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ProtocolNames } from '../../platform/protocol-name.ts';

/** How far a legacy timestamp may differ from now, in seconds (rule C.webhook.hmac). */
const HMAC_SKEW_SECONDS = 300;

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

/** `malformed`: a header is missing or not of its form. `expired`: the timestamp is more than 300 s from now. */
export type HmacVerdict = 'ok' | 'malformed' | 'expired' | 'mismatch';

/**
 * Checks the two legacy headers against the bytes as received, comparing in constant time. Several secrets may be given
 * while one replaces another; all are always tried.
 */
export function verifyHmac(request: {
  signature: string | undefined;
  timestamp: string | undefined;
  rawBody: Uint8Array;
  secrets: readonly string[];
  now: number;
}): HmacVerdict {
  const { signature = '', timestamp = '' } = request;
  const hex = /^sha256=([0-9a-f]{64})$/.exec(signature)?.[1];
  if (hex === undefined || !/^[0-9]{1,15}$/.test(timestamp)) return 'malformed';
  if (Math.abs(request.now / 1000 - Number(timestamp)) > HMAC_SKEW_SECONDS) return 'expired';
  const received = Buffer.from(hex, 'hex');
  const matches = request.secrets.map((secret) => timingSafeEqual(received, mac(secret, timestamp, request.rawBody)));
  return matches.includes(true) ? 'ok' : 'mismatch';
}

function mac(secret: string, timestamp: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
}
