import type { Dialect, Registration } from '../runtime/registration.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import type { BuyChannelConfig } from '../webhooks/registration/buy-channel.ts';
import type { PushNotificationConfig } from '../webhooks/registration/push-notification-config.ts';
import type { ReportingWebhook } from '../webhooks/registration/reporting-webhook.ts';

/** The webhooks of a media buy that a request sets; an absent one stays as it is. */
export interface AskedBuyWebhooks {
  push?: Registration | undefined;
  /** Sealed. */
  reporting_webhook?: ReportingWebhook | undefined;
  /** What its `reporting_webhook` is written in; absent: our own words. */
  dialect?: Dialect | undefined;
  /** What the request carried; echoed in every event of the webhooks it sets. */
  context?: unknown;
  /** The same as it was written (rule W19). */
  context_text?: string | undefined;
}

/**
 * The webhooks of media buys, which outlast the tasks that set them: `reporting_webhook` hears delivery reports,
 * `push_notification_config` of impairments. `reporting` implements it.
 */
export interface BuyWebhooks {
  /**
   * The same configuration, checked and with its secrets sealed.
   * @throws {AppError} `INVALID_REQUEST` or `ADDRESS_REFUSED` naming a part of `field`.
   */
  seal<C extends BuyChannelConfig>(config: C, field: string): C;
  /** A buy that is being made, with the webhooks that its request sets. Pure but for the time. */
  begin(buy: MediaBuy, asked: AskedBuyWebhooks): MediaBuy;
  /**
   * Sets webhooks of a buy by the request that made it, or brought it to `revision`, from the next fire on. May be
   * repeated at any time: what a later revision has set stays.
   */
  set(buy: MediaBuy, revision: number, asked: AskedBuyWebhooks): Promise<void>;
}

interface Sealable {
  push_notification_config?: PushNotificationConfig | undefined;
  reporting_webhook?: ReportingWebhook | undefined;
}

/** A request with these of its webhooks sealed. `at` begins their fields' paths. */
export function sealWebhooks<R extends Sealable>(
  webhooks: BuyWebhooks,
  request: R,
  names: readonly (keyof Sealable)[],
  at = '',
): R {
  const sealed: Partial<Record<keyof Sealable, BuyChannelConfig>> = {};
  for (const name of names) {
    const config = request[name];
    if (config !== undefined) sealed[name] = webhooks.seal(config, `${at}${name}`);
  }
  return { ...request, ...sealed };
}
