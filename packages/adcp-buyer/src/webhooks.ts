import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Signing from '@adcp/sdk/signing';

const require = createRequire(import.meta.url);
const dist = join(dirname(require.resolve('@adcp/sdk/package.json')), 'dist/lib');

/** How receivers of release 3.0 verify webhooks. */
export const { createWebhookVerifier } = require(join(dist, 'signing/webhook-verifier.js')) as Pick<
  typeof Signing,
  'createWebhookVerifier'
>;
export const { StaticJwksResolver } = require(join(dist, 'signing/jwks.js')) as Pick<
  typeof Signing,
  'StaticJwksResolver'
>;
