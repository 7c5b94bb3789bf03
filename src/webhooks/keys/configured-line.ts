import type { JsonWebKey } from 'node:crypto';
import { AppError } from '../../platform/errors.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import { signingKeyFromJwk } from '../signing/signing-key.ts';
import type { HeldKey, LineSource } from './key-line.ts';
import { slotAfter } from './signing-key-row.ts';

const EVER = new Date(0).toISOString();
const NEVER = '9999-12-31T00:00:00.000Z';

/**
 * Keys an operator keeps in files or the environment: the first signs, all are published.
 * @throws {TypeError} for a key that is not a sound private JWK, or comes twice.
 */
export function configuredLine(jwks: readonly JsonWebKey[], names: ProtocolNames): LineSource {
  let slot: string | undefined;
  const line = jwks.map((jwk, place): HeldKey => {
    const key = signingKeyFromJwk(jwk, { names });
    slot = slotAfter(slot);
    return { slot, kid: key.kid, alg: key.alg, key, not_before: place === 0 ? EVER : NEVER, revoked_at: null };
  });
  if (new Set(line.map(({ kid }) => kid)).size < line.length) throw new TypeError('two signing keys have the same kid');
  const refuse = () =>
    Promise.reject(
      new AppError('INVALID_STATE', 'the signing keys are configured; change SIGNING_KEYS and start again instead'),
    );
  return { load: () => Promise.resolve(line), add: refuse, revoke: refuse };
}
