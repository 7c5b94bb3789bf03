import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { isSameUrl } from '../../platform/crypto/sealed-url.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import type { Logger } from '../../platform/log.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Collection, Where } from '../../platform/store/collection.ts';
import { ENDED } from './create-delivery.ts';
import type { Delivery } from './delivery.ts';

export interface EndDeliveriesDependencies {
  deliveries: Collection<Delivery>;
  sealer: Sealer;
  clock: Clock;
  log: Logger;
}

/**
 * Ends all that fits and is pending, since its registration has ended (rule W6.ended): no attempt begins any more. One that is on its
 * way still arrives and is recorded.
 */
export async function endDeliveries(
  { deliveries, sealer, clock, log }: EndDeliveriesDependencies,
  of: Pick<Where<Delivery>, 'organization_id' | 'subject_id' | 'task_id'> & {
    registration_id: string;
    /** As stored; absent: wherever it goes. */
    url?: string;
    /** The sequence of the newest event meant; absent: all. */
    until?: number;
  },
): Promise<void> {
  const { until, url, ...where } = of;
  const updated_at = toTimestamp(clock.now());
  for await (const { delivery_id, sequence, task_id, ...row } of allRows(deliveries, {
    where: { ...where, state: 'pending' },
  })) {
    if (until !== undefined && sequence > until) continue;
    if (url !== undefined && !isSameUrl(sealer, row.url, url)) continue;
    const outcome = await deliveries.update(delivery_id, (stored) =>
      stored.state === 'pending' ? { ...stored, ...ENDED, updated_at } : undefined,
    );
    if (outcome?.changed === true) log.info({ task_id, delivery_id }, 'webhook ended with its registration');
  }
}
