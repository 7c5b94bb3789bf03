import { describe, expect, it } from 'vitest';
import { askedScheme, credentialsFor } from '../../../src/webhooks/schemes/asked-scheme.ts';
import { hmacSha256 } from '../../../src/webhooks/schemes/hmac-sha256.ts';
import { rfc9421 } from '../../../src/webhooks/schemes/rfc9421.ts';

const CREDENTIALS = 'c0rrect-horse-battery-staple-0123456789';

describe('the credentials that a scheme is registered with', () => {
  it('[W4] are those that were sent, where it proves with such; none are refused', () => {
    expect(credentialsFor(hmacSha256, CREDENTIALS, 'f')).toEqual({ credentials: CREDENTIALS });
    expect(() => credentialsFor(hmacSha256, undefined, 'f')).toThrow('f: send at least 32 characters');
  });

  it('[W4] are none where it proves with the agent’s own key; some are refused and not repeated', () => {
    expect(credentialsFor(rfc9421, undefined, 'f')).toEqual({});
    expect(() => credentialsFor(rfc9421, CREDENTIALS, 'f')).toThrow(
      "f: leave credentials out: this scheme proves with the agent's own key",
    );
  });
});

describe('schemes of which none is known', () => {
  it.each([
    [true, 'send HMAC-SHA256 or Bearer, or leave authentication out for signed webhooks'],
    [false, 'send HMAC-SHA256, or leave authentication out for signed webhooks'],
  ])('[W4] are refused by what this agent advertises, where Bearer is allowed: %s', (allowLegacyBearer, says) => {
    const asked = { schemes: ['Basic'], credentials: CREDENTIALS };
    expect(() => askedScheme(asked, 'a', { mutates: true, allowLegacyBearer })).toThrow(`a.schemes: ${says}`);
  });
});
