import { flag, text, tierByPrice, url, withoutSlash } from '../setting-values.ts';
import { setting } from './setting.ts';

/** How memberships are sold. */
export const BILLING_SETTINGS = {
  BILLING_SANDBOX: setting(
    flag,
    'false',
    'sell memberships without money, for trying out; on for npm start while only this machine reaches it, without Stripe; else off',
  ),
  STRIPE_SECRET_KEY: setting(
    text(/^[sr]k_\w{8,}$/, 'must be a secret or restricted key of Stripe'),
    'sk_live_from_the_dashboard',
    'sells memberships through Stripe; needs the next two settings',
  ),
  STRIPE_WEBHOOK_SECRET: setting(
    text(/^whsec_\S{8,}$/, 'must be the signing secret of a Stripe webhook endpoint'),
    'whsec_from_the_dashboard',
    'verifies the events that Stripe sends to /api/billing/events',
  ),
  STRIPE_PRICES: setting(
    tierByPrice,
    'price_1AbC=company_standard,price_2DeF=company_leader',
    'the tier that each price is for',
  ),
  STRIPE_API_URL: setting(
    url(['http:', 'https:'], 'an http or https URL').transform(withoutSlash),
    'https://api.stripe.com',
    "where Stripe's API is",
  ),
};
