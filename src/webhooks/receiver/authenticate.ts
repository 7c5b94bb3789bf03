import { protocolNames } from '../../platform/protocol-name.ts';
import { verifyBearer } from '../signing/bearer.ts';
import { verifyHmac } from '../signing/hmac.ts';
import type { HmacVerdict } from '../signing/hmac.ts';
import { refusal } from './codes.ts';
import type { Refusal, RefusalCode } from './codes.ts';
import { preCheck } from './pre-checks.ts';
import { headerReader } from './received-request.ts';
import type { HeaderReader, ReceivedRequest } from './received-request.ts';
import type { BearerRegistration, HmacRegistration, Registration } from './registration.ts';
import { parseStrictJson } from './strict-json.ts';
import { verifyWebhook } from './verify-webhook.ts';
import type { VerifyRules } from './verify-webhook.ts';

/** A webhook that proved where it comes from. */
export interface Authenticated {
  ok: true;
  sender: string;
  /** The key that signed it, in mode `rfc9421`. */
  keyid?: string;
}

/** Verifies a webhook in the one mode that was registered for it. Never throws. */
export async function authenticate(
  request: ReceivedRequest,
  registration: Registration,
  rules: VerifyRules,
): Promise<Authenticated | Refusal> {
  if (registration.mode !== 'rfc9421') return verifyLegacy(request, registration, rules);
  const verified = await verifyWebhook(request, { ...rules, ...registration });
  if (!verified.ok) return verified;
  return { ok: true, sender: registration.sender ?? verified.sender ?? 'unnamed', keyid: verified.keyid };
}

/**
 * Verifies a webhook of a deprecated mode (rules C.webhook.hmac, C.webhook.bearer): content type, size, mode,
 * proof, body. It answers with the codes that the checklist has for the same faults. Never throws.
 */
export function verifyLegacy(
  request: ReceivedRequest,
  registration: HmacRegistration | BearerRegistration,
  { names = protocolNames(), now = Date.now }: Pick<VerifyRules, 'names' | 'now'> = {},
): Authenticated | Refusal {
  try {
    const header = headerReader(request.headers);
    const code =
      preCheck(header, request.rawBody.byteLength, registration.mode, names) ??
      (registration.mode === 'bearer'
        ? checkBearer(header, registration)
        : HMAC_CODES[
            verifyHmac({
              signature: header(names.hmacSignatureHeader.toLowerCase()),
              timestamp: header(names.hmacTimestampHeader.toLowerCase()),
              rawBody: request.rawBody,
              secrets: [registration.secret].flat(),
              now: now(),
            })
          ]) ??
      (parseStrictJson(request.rawBody) === undefined ? 'webhook_body_malformed' : undefined);
    return code === undefined ? { ok: true, sender: registration.sender } : refusal(code);
  } catch {
    return refusal('webhook_verifier_unavailable');
  }
}

const HMAC_CODES: Record<HmacVerdict, RefusalCode | undefined> = {
  ok: undefined,
  malformed: 'webhook_signature_header_malformed',
  expired: 'webhook_signature_window_invalid',
  mismatch: 'webhook_signature_invalid',
};

function checkBearer(header: HeaderReader, { token }: BearerRegistration): RefusalCode | undefined {
  const authorization = header('authorization');
  if (authorization === undefined) return 'webhook_signature_header_malformed';
  return verifyBearer(authorization, [token].flat()) ? undefined : 'webhook_signature_invalid';
}
