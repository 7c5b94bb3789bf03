import { describe, expect, it } from 'vitest';
import { bearerHeader, verifyBearer } from '../../../src/webhooks/signing/bearer.ts';

const token = 'token-of-thirty-two-characters-00';

describe('[C.webhook.bearer] legacy Bearer', () => {
  it('takes the token it sends, with the scheme in any case', () => {
    expect(verifyBearer(bearerHeader(token).Authorization, [token])).toBe(true);
    expect(verifyBearer(`bearer ${token}`, ['another', token])).toBe(true);
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', token, `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token} x`])(
    'refuses %j',
    (header) => {
      expect(verifyBearer(header, [token])).toBe(false);
    },
  );

  it('refuses any token where none is agreed', () => {
    expect(verifyBearer(`Bearer ${token}`, [])).toBe(false);
  });
});
