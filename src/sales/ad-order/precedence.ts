import { toTimestamp } from '../../platform/clock.ts';
import type { AdServerHealth } from './breaker.ts';
import { IN_HAND_MS } from './courier-dependencies.ts';
import type { CourierDependencies } from './courier-dependencies.ts';

/** More than that before an order is enough to know that it waits. */
const BATCH = 200;

/**
 * Whether an order of this urgency has others before it: after an outage, all that waited and is more urgent is told first, whoever
 * tells it. What was opened later keeps nobody waiting, nor what the ad server has taken and not decided, so that there is an end
 * to it. An order that failed again, and is due only after its time in hand, is not waited for either.
 * @param health The ad server's, read a moment ago.
 */
export async function mustLetPass(
  { mediaBuys, adOrders, clock }: Pick<CourierDependencies, 'mediaBuys' | 'adOrders' | 'clock'>,
  urgency: number,
  health: AdServerHealth | undefined,
): Promise<boolean> {
  if (urgency === 0 || health === undefined) return false;
  const order_due_at = { gt: '', lte: toTimestamp(clock.now() + IN_HAND_MS) };
  for (let order_urgency = 0; order_urgency < urgency; order_urgency++) {
    const { rows } = await mediaBuys.find({ where: { order_urgency, order_due_at }, limit: BATCH });
    // While it is away, all that is opened is from before it answers again, which may be just now.
    const before =
      health.state === 'open'
        ? rows
        : rows.filter((buy) => ((buy.stop ?? buy.open_change)?.opened_at ?? '') <= health.since);
    if (before.length === 0) continue;
    const known = await adOrders.getMany(
      before.map(({ media_buy_id }) => media_buy_id),
      { skipUnreadable: true },
    );
    if (known.filter(({ last_fault }) => last_fault?.kind === 'pending').length < before.length) return true;
  }
  return false;
}
