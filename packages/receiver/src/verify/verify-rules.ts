import type { Jwks, ResolveKey, Surroundings } from '../keys/resolved-key.ts';
import type { RevocationChecker } from '../keys/revocation.ts';
import type { ReplayStore } from '../replay/replay-store.ts';
import type { SignatureAlg } from '../wire/algorithms.ts';

/** Where keys come from: a resolver such as `agentKeys`, or a fixed set. */
export type KeySource = { resolveKey: ResolveKey; jwks?: never } | { jwks: Jwks; resolveKey?: never };

export interface VerifyRules {
  /** Remembers nonces; share one among all endpoints and processes that a sender can reach. */
  replay: ReplayStore;
  /** Tells revoked keys; without one only keys that mark themselves revoked are. */
  revocation?: RevocationChecker;
  /** Milliseconds since the epoch. Default: the system's clock. */
  now?: () => number;
  /** The protocol's name (rule N1), which tag and legacy headers carry. Default `proto`; the public ecosystem: `adcp`. */
  protocol?: string;
  /** Default: both, `ed25519` and `ecdsa-p256-sha256`. */
  allowedAlgs?: readonly SignatureAlg[];
  /** Whether keys of the deprecated use `webhook-signing` are still accepted. Default true. */
  acceptDeprecatedKeyUse?: boolean;
  /** What key resolvers and revocation lists are handed. */
  surroundings?: Surroundings;
}

/** A webhook that proved where it comes from. */
export interface Verified {
  ok: true;
  /** The authenticated sender identity. */
  sender: string;
  /** The key that signed it, in mode `rfc9421`. */
  keyid?: string;
}
