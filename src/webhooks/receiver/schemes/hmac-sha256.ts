import { protocolNames } from '../../../platform/protocol-name.ts';
import { verifyHmac } from '../../signing/hmac.ts';
import type { HmacVerdict } from '../../signing/hmac.ts';
import { refusal } from '../codes.ts';
import type { Refusal, RefusalCode } from '../codes.ts';
import { headerReader } from '../received-request.ts';
import type { ReceivedRequest } from '../received-request.ts';
import type { HmacRegistration } from '../registration.ts';
import { parseStrictJson } from '../strict-json.ts';
import type { Authenticated, VerifyRules } from '../verify-rules.ts';
import type { ReceiverScheme } from './scheme.ts';

/** Two headers with a signature by a shared secret over time and body. */
export const hmacSha256 = {
  legacy: true,
  isShown: (header, names) =>
    header(names.hmacSignatureHeader.toLowerCase()) !== undefined ||
    header(names.hmacTimestampHeader.toLowerCase()) !== undefined,
  yields: false,
  verify(
    request: ReceivedRequest,
    { secret, sender }: HmacRegistration,
    { names = protocolNames(), now = Date.now }: Pick<VerifyRules, 'names' | 'now'>,
  ): Authenticated | Refusal {
    const header = headerReader(request.headers);
    const verdict = verifyHmac({
      signature: header(names.hmacSignatureHeader.toLowerCase()),
      timestamp: header(names.hmacTimestampHeader.toLowerCase()),
      rawBody: request.rawBody,
      secrets: [secret].flat(),
      now: now(),
    });
    const code =
      CODES[verdict] ?? (parseStrictJson(request.rawBody) === undefined ? 'webhook_body_malformed' : undefined);
    return code === undefined ? { ok: true, sender } : refusal(code);
  },
} as const satisfies ReceiverScheme<'hmac-sha256'>;

const CODES: Record<HmacVerdict, RefusalCode | undefined> = {
  ok: undefined,
  malformed: 'webhook_signature_header_malformed',
  expired: 'webhook_signature_window_invalid',
  mismatch: 'webhook_signature_invalid',
};
