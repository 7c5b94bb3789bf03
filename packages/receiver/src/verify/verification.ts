import type { Jwk, ResolveKey, Surroundings } from '../keys/resolved-key.ts';
import type { RevocationChecker } from '../keys/revocation.ts';
import type { ReplayStore } from '../replay/replay-store.ts';
import type { PublicKey, SignatureAlg } from '../wire/algorithms.ts';
import type { HeaderReader, ReceivedRequest } from '../wire/received-request.ts';
import type { SignatureInput } from '../wire/structured-header.ts';
import type { WebhookNames } from '../wire/webhook-names.ts';
import type { Refusal } from './refusal.ts';

/** The rules of one verification, with every default filled in. */
export interface Rules {
  resolveKey: ResolveKey;
  names: WebhookNames;
  allowedAlgs: readonly SignatureAlg[];
  acceptDeprecatedKeyUse: boolean;
  replay: ReplayStore;
  revocation: RevocationChecker | undefined;
  surroundings: Surroundings | undefined;
  /** Milliseconds since the epoch, one instant for all checks. */
  now: number;
}

/** What is known of a request so far. Each check reads only what an earlier one has written. */
export interface Verification {
  readonly request: ReceivedRequest;
  readonly header: HeaderReader;
  readonly rules: Rules;
  /** By check 1. */
  input: SignatureInput;
  signature: Uint8Array;
  /** By check 1; undefined when there is no `Content-Digest` header at all. */
  digest: Uint8Array | undefined;
  /** By check 2. */
  params: SignatureParams;
  /** By check 4. */
  alg: SignatureAlg;
  /** By check 7. */
  jwk: Jwk;
  sender: string | undefined;
  /** By check 8. */
  publicKey: PublicKey;
  /** By check 12. */
  nonceRecord: 'recorded' | 'seen' | 'full';
}

/** The six parameters (rule C.webhook.signatures.3); times in Unix seconds. */
export interface SignatureParams {
  created: number;
  expires: number;
  nonce: string;
  keyid: string;
  alg: string;
  tag: string;
}

/** One step of the checklist: what it refuses with, or undefined to go on. */
export type Check = (verification: Verification) => Promise<Refusal | undefined> | Refusal | undefined;
