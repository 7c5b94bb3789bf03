import type { BillingProvider } from '../../directory/billing/billing-provider.ts';
import { sandboxProvider } from '../../directory/billing/sandbox-provider.ts';
import type { SandboxProvider } from '../../directory/billing/sandbox-provider.ts';
import { stripeProvider } from '../../directory/billing/stripe-provider.ts';
import type { Core } from './compose.ts';

/** The billing provider that is configured (rule R10). */
export function composeBilling(core: Core): SandboxProvider | BillingProvider<'stripe'> | undefined {
  const { config } = core;
  const baseUrl = () => core.baseUrl;
  if (config.stripe !== undefined) return stripeProvider({ ...core, ...config.stripe, baseUrl });
  return config.hasSandboxBilling ? sandboxProvider({ ...core, baseUrl }) : undefined;
}
