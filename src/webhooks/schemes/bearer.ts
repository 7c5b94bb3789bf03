import { bearerHeader } from '../signing/bearer.ts';
import type { CredentialsScheme } from './scheme.ts';
import { sharedSecretFault } from './shared-secret.ts';

/** Shows the buyer's token; the only scheme that sends what the buyer gave as a secret. */
export const bearer = {
  secret: 'credentials',
  wireName: 'Bearer',
  legacy: true,
  unavailable: ({ mutates, allowLegacyBearer }) =>
    mutates && !allowLegacyBearer
      ? 'a bearer token does not protect what the webhook says, so this task refuses it; leave authentication out for signed webhooks'
      : undefined,
  credentialsFault: (token) =>
    sharedSecretFault(token) ?? (/^[!-~]+$/.test(token) ? undefined : 'a bearer token is visible ASCII without spaces'),
  sign: (_attempt, token) => bearerHeader(token),
} as const satisfies CredentialsScheme;
