import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { signingKeyFromJwk } from '../../../src/webhooks/signing/signing-key.ts';
import type { PublicJwk, SigningKey } from '../../../src/webhooks/signing/signing-key.ts';
import vectors from '../../webhooks/signing/vectors.json' with { type: 'json' };

/** 2026-03-01T12:00:00Z, in Unix seconds. */
export const NOW = 1_772_366_400;
export const SECRET = 'a-shared-secret-of-forty-characters-1234';
export const PUBLIC_URL = 'https://buyer.example.com';

/** The two keys that sign, by their algorithm. */
export const PRIVATE = vectors.keys;
export type Alg = keyof typeof PRIVATE;

/** Ways in which a key may be published besides as it should be. */
const PUBLISHED = {
  '': (jwk: PublicJwk) => jwk,
  '-adcp': ({ proto_use, ...jwk }: PublicJwk) => ({ ...jwk, adcp_use: proto_use }),
  '-deprecated-use': (jwk: PublicJwk) => ({ ...jwk, proto_use: 'webhook-signing' }),
  '-other-use': (jwk: PublicJwk) => ({ ...jwk, proto_use: 'response-signing' }),
  '-revoked': (jwk: PublicJwk) => ({ ...jwk, revoked_at: '2026-01-01T00:00:00Z' }),
};
export type Publication = keyof typeof PUBLISHED | '-unpublished';

/** The key that signs under the name of one of its publications. */
export function signingKeyOf(alg: Alg, publication: Publication): SigningKey {
  const jwk = PRIVATE[alg];
  return signingKeyFromJwk(jwk, { names: protocolNames(), kid: jwk.kid + publication });
}

export function keyVectors(): unknown {
  const algs = Object.keys(PRIVATE) as Alg[];
  const publications = Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[];
  return {
    about: 'Made from the sender. The private keys and the secret are public: never trust them.',
    public_url: PUBLIC_URL,
    jwks: {
      keys: algs.flatMap((alg) =>
        publications.map((publication) => PUBLISHED[publication](signingKeyOf(alg, publication).publicJwk)),
      ),
    },
    private_jwks: PRIVATE,
    hmac_secret: SECRET,
    bearer_token: SECRET,
  };
}
