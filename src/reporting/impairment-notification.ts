import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import type { Collection } from '../platform/store/collection.ts';
import { kept } from '../runtime/context-text.ts';
import { impairedName, viewImpairment } from '../sales/impairment/impairment-view.ts';
import type { HealthView } from '../sales/impairment/impairment-view.ts';
import type { Impairment } from '../sales/impairment/impairment.ts';
import type { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import type { Notification } from '../webhooks/delivery/notification.ts';
import type { BuyChannel } from './schedule.ts';

/** The impairments of a buy whose newest state the buyer has not been told, the oldest first. */
export async function untoldImpairments(
  impairments: Collection<Impairment>,
  media_buy_id: MediaBuyId,
): Promise<Impairment[]> {
  const { rows } = await impairments.find({ where: { media_buy_id, untold_since: { gt: '' } }, limit: 1000 });
  return rows.sort((a, b) => (a.untold_since ?? '').localeCompare(b.untold_since ?? ''));
}

/**
 * Which of a buy's untold impairments are to be told now (rules C.events.6, W9): latency-sensitive ones at
 * once; the general ones together, when the oldest has waited for the window, or when the clock was set back. Pure.
 */
export function dueImpairments(untold: readonly Impairment[], nowMs: number, windowMs: number): Impairment[] {
  const isGeneral = ({ latency_class }: Impairment) => latency_class === 'general';
  const isOver = ({ untold_since }: Impairment) => {
    const waitedMs = nowMs - fromTimestamp(untold_since ?? '');
    return waitedMs >= windowMs || waitedMs < 0;
  };
  const isWindowOver = untold.some((impairment) => isGeneral(impairment) && isOver(impairment));
  return untold.filter((impairment) => isWindowOver || !isGeneral(impairment));
}

/**
 * The notification of one impairment's newest state: raised, changed or cleared. The same `notification_id` for as long as it
 * lasts (rule C.events.4). Pure.
 */
export function impairmentNotification(
  buy: MediaBuy,
  channel: BuyChannel,
  given: { impairment: Impairment; health: HealthView; nowMs: number; idempotency_key: string },
): Notification {
  const { registration } = channel;
  const { impairment, health, nowMs, idempotency_key } = given;
  const { impairment_id, revision, told_at, resource_type, cleared_at } = impairment;
  const { media_buy_id, buyer_ref, organization_id, status } = buy;
  const earliestMs = told_at === undefined ? nowMs : fromTimestamp(told_at) + 1;
  const state = impairment.open ? 'open' : 'resolved';
  return {
    organization_id,
    subject_id: media_buy_id,
    task_id: impairment_id,
    task_type: 'media_buy_impairment',
    sequence: revision,
    event: 'impairment',
    idempotency_key,
    notification_id: impairment_id,
    operation_id: registration.operation_id ?? `impairment_${media_buy_id}`,
    timestamp: toTimestamp(Math.max(nowMs, earliestMs)),
    message: `${resource_type} ${impairedName(impairment)} ${impairment.open ? 'impairs' : 'no longer impairs'} media buy ${media_buy_id}`,
    result: {
      notification_type: 'impairment',
      media_buy_id,
      buyer_ref,
      status,
      impairment: { ...viewImpairment(impairment), state, ...(cleared_at !== null && { cleared_at }) },
      ...health,
    },
    ...kept(channel),
    registration,
  };
}
