import { protocolNames } from '../../platform/protocol-name.ts';
import { refusal } from './codes.ts';
import type { Refusal } from './codes.ts';
import { preCheck } from './pre-checks.ts';
import { headerReader } from './received-request.ts';
import type { ReceivedRequest } from './received-request.ts';
import type {
  BearerRegistration,
  HmacRegistration,
  Registration,
  RegistrationOf,
  WebhookMode,
} from './registration.ts';
import { bearer } from './schemes/bearer.ts';
import { hmacSha256 } from './schemes/hmac-sha256.ts';
import { RECEIVER_SCHEMES } from './schemes/index.ts';
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
  registration: HmacRegistration | BearerRegistration,
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

type LegacyMode = (HmacRegistration | BearerRegistration)['mode'];

/** They need nothing that has to be waited for. */
const LEGACY: {
  [Mode in LegacyMode]: {
    verify(
      request: ReceivedRequest,
      registration: RegistrationOf<Mode>,
      rules: Pick<VerifyRules, 'names' | 'now'>,
    ): Authenticated | Refusal;
  };
} = { 'hmac-sha256': hmacSha256, bearer };

function verifyAtOnce<Mode extends LegacyMode>(
  request: ReceivedRequest,
  registration: RegistrationOf<Mode>,
  rules: Pick<VerifyRules, 'names' | 'now'>,
): Authenticated | Refusal {
  return LEGACY[registration.mode].verify(request, registration, rules);
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
