import { expect, it } from 'vitest';
import { bearerHeader } from '../../../src/webhooks/signing/bearer.ts';

it('[C.webhook.bearer] the legacy header shows the token', () => {
  expect(bearerHeader('token-of-thirty-two-characters-00')).toEqual({
    Authorization: 'Bearer token-of-thirty-two-characters-00',
  });
});
