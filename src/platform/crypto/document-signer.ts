import type { KeyObject } from 'node:crypto';

/** The key that signs this installation's documents; its public half is in the key set at `jku`. */
export interface DocumentSigner {
  kid: string;
  /** As JWS names it (RFC 7518, RFC 8037). */
  alg: string;
  privateKey: KeyObject;
  jku: string;
}
