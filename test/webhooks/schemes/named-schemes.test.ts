import { describe, expect, it } from 'vitest';
import { withOneScheme } from '../../../src/a2a/legacy-wire.ts';
import {
  advertisedLegacySchemes,
  advertisedSchemes,
  strongestNamed,
  WIRE_NAMES,
} from '../../../src/webhooks/schemes/named-schemes.ts';

describe('the schemes that a buyer can name', () => {
  it('[W4] are listed strongest first, and Bearer is advertised only where every task takes it', () => {
    expect(WIRE_NAMES).toEqual(['HMAC-SHA256', 'Bearer']);
    expect(advertisedSchemes({ allowLegacyBearer: true })).toEqual(['HMAC-SHA256', 'Bearer']);
    expect(advertisedSchemes({ allowLegacyBearer: false })).toEqual(['HMAC-SHA256']);
    expect(advertisedLegacySchemes({ allowLegacyBearer: true })).toEqual(['HMAC-SHA256', 'Bearer']);
    expect(advertisedLegacySchemes({ allowLegacyBearer: false })).toEqual(['HMAC-SHA256']);
  });

  it.each<[string[], string | undefined, string | undefined]>([
    [['Bearer', 'HMAC-SHA256'], 'hmac-sha256', 'HMAC-SHA256'],
    [['bearer', 'hmac-sha256'], 'hmac-sha256', 'hmac-sha256'],
    [['Basic', 'BEARER'], 'bearer', 'BEARER'],
    [['rfc9421'], undefined, undefined],
    [['constructor', ''], undefined, undefined],
    [[], undefined, undefined],
  ])('[W4] of %j the strongest known one is taken, in any case', (names, mode, spelling) => {
    expect(strongestNamed(names)).toEqual(mode && expect.objectContaining({ mode, spelling }));
  });

  it.each<[unknown[], unknown]>([
    [['Bearer', 'hmac-sha256'], 'hmac-sha256'],
    [['Basic', 'Bearer'], 'Bearer'],
    [['Basic', 'Digest'], 'Basic'],
    [[17, null], 17],
  ])('[W4] [W5] of the list %j of A2A 0.3 one is left, and one that is unknown only to be refused', (schemes, left) => {
    const pushNotificationConfig = { url: 'https://buyer.example/', authentication: { schemes, credentials: 'c' } };
    const params = withOneScheme({ pushNotificationConfig });
    expect(params).toEqual({
      pushNotificationConfig: { ...pushNotificationConfig, authentication: { schemes: [left], credentials: 'c' } },
    });
  });
});
