import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeToken, encodeToken } from '#receiver/wire/tokens';

const anyBytes = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));

describe('tokens', () => {
  it('[W13] sends base64url without padding', () => {
    expect(encodeToken(Buffer.from([251, 255, 191, 1]))).toBe('-_-_AQ');
  });

  it('[W13] takes base64url, and standard base64 with and without padding, for any bytes', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const standard = bytes.toString('base64');
        for (const token of [encodeToken(bytes), standard, standard.replaceAll('=', '')]) {
          expect(decodeToken(token)).toEqual(new Uint8Array(bytes));
        }
      }),
    );
  });

  it.each([
    ['both alphabets', 'A+-_'],
    ['both alphabets, far apart', '-AAAAAAAAAA/'],
    ['base64url with padding', '-_8='],
    ['a length no bytes have', 'AAAAA'],
    ['wrong padding', 'AAAA='],
    ['too much padding', 'AA==='],
    ['padding alone', '='],
    ['padding in the middle', 'AA==AAAA'],
    ['bits that no byte uses', 'AB'],
    ['bits that no byte uses, padded', 'AB=='],
    ['white space', 'AA AA'],
    ['a line end', 'AAAA\n'],
    ['other characters', 'AAA*'],
  ])('[W13] refuses a token with %s', (_what, token) => {
    expect(decodeToken(token)).toBeUndefined();
  });

  it('[W13] gives no two spellings of one alphabet the same bytes', () => {
    const digit = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split(''));
    fc.assert(
      fc.property(anyBytes, fc.nat(), digit, (bytes, at, other) => {
        const token = encodeToken(bytes);
        if (token === '') return;
        const index = at % token.length;
        const changed = token.slice(0, index) + other + token.slice(index + 1);
        expect(Buffer.from(bytes).equals(decodeToken(changed) ?? Buffer.alloc(0))).toBe(changed === token);
      }),
    );
  });
});
