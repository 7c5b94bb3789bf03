/** Bytes as the wire carries them: base64url without padding (rule W13, RFC 4648 section 5). */
export function encodeToken(bytes: Buffer): string {
  return bytes.toString('base64url');
}

const URL_SAFE = /^[A-Za-z0-9_-]*$/;
const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The bytes of a token: unpadded base64url, or pure standard base64, padded or not (rule W13). Undefined for a
 * token that mixes the two alphabets, has a wrong length or padding, or sets bits that no byte uses: of all spellings
 * of some bytes within an alphabet only one is taken, so no changed character goes unnoticed.
 */
export function decodeToken(token: string): Buffer | undefined {
  const urlSafe = URL_SAFE.test(token);
  if (!urlSafe && !STANDARD.test(token)) return undefined;
  const digits = token.replace(/=+$/, '');
  if (digits.length !== token.length && token.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(digits, urlSafe ? 'base64url' : 'base64');
  const canonical = urlSafe ? bytes.toString('base64url') : bytes.toString('base64').replace(/=+$/, '');
  return canonical === digits ? bytes : undefined;
}
