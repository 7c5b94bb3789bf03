import { protocolNames } from '../../platform/protocol-name.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import { SIGNATURE_ALGS } from '../signing/algorithms.ts';
import type { SignatureAlg } from '../signing/algorithms.ts';
import { CHECKLIST } from './checklist.ts';
import { LABEL } from './checks-of-headers.ts';
import { refusal } from './codes.ts';
import type { Refusal } from './codes.ts';
import { preCheck } from './pre-checks.ts';
import { headerReader } from './received-request.ts';
import type { ReceivedRequest } from './received-request.ts';
import type { ReplayStore } from './replay-store.ts';
import { keysOf } from './resolved-key.ts';
import type { Jwks, ResolveKey } from './resolved-key.ts';
import type { RevocationChecker } from './revocation.ts';
import type { Rules, Verification } from './verification.ts';

/** Where keys come from: a resolver such as `agentKeys`, or a fixed set. */
export type KeySource = { resolveKey: ResolveKey; jwks?: never } | { jwks: Jwks; resolveKey?: never };

export interface VerifyRules {
  /** Remembers nonces; share one among all endpoints and processes that a sender can reach. */
  replay: ReplayStore;
  /** Tells revoked keys; without one only keys that mark themselves revoked are. */
  revocation?: RevocationChecker;
  /** Milliseconds since the epoch. Default: the system's clock. */
  now?: () => number;
  /** Default: the tag of the default protocol name, `proto/webhook-signing/v1`. */
  tag?: string;
  /** The names to expect (rule N1); default those of `proto`, for the public ecosystem `protocolNames('adcp')`. */
  names?: ProtocolNames;
  /** Default: both, `ed25519` and `ecdsa-p256-sha256`. */
  allowedAlgs?: readonly SignatureAlg[];
  /** Whether keys of the deprecated use `webhook-signing` are still accepted. Default true. */
  acceptDeprecatedKeyUse?: boolean;
}

export type VerifyOptions = VerifyRules & KeySource;

/** A webhook whose every byte the sender vouches for. */
export interface Verified {
  ok: true;
  keyid: string;
  label: string;
  /** Who sent it, as the key's resolver knows it. */
  sender?: string;
}

/**
 * Verifies a webhook signed by RFC 9421 on its raw bytes and headers: content type, size and mode first, then the
 * fourteen steps of rule W12 in their order, stopping at the first failure.
 *
 * Never throws, whatever the input: a refusal carries its code and the HTTP status to answer with, and a resolver or
 * store that fails gives `webhook_verifier_unavailable` with 503, so that the sender tries again.
 */
export async function verifyWebhook(request: ReceivedRequest, options: VerifyOptions): Promise<Verified | Refusal> {
  try {
    const header = headerReader(request.headers);
    const rules = rulesOf(options);
    const early = preCheck(header, request.rawBody.byteLength, 'rfc9421', rules.names);
    if (early !== undefined) return refusal(early);
    const verification = { request, header, rules } as Verification;
    for (const check of CHECKLIST) {
      const code = await check(verification);
      if (code !== undefined) return refusal(code);
    }
    const { params, sender } = verification;
    return { ok: true, keyid: params.keyid, label: LABEL, ...(sender !== undefined && { sender }) };
  } catch {
    return refusal('webhook_verifier_unavailable');
  }
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
