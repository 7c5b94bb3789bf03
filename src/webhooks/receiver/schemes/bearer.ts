import { bearerTokenOf, verifyBearer } from '../../signing/bearer.ts';
import { refusal } from '../codes.ts';
import type { Refusal } from '../codes.ts';
import { headerReader } from '../received-request.ts';
import type { ReceivedRequest } from '../received-request.ts';
import type { BearerRegistration } from '../registration.ts';
import { parseStrictJson } from '../strict-json.ts';
import type { Authenticated } from '../verify-rules.ts';
import type { ReceiverScheme } from './scheme.ts';

/** A token that the sender shows; nothing protects the body. */
export const bearer = {
  legacy: true,
  isShown: (header) => bearerTokenOf(header('authorization')) !== undefined,
  yields: true,
  verify(request: ReceivedRequest, { token, sender }: BearerRegistration): Authenticated | Refusal {
    const authorization = headerReader(request.headers)('authorization');
    if (authorization === undefined) return refusal('webhook_signature_header_malformed');
    if (!verifyBearer(authorization, [token].flat())) return refusal('webhook_signature_invalid');
    if (parseStrictJson(request.rawBody) === undefined) return refusal('webhook_body_malformed');
    return { ok: true, sender };
  },
} as const satisfies ReceiverScheme<'bearer'>;
