import { keysOf } from '../../keys/resolved-key.ts';
import { SIGNATURE_ALGS } from '../../wire/algorithms.ts';
import { headerReader } from '../../wire/received-request.ts';
import { webhookNames } from '../../wire/webhook-names.ts';
import { CHECKLIST } from '../checklist.ts';
import type { SignedRegistration } from '../registration.ts';
import type { Rules, Verification } from '../verification.ts';
import type { VerifyRules } from '../verify-rules.ts';
import type { ReceiverScheme } from './scheme.ts';

/** HTTP message signatures: the fourteen steps of rule W12 in their order, stopping at the first failure. */
export const rfc9421 = {
  legacy: false,
  isShown: (header) => header('signature-input') !== undefined || header('signature') !== undefined,
  yields: false,
  secretOf: () => null,
  async verify(request, registration, rules) {
    const header = headerReader(request.headers);
    const verification = { request, header, rules: rulesOf(registration, rules) } as Verification;
    for (const check of CHECKLIST) {
      const refusal = await check(verification);
      if (refusal !== undefined) return refusal;
    }
    const { params, sender } = verification;
    return { ok: true, sender: registration.sender ?? sender ?? 'unnamed', keyid: params.keyid };
  },
} as const satisfies ReceiverScheme<'rfc9421'>;

function rulesOf(registration: SignedRegistration, rules: VerifyRules): Rules {
  return {
    resolveKey: registration.resolveKey ?? keysOf(registration.jwks),
    names: webhookNames(rules.protocol),
    allowedAlgs: rules.allowedAlgs ?? SIGNATURE_ALGS,
    acceptDeprecatedKeyUse: rules.acceptDeprecatedKeyUse ?? true,
    replay: rules.replay,
    revocation: rules.revocation,
    surroundings: rules.surroundings,
    now: (rules.now ?? Date.now)(),
  };
}
