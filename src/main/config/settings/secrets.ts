import { z } from 'zod';
import { commaSeparated, wholeNumber } from '../setting-values.ts';
import { setting } from './setting.ts';

/** What seals, and what signs. */
export const SECRET_SETTINGS = {
  SECRET_KEY: setting(
    z.string().min(32, 'must be at least 32 characters'),
    'at-least-32-random-characters-here',
    'seals stored credentials and private keys; default: a random one in DATA_DIR/secret; needed with MONGODB_URL',
  ),
  PREVIOUS_SECRET_KEYS: setting(
    commaSeparated.pipe(z.array(z.string().min(32, 'must be the former SECRET_KEYs, each at least 32 characters'))),
    'the-32-or-more-characters-before-these,and-those-of-the-time-before-that',
    'former SECRET_KEYs, which open what they sealed; needed until npm run agent -- secret move-out, and 90 days for OAuth',
  ),
  SIGNING_KEYS: setting(
    z.string(),
    '{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k-1","x":"...","d":"..."}]}',
    'private keys that sign, as JWKs or PEM, the first of them now; default: made and kept in the store',
  ),
  SIGNING_KEYS_FILE: setting(z.string(), '/run/secrets/signing-keys.pem', 'a file with the same'),
  WEBHOOK_SIGNING_KEYS: setting(
    z.string(),
    '{"kty":"OKP","crv":"Ed25519","kid":"webhooks-1","x":"...","d":"..."}',
    'private keys that sign webhooks and nothing else, in the same forms; default: those that sign the rest',
  ),
  WEBHOOK_SIGNING_KEYS_FILE: setting(z.string(), '/run/secrets/webhook-keys.json', 'a file with the same'),
  REVOKED_KIDS: setting(
    commaSeparated,
    'k-0,webhooks-0',
    'ids of such keys that must not be trusted any more, for the published list',
  ),
  SIGNING_KEY_ALG: setting(
    z.enum(['ed25519', 'ecdsa-p256-sha256'], 'must be ed25519 or ecdsa-p256-sha256'),
    'ed25519',
    'of the keys that this agent makes',
  ),
  SIGNING_KEY_DAYS: setting(
    wholeNumber(1, 3650),
    '90',
    'after so many days of signing, a key that this agent made is followed by a new one',
  ),
};
