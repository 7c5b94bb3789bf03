import { ConfigError } from './config-error.ts';
import type { StripeConfig } from './config-shape.ts';
import type { Settings } from './settings.ts';

/** @throws {ConfigError} for a key without what it needs. */
export function stripeConfig(s: Settings): StripeConfig | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_PRICES: prices } = s;
  if (secretKey === undefined) return undefined;
  if (webhookSecret === undefined || prices === undefined)
    throw new ConfigError(['STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET and STRIPE_PRICES']);
  return { secretKey, webhookSecret, prices, apiUrl: s.STRIPE_API_URL ?? 'https://api.stripe.com' };
}
