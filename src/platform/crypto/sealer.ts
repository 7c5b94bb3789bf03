import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts short strings for the store, such as webhook credentials (rule W4). */
export interface Sealer {
  /** The id of the key that {@link Sealer.seal} uses: to find values sealed with an older one. */
  readonly keyId: string;
  /** Whether a text has the form of one that a previous secret sealed; who made it up is found out by {@link Sealer.open}. */
  isByPrevious(text: string): boolean;
  /** Encrypts and authenticates. What is sealed for one `boundTo`, such as a row's id, opens for no other. */
  seal(text: string, boundTo?: string): string;
  /** @throws {Error} for a changed value, another `boundTo`, or a key that is not at hand; never says which text. */
  open(sealed: string, boundTo?: string): string;
}

const FORMAT = /^s1\.([0-9a-f]{16})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM under a key derived from `secret` by HKDF-SHA-256 (RFC 5869). `previous` secrets still open what they
 * sealed, so that a secret can be rotated. Form: `s1.<key id>.<iv>.<ciphertext and tag>`, base64url.
 */
export function sealer(secret: string, previous: readonly string[] = []): Sealer {
  const current = sealingKey(secret);
  const keys = new Map([...previous.map(sealingKey), current].map(({ id, key }) => [id, key]));

  return {
    keyId: current.id,
    isByPrevious(text) {
      const id = sealedKeyId(text);
      return id !== undefined && id !== current.id && keys.has(id);
    },
    seal(text, boundTo = '') {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, iv).setAAD(Buffer.from(boundTo));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `s1.${current.id}.${iv.toString('base64url')}.${body.toString('base64url')}`;
    },
    open(sealed, boundTo = '') {
      const [, id = '', iv = '', body = ''] = FORMAT.exec(sealed) ?? [];
      const key = keys.get(id);
      if (!key) throw new Error(id === '' ? 'not a sealed value' : `sealed with key ${id}, which is not configured`);
      const bytes = Buffer.from(body, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
    },
  };
}

/** The id of the key that a text is sealed with; undefined for one that is not sealed. */
export function sealedKeyId(text: string): string | undefined {
  return FORMAT.exec(text)?.[1];
}

function sealingKey(secret: string): { id: string; key: Buffer } {
  if (secret.length < 32) throw new Error('a sealing secret has at least 32 characters');
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'media-buy-agent sealing key', 32));
  return { id: createHash('sha256').update('key id').update(key).digest('hex').slice(0, 16), key };
}
