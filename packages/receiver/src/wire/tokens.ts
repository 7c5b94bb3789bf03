import { latin1 } from './bytes.ts';

/** Bytes as the wire carries them: base64url without padding (rule W13, RFC 4648 section 5). */
export function encodeToken(bytes: Uint8Array): string {
  return toUrlSafe(toStandard(bytes));
}

const URL_SAFE = /^[A-Za-z0-9_-]*$/;
const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The bytes of a token: unpadded base64url, or pure standard base64, padded or not (rule W13). Undefined for a
 * token that mixes the two alphabets, has a wrong length or padding, or sets bits that no byte uses: of all spellings
 * of some bytes within an alphabet only one is taken, so no changed character goes unnoticed.
 */
export function decodeToken(token: string): Uint8Array | undefined {
  const isUrlSafe = URL_SAFE.test(token);
  if (!isUrlSafe && !STANDARD.test(token)) return undefined;
  const digits = token.replace(/=+$/, '');
  if (digits.length !== token.length && token.length % 4 !== 0) return undefined;
  if (digits.length % 4 === 1) return undefined;
  const standard = isUrlSafe ? digits.replaceAll('-', '+').replaceAll('_', '/') : digits;
  const bytes = latin1(atob(standard));
  return toStandard(bytes) === standard ? bytes : undefined;
}

function toStandard(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/=+$/, '');
}

function toUrlSafe(standard: string): string {
  return standard.replaceAll('+', '-').replaceAll('/', '_');
}
