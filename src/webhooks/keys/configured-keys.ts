import type { JsonWebKey } from 'node:crypto';
import { AppError } from '../../platform/errors.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import { signingKeyFromJwk } from '../signing/signing-key.ts';
import type { HeldKey, SigningKeySource } from './key-succession.ts';
import { slotAfter } from './signing-key-row.ts';

const EVER = new Date(0).toISOString();
const NEVER = '9999-12-31T00:00:00.000Z';

/**
 * Keys an operator keeps in files or the environment: the first signs, all are published.
 * @throws {TypeError} for a key that is not a sound private JWK, or comes twice.
 */
export function configuredKeys(jwks: readonly JsonWebKey[], names: ProtocolNames): SigningKeySource {
  let slot: string | undefined;
  const held = jwks.map((jwk, place): HeldKey => {
    const key = signingKeyFromJwk(jwk, { names });
    slot = slotAfter(slot);
    return { slot, kid: key.kid, alg: key.alg, key, not_before: place === 0 ? EVER : NEVER, revoked_at: null };
  });
  if (new Set(held.map(({ kid }) => kid)).size < held.length) throw new TypeError('two signing keys have the same kid');
  const refuse = () =>
    Promise.reject(
      new AppError('INVALID_STATE', 'the signing keys are configured; change SIGNING_KEYS and start again instead'),
    );
  return { load: () => Promise.resolve(held), add: refuse, revoke: refuse };
}
