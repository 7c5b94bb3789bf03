import { toTimestamp } from '../platform/clock.ts';
import { kept } from '../runtime/context-text.ts';
import type { Step } from '../sales/delivery/granularity.ts';
import { USUAL_METRICS } from '../sales/delivery/metrics.ts';
import type { Metric } from '../sales/delivery/metrics.ts';
import type { Fact } from '../sales/delivery/read-delivery.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import { deliveryRow } from '../tasks/get-media-buy-delivery/row.ts';
import type { Delivered } from '../tasks/get-media-buy-delivery/schema.ts';
import type { Notification } from '../webhooks/delivery/notification.ts';
import type { ReportingChannel } from './schedule.ts';

/** The kinds of delivery reports (rule W10). */
export type ReportType = 'scheduled' | 'delayed' | 'adjusted' | 'final';

export interface ReportFacts {
  type: ReportType;
  /** From 1, without gaps. */
  sequence: number;
  period: Step;
  /** Of the period, in the order of time. */
  facts: readonly Fact[];
  /** When the next report can be expected, by the wall clock; absent when there is none after this. */
  nextExpectedMs: number | undefined;
  /** Now, by the wall clock. */
  nowMs: number;
  idempotency_key: string;
}

/**
 * A delivery report (rules C.resources.envelope, W10): the figures that `get_media_buy_delivery` answers for the
 * period, of the metrics asked for, and never `aggregated_totals`. A delayed one tells what is known so far. Pure.
 */
export function reportNotification(buy: MediaBuy, channel: ReportingChannel, given: ReportFacts): Notification {
  const { type, sequence, period, facts, nextExpectedMs, nowMs, idempotency_key } = given;
  const { media_buy_id, buyer_ref, organization_id, currency } = buy;
  const { registration, requested_metrics: metrics = USUAL_METRICS } = channel;
  const isDelayed = type === 'delayed';
  const { row } = deliveryRow(buy, { range: period, granularity: 'monthly', facts, corrections: [], isDelayed });
  return {
    organization_id,
    subject_id: media_buy_id,
    task_id: `delivery_report_${media_buy_id}_${sequence}`,
    task_type: 'media_buy_delivery',
    sequence,
    event: type,
    idempotency_key,
    operation_id: registration.operation_id ?? `delivery_report_${media_buy_id}`,
    timestamp: toTimestamp(nowMs),
    message: `${type} delivery report ${sequence} of media buy ${media_buy_id}`,
    result: {
      notification_type: type,
      sequence_number: sequence,
      ...(nextExpectedMs !== undefined && { next_expected_at: toTimestamp(nextExpectedMs) }),
      reporting_period: row.date_range,
      currency,
      media_buy_deliveries: [
        {
          media_buy_id,
          buyer_ref,
          status: row.status,
          totals: only(metrics, row.delivery),
          by_package: row.by_package.map(({ package_id, buyer_ref: package_ref, ...delivered }) => ({
            package_id,
            ...(package_ref !== undefined && { buyer_ref: package_ref }),
            ...only(metrics, delivered),
          })),
        },
      ],
    },
    ...kept(channel),
    registration,
  };
}

/** The metrics asked for; `ctr` and `cpm` are absent without impressions. */
function only(metrics: readonly Metric[], delivered: Delivered): Partial<Delivered> {
  return Object.fromEntries(
    metrics.flatMap((name) => (delivered[name] === undefined ? [] : [[name, delivered[name]]])),
  );
}
