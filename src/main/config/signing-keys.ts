import { createPrivateKey } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { protocolNames } from '../../platform/protocol-name.ts';
import type { KeySetOptions } from '../../webhooks/keys/signing-key-sets.ts';
import { signingKeyFromJwk } from '../../webhooks/signing/signing-key.ts';
import { ConfigError } from './config-error.ts';
import type { SigningConfig } from './config-shape.ts';
import type { KeySetting } from './key-setting.ts';

const Jwk = z.looseObject({ kty: z.string(), d: z.string() });
const Keys = z.union([
  Jwk.transform((key) => [key]),
  z.array(Jwk).min(1),
  z.looseObject({ keys: z.array(Jwk).min(1) }).transform(({ keys }) => keys),
]);
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g;

/**
 * @throws {ConfigError} for keys that cannot be read, are not sound, come twice, or would sign though they are revoked; with
 * nothing of what is in them.
 */
export async function readKeySetOptions(signing: SigningConfig): Promise<KeySetOptions> {
  const { alg, rotateAfterDays, revokedKids } = signing;
  const configured = await readSigningKeys(signing.keys);
  const webhooksOnly = await readSigningKeys(signing.webhooksOnly);
  const kids = [...configured, ...webhooksOnly].map(kidOf);
  if (new Set(kids).size < kids.length) {
    throw new ConfigError(['SIGNING_KEYS and WEBHOOK_SIGNING_KEYS hold a key, or a kid, twice']);
  }
  for (const [{ name }, [first]] of [
    [signing.keys, configured],
    [signing.webhooksOnly, webhooksOnly],
  ] as const) {
    if (first !== undefined && revokedKids.includes(kidOf(first))) {
      throw new ConfigError([
        `REVOKED_KIDS names ${kidOf(first)}, the first of ${name}, which signs; put another first`,
      ]);
    }
  }
  return { alg, rotateAfterDays, revokedKids, configured, webhooksOnly };
}

function kidOf(jwk: JsonWebKey): string {
  return signingKeyFromJwk({ ...jwk }, { names: protocolNames() }).kid;
}

/**
 * The private keys of a source, in its order, as JWKs; none where nothing is set. Takes JWKs (one, a list, or a key set) and
 * PEM (one or more blocks, PKCS #8 or SEC 1); in a setting's text, `\n` stands for a line's end.
 */
async function readSigningKeys({ name, text, file }: KeySetting): Promise<JsonWebKey[]> {
  if (text !== undefined && file !== undefined) throw new ConfigError([`${name} and ${name}_FILE exclude each other`]);
  if (text !== undefined) return parseKeys(name, text.replaceAll('\\n', '\n'));
  if (file === undefined) return [];
  const content = await readFile(file, 'utf8').catch(() => {
    throw new ConfigError([`${name}_FILE names a file that cannot be read: ${file}`]);
  });
  return parseKeys(`${name}_FILE`, content);
}

function parseKeys(name: string, text: string): JsonWebKey[] {
  try {
    const blocks = text.match(PEM);
    const jwks =
      blocks === null
        ? Keys.parse(JSON.parse(text))
        : blocks.map((pem) => createPrivateKey(pem).export({ format: 'jwk' }));
    jwks.forEach(kidOf);
    return jwks;
  } catch {
    throw new ConfigError([`${name} must hold private keys, Ed25519 or P-256, as JWKs or PEM without a passphrase`]);
  }
}
