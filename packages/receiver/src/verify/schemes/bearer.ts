import { utf8 } from '../../wire/bytes.ts';
import { headerReader } from '../../wire/received-request.ts';
import { parseStrictJson } from '../../wire/strict-json.ts';
import { refusal } from '../refusal.ts';
import type { ReceiverScheme } from './scheme.ts';

/** A token that the sender shows; nothing protects the body (rule C.webhook.bearer). */
export const bearer = {
  legacy: true,
  isShown: (header) => tokenOf(header('authorization')) !== undefined,
  yields: true,
  secretOf: ({ token }) => token,
  async verify(request, { token, sender }) {
    const authorization = headerReader(request.headers)('authorization');
    if (authorization === undefined) return refusal('webhook_signature_header_malformed', 'there is no Authorization');
    const shown = tokenOf(authorization);
    if (shown === undefined || !(await isOneOf(shown, [token].flat()))) return refusal('webhook_signature_invalid');
    if (parseStrictJson(request.rawBody) === undefined) return refusal('webhook_body_malformed');
    return { ok: true, sender };
  },
} as const satisfies ReceiverScheme<'bearer'>;

/** The token of an `Authorization` header of scheme `Bearer`. */
function tokenOf(authorization: string | undefined): string | undefined {
  return /^bearer +([^ ]+) *$/i.exec(authorization ?? '')?.[1];
}

/** Compares under a key of this moment, so that time tells nothing of the tokens; all are always tried. */
async function isOneOf(shown: string, tokens: readonly string[]): Promise<boolean> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const random = crypto.getRandomValues(new Uint8Array(32));
  const key = await crypto.subtle.importKey('raw', random, hmac, false, ['sign', 'verify']);
  const blinded = await crypto.subtle.sign('HMAC', key, utf8(shown));
  const verdicts = await Promise.all(tokens.map((token) => crypto.subtle.verify('HMAC', key, blinded, utf8(token))));
  return verdicts.includes(true);
}
