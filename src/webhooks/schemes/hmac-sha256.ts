import { signHmac } from '../signing/hmac.ts';
import type { CredentialsScheme } from './scheme.ts';
import { sharedSecretFault } from './shared-secret.ts';

/** A shared secret signs time and body, and is never sent. */
export const hmacSha256 = {
  secret: 'credentials',
  wireName: 'HMAC-SHA256',
  legacy: true,
  unavailable: () => undefined,
  credentialsFault: sharedSecretFault,
  sign: ({ body, now, names }, secret) => signHmac({ body, secret, now, names }),
} as const satisfies CredentialsScheme;
