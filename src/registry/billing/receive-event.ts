import { applySubscription } from '../../directory/billing/apply-subscription.ts';
import type { Applied } from '../../directory/billing/apply-subscription.ts';
import type { BillingProvider, ReadHeader } from '../../directory/billing/billing-provider.ts';
import { AppError } from '../../platform/errors.ts';
import type { RegistryContext } from '../context.ts';

/**
 * Verifies an event and lets it act (rule R10); every event takes this way.
 * @throws {AppError} `UNAUTHORIZED` for a forged one; `SERVICE_UNAVAILABLE` for a price that is not configured, so that the
 * provider sends the event again once it is.
 */
export async function receiveEvent(
  context: Pick<RegistryContext, 'store' | 'log' | 'security'>,
  provider: BillingProvider,
  body: Buffer,
  header: ReadHeader,
): Promise<Applied> {
  const event = readEvent(context, provider, body, header);
  if (event === undefined) return 'ignored';
  const tier = provider.prices.get(event.price_id);
  if (tier === undefined) {
    context.log.error({ price_id: event.price_id, event_id: event.event_id }, 'subscription to a price without a tier');
    throw new AppError('SERVICE_UNAVAILABLE', 'this price is not configured here');
  }
  return applySubscription(context, event, tier);
}

function readEvent(
  { security }: Pick<RegistryContext, 'security'>,
  provider: BillingProvider,
  body: Buffer,
  header: ReadHeader,
): ReturnType<BillingProvider['readEvent']> {
  try {
    return provider.readEvent(body, header);
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAUTHORIZED')
      security.record('signature.refused', { target: `${provider.name} event`, reason: error.message });
    throw error;
  }
}
