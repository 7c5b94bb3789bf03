import { protocolNames } from '../../../platform/protocol-name.ts';
import { SIGNATURE_ALGS } from '../../signing/algorithms.ts';
import { CHECKLIST } from '../checklist.ts';
import { LABEL } from '../checks-of-headers.ts';
import { refusal } from '../codes.ts';
import type { Refusal } from '../codes.ts';
import { headerReader } from '../received-request.ts';
import type { ReceivedRequest } from '../received-request.ts';
import { keysOf } from '../resolved-key.ts';
import type { Rules, Verification } from '../verification.ts';
import type { VerifyOptions } from '../verify-rules.ts';
import type { ReceiverScheme } from './scheme.ts';

/** HTTP message signatures, after the checklist. */
export const rfc9421 = {
  legacy: false,
  isShown: (header) => header('signature-input') !== undefined || header('signature') !== undefined,
  yields: false,
  async verify(request, registration, rules) {
    const verified = await verifySignature(request, { ...rules, ...registration });
    if (!verified.ok) return verified;
    return { ok: true, sender: registration.sender ?? verified.sender ?? 'unnamed', keyid: verified.keyid };
  },
} as const satisfies ReceiverScheme<'rfc9421'>;

/** A webhook whose every byte the sender vouches for. */
export interface Verified {
  ok: true;
  keyid: string;
  label: string;
  /** Who sent it, as the key's resolver knows it. */
  sender?: string;
}

/** The fourteen steps of rule W12 in their order, stopping at the first failure. May throw. */
export async function verifySignature(request: ReceivedRequest, options: VerifyOptions): Promise<Verified | Refusal> {
  const verification = { request, header: headerReader(request.headers), rules: rulesOf(options) } as Verification;
  for (const check of CHECKLIST) {
    const code = await check(verification);
    if (code !== undefined) return refusal(code);
  }
  const { params, sender } = verification;
  return { ok: true, keyid: params.keyid, label: LABEL, ...(sender !== undefined && { sender }) };
}

function rulesOf(options: VerifyOptions): Rules {
  const names = options.names ?? protocolNames();
  return {
    resolveKey: options.resolveKey ?? keysOf(options.jwks),
    tag: options.tag ?? names.webhookSignatureTag,
    names,
    allowedAlgs: options.allowedAlgs ?? SIGNATURE_ALGS,
    acceptDeprecatedKeyUse: options.acceptDeprecatedKeyUse ?? true,
    replay: options.replay,
    revocation: options.revocation,
    now: (options.now ?? Date.now)(),
  };
}
