import { signRequest } from '../signing/http-signature.ts';
import type { SigningKeyScheme } from './scheme.ts';

/** HTTP message signatures by the agent's published key: what a registration without `authentication` gets. */
export const rfc9421 = {
  secret: 'signing-key',
  wireName: null,
  legacy: false,
  unavailable: () => undefined,
  sign: (attempt, key) => signRequest({ ...attempt, key }),
} as const satisfies SigningKeyScheme;
