import { protocolNames } from '../../platform/protocol-name.ts';
import { refusal } from './codes.ts';
import type { Refusal } from './codes.ts';
import { preCheck } from './pre-checks.ts';
import { headerReader } from './received-request.ts';
import type { ReceivedRequest } from './received-request.ts';
import type { Registration, RegistrationOf, WebhookMode } from './registration.ts';
import { LEGACY_SCHEMES, RECEIVER_SCHEMES } from './schemes/index.ts';
import type { LegacyMode } from './schemes/index.ts';
import type { Authenticated, VerifyRules } from './verify-rules.ts';

/** Verifies a webhook in the one mode that was registered for it. Never throws. */
export async function authenticate(
  request: ReceivedRequest,
  registration: Registration,
  rules: VerifyRules,
): Promise<Authenticated | Refusal> {
  try {
    return earlyRefusal(request, registration, rules) ?? (await verify(request, registration, rules));
  } catch {
    return refusal('webhook_verifier_unavailable');
  }
}

/**
 * Verifies a webhook of a deprecated mode (rules C.webhook.hmac, C.webhook.bearer): content type, size, mode,
 * proof, body. It answers with the codes that the checklist has for the same faults. Never throws.
 */
export function verifyLegacy(
  request: ReceivedRequest,
  registration: RegistrationOf<LegacyMode>,
  rules: Pick<VerifyRules, 'names' | 'now'> = {},
): Authenticated | Refusal {
  try {
    return earlyRefusal(request, registration, rules) ?? verifyAtOnce(request, registration, rules);
  } catch {
    return refusal('webhook_verifier_unavailable');
  }
}

function verify<Mode extends WebhookMode>(
  request: ReceivedRequest,
  registration: RegistrationOf<Mode>,
  rules: VerifyRules,
): Authenticated | Refusal | Promise<Authenticated | Refusal> {
  return RECEIVER_SCHEMES[registration.mode].verify(request, registration, rules);
}

function verifyAtOnce<Mode extends LegacyMode>(
  request: ReceivedRequest,
  registration: RegistrationOf<Mode>,
  rules: Pick<VerifyRules, 'names' | 'now'>,
): Authenticated | Refusal {
  // A caller without types may give another mode, whose verdict would have to be waited for.
  if (!RECEIVER_SCHEMES[registration.mode].legacy) return refusal('webhook_verifier_unavailable');
  return LEGACY_SCHEMES[registration.mode].verify(request, registration, rules);
}

/** What is looked at before any proof. */
function earlyRefusal(
  request: ReceivedRequest,
  { mode }: Registration,
  { names = protocolNames() }: Pick<VerifyRules, 'names'>,
): Refusal | undefined {
  const code = preCheck(headerReader(request.headers), request.rawBody.byteLength, mode, names);
  return code === undefined ? undefined : refusal(code);
}
