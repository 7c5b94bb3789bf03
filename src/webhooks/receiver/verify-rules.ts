import type { ProtocolNames } from '../../platform/protocol-name.ts';
import type { SignatureAlg } from '../signing/algorithms.ts';
import type { ReplayStore } from './replay-store.ts';
import type { Jwks, ResolveKey } from './resolved-key.ts';
import type { RevocationChecker } from './revocation.ts';

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

/** A webhook that proved where it comes from. */
export interface Authenticated {
  ok: true;
  sender: string;
  /** The key that signed it, in mode `rfc9421`. */
  keyid?: string;
}
