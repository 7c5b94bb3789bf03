import type { KeyObject } from 'node:crypto';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import type { SignatureAlg } from '../signing/algorithms.ts';
import type { SignatureInput } from '../signing/structured-header.ts';
import type { RefusalCode } from './codes.ts';
import type { HeaderReader, ReceivedRequest } from './received-request.ts';
import type { ReplayStore } from './replay-store.ts';
import type { Jwk, ResolveKey } from './resolved-key.ts';
import type { RevocationChecker } from './revocation.ts';

/** The rules of one verification, with every default filled in. */
export interface Rules {
  resolveKey: ResolveKey;
  tag: string;
  names: ProtocolNames;
  allowedAlgs: readonly SignatureAlg[];
  acceptDeprecatedKeyUse: boolean;
  replay: ReplayStore;
  revocation: RevocationChecker | undefined;
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
  signature: Buffer;
  /** By check 1; undefined when there is no `Content-Digest` header at all. */
  digest: Buffer | undefined;
  /** By check 2. */
  params: SignatureParams;
  /** By check 4. */
  alg: SignatureAlg;
  /** By check 7. */
  jwk: Jwk;
  sender: string | undefined;
  /** By check 8. */
  publicKey: KeyObject;
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

/** One step of the checklist: the code it refuses with, or undefined to go on. */
export type Check = (verification: Verification) => Promise<RefusalCode | undefined> | RefusalCode | undefined;
