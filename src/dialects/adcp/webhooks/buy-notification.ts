import type { JsonObject } from '../../../platform/json-object.ts';
import type { Registration } from '../../../runtime/registration.ts';
import type { ImpairmentView } from '../../../sales/impairment/impairment-view.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import type { Notification } from '../../../webhooks/delivery/notification.ts';
import { publicImpairments } from '../get-media-buys/impairments.ts';
import { packagePrice } from '../media-buys/package-price.ts';
import { isBookedInSandbox } from '../sandbox.ts';
import type { SandboxSources } from '../sandbox.ts';
import { publicBuyStatus } from '../statuses.ts';

/**
 * Puts a delivery report or an impairment into the dialect of whoever registered for it; nothing where that has no word for it: 3.0 knows
 * no impairments, and later releases tell those of creatives and properties. A report says of a sandbox account's buy that it is one.
 */
export function buyNotifier(
  sources: SandboxSources,
): (notification: Notification, buy: MediaBuy) => Promise<Notification | undefined> {
  return async (notification, buy) => {
    const { event, registration, result } = notification;
    if (registration.dialect === undefined) return notification;
    const told =
      event === 'impairment'
        ? impairmentOf(registration, result)
        : reportOf(result, buy, await isBookedInSandbox(sources, buy));
    // The only task that the protocol names for news of a media buy.
    return told && { ...notification, task_type: 'media_buy_delivery', result: told };
  };
}

function reportOf(report: JsonObject, buy: MediaBuy, isSandbox: boolean): JsonObject {
  const rows = report['media_buy_deliveries'] as Row[];
  const standing = publicBuyStatus(buy, () => false);
  const media_buy_deliveries = rows.map(({ media_buy_id, status, totals, by_package }) => ({
    media_buy_id,
    status: status === 'reporting_delayed' ? status : standing,
    totals,
    by_package: by_package.map(({ buyer_ref: _ref, ...row }) => ({ ...row, ...packagePrice(buy, row.package_id) })),
    is_adjusted: report['notification_type'] === 'adjusted',
  }));
  return { ...report, ...(isSandbox && { sandbox: true }), media_buy_deliveries };
}

interface Row {
  media_buy_id: string;
  status: string;
  totals: JsonObject;
  by_package: (JsonObject & { package_id: string; buyer_ref?: string })[];
}

function impairmentOf({ dialect }: Registration, result: JsonObject): JsonObject | undefined {
  if (dialect === 'adcp/3.0') return undefined;
  const { buyer_ref: _ref, impairment, impairments, ...told } = result as unknown as Impaired;
  const [shown] = publicImpairments([impairment]);
  return shown && { ...told, impairment: shown, impairments: publicImpairments(impairments) };
}

interface Impaired {
  buyer_ref: string;
  impairment: ImpairmentView;
  impairments: ImpairmentView[];
  [member: string]: unknown;
}
