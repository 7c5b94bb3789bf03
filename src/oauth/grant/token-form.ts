import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** An authorization code or a refresh token, read. */
export interface ReadToken {
  grant_id: string;
  /** Of a refresh token: the first is 1. Of a code: 0. */
  number: number;
}

/** Writes and reads the opaque tokens of this server. */
export interface TokenForm {
  code(grantId: string): string;
  refreshToken(grantId: string, number: number): string;
  /** Undefined for anything this server did not make. */
  readCode(code: string): ReadToken | undefined;
  readRefreshToken(token: string): ReadToken | undefined;
}

const FORM = /^(oac|ort)_([\w-]{1,64})\.(\d{1,9})\.([\w-]{43})$/;

/**
 * A token names its grant and its number, proved by an HMAC under a key derived from the installation's secret. So none is
 * stored, an old one is told from one made up, and only an old one counts as reused. What former secrets proved is read, too.
 */
export function tokenForm(secret: string, formerSecrets: readonly string[] = []): TokenForm {
  const key = keyOf(secret);
  const keys = [key, ...formerSecrets.map(keyOf)];

  function write(kind: string, grantId: string, number: number): string {
    const body = `${kind}_${grantId}.${number}`;
    return `${body}.${proof(key, body).toString('base64url')}`;
  }

  function read(kind: string, token: string): ReadToken | undefined {
    const [, found, grant_id = '', number = '', shown = ''] = FORM.exec(token) ?? [];
    if (found !== kind) return undefined;
    const isOurs = (one: Buffer) =>
      timingSafeEqual(proof(one, `${kind}_${grant_id}.${number}`), Buffer.from(shown, 'base64url'));
    return keys.some(isOurs) ? { grant_id, number: Number(number) } : undefined;
  }

  return {
    code: (grantId) => write('oac', grantId, 0),
    refreshToken: (grantId, number) => write('ort', grantId, number),
    readCode: (code) => read('oac', code),
    readRefreshToken: (token) => read('ort', token),
  };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'media-buy-agent oauth tokens', 32));
}

function proof(key: Buffer, body: string): Buffer {
  return createHmac('sha256', key).update(body).digest();
}
