import { headerReader } from '../wire/received-request.ts';
import type { ReceivedRequest } from '../wire/received-request.ts';
import { webhookNames } from '../wire/webhook-names.ts';
import { checkRegistration } from './check-registration.ts';
import { preCheck } from './pre-checks.ts';
import { unavailable } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { Registration, RegistrationOf, WebhookMode } from './registration.ts';
import { RECEIVER_SCHEMES } from './schemes/index.ts';
import type { Verified, VerifyRules } from './verify-rules.ts';

/**
 * Verifies a webhook on its raw bytes and headers, in the one mode that was registered for it: content type, size and
 * mode first, then the mode's own proof; for `rfc9421` the fourteen steps of rule W12.
 *
 * Whatever the request is like, it answers: a refusal carries its code and the HTTP status to answer with, and a
 * resolver or store that fails gives `webhook_verifier_unavailable` with 503, so that the sender tries again.
 * @throws {RangeError} for a registration with a weak secret, and for a protocol that is no name.
 */
export async function verifyWebhook(
  request: ReceivedRequest,
  registration: Registration,
  rules: VerifyRules,
): Promise<Verified | Refusal> {
  checkRegistration(registration);
  const names = webhookNames(rules.protocol);
  try {
    const early = preCheck(headerReader(request.headers), request.rawBody.byteLength, registration.mode, names);
    return early ?? (await verifyInMode(request, registration, rules));
  } catch (error) {
    return unavailable(error);
  }
}

function verifyInMode<Mode extends WebhookMode>(
  request: ReceivedRequest,
  registration: RegistrationOf<Mode>,
  rules: VerifyRules,
): Promise<Verified | Refusal> {
  return RECEIVER_SCHEMES[registration.mode].verify(request, registration, rules);
}
