import { fromHex, utf8 } from '../../wire/bytes.ts';
import { headerReader } from '../../wire/received-request.ts';
import { parseStrictJson } from '../../wire/strict-json.ts';
import { webhookNames } from '../../wire/webhook-names.ts';
import { refusal } from '../refusal.ts';
import type { ReceiverScheme } from './scheme.ts';

/** How far a legacy timestamp may differ from now, in seconds (rule C.webhook.hmac). */
const HMAC_SKEW_SECONDS = 300;

/** Two headers with a signature by a shared secret over time and body (rule C.webhook.hmac). */
export const hmacSha256 = {
  legacy: true,
  isShown: (header, names) =>
    header(names.hmacSignatureHeader.toLowerCase()) !== undefined ||
    header(names.hmacTimestampHeader.toLowerCase()) !== undefined,
  yields: false,
  secretOf: ({ secret }) => secret,
  async verify({ headers, rawBody }, { secret, sender }, { protocol, now = Date.now }) {
    const names = webhookNames(protocol);
    const header = headerReader(headers);
    const mac = /^sha256=([0-9a-f]{64})$/.exec(header(names.hmacSignatureHeader.toLowerCase()) ?? '')?.[1];
    const timestamp = header(names.hmacTimestampHeader.toLowerCase()) ?? '';
    if (mac === undefined || !/^[0-9]{1,15}$/.test(timestamp)) return refusal('webhook_signature_header_malformed');
    if (Math.abs(now() / 1000 - Number(timestamp)) > HMAC_SKEW_SECONDS) {
      return refusal('webhook_signature_window_invalid', `made at ${timestamp}`);
    }
    const signed = joined(utf8(`${timestamp}.`), rawBody);
    if (!(await isByOneOf([secret].flat(), fromHex(mac), signed))) return refusal('webhook_signature_invalid');
    if (parseStrictJson(rawBody) === undefined) return refusal('webhook_body_malformed');
    return { ok: true, sender };
  },
} as const satisfies ReceiverScheme<'hmac-sha256'>;

/** WebCrypto compares in constant time; all secrets are always tried. */
async function isByOneOf(secrets: readonly string[], mac: Uint8Array, signed: Uint8Array): Promise<boolean> {
  const verdicts = await Promise.all(
    secrets.map(async (secret) => {
      const hmac = { name: 'HMAC', hash: 'SHA-256' };
      const key = await crypto.subtle.importKey('raw', utf8(secret), hmac, false, ['verify']);
      return crypto.subtle.verify('HMAC', key, mac, signed);
    }),
  );
  return verdicts.includes(true);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
