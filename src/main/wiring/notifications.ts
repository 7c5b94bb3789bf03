import { buyNotifier } from '../../dialects/adcp/webhooks/buy-notification.ts';
import { endChannel } from '../../reporting/end-channel.ts';
import { endGoneWatch } from '../../registry/publisher-webhooks/look.ts';
import { createReporting } from '../../reporting/reporting.ts';
import type { Reporting } from '../../reporting/reporting.ts';
import { buySchedules } from '../../reporting/schedule.ts';
import { AppError } from '../../platform/errors.ts';
import { subjectOf } from '../../tasks/subject-of.ts';
import { createAccountWebhooks } from '../../webhooks/subscription/subscriptions.ts';
import type { AccountWebhooks } from '../../webhooks/subscription/subscriptions.ts';
import { createWebhooks } from '../../webhooks/webhooks.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import type { Sales } from './sales.ts';
import { allowedPlaces } from '../../platform/outbound/allowed-places.ts';
import { checkWebhookUrl } from '../../webhooks/registration/webhook-target.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/config-shape.ts';
import { readKeySetOptions } from '../config/signing-keys.ts';
import type { Infrastructure } from './infrastructure.ts';

/** What buyers are told: of tasks by webhooks, of buys by reports, of accounts by who subscribed. */
export interface Notifications {
  webhooks: Webhooks;
  reporting: Reporting;
  accountWebhooks: AccountWebhooks;
}

export async function composeNotifications(infrastructure: Infrastructure, sales: Sales): Promise<Notifications> {
  const {
    config,
    baseUrl,
    catalog,
    store,
    queues,
    gate,
    outbound,
    operatorOutbound,
    clock,
    ids,
    log,
    names,
    sealer,
    suspensions,
  } = infrastructure;
  const schedules = buySchedules({ store, clock });
  const webhooks: Webhooks = createWebhooks({
    ...{ store, queues, gate, outbound, operatorOutbound, clock, ids, log, names, sealer, suspensions },
    counters: infrastructure.metrics,
    maxUnproven: infrastructure.budgets.size('unproven_destinations'),
    operatorUrl: operatorUrl(config),
    keyOptions: await readKeySetOptions(config.signing),
    identity: { publicBaseUrl: baseUrl, name: catalog.publisher.name },
    allowLoopback: config.allowLoopback,
    places: allowedPlaces(config.outboundAllow),
    allowLegacyBearer: config.allowLegacyBearer,
    keepsAnswers: config.keepsReceiverAnswers,
    subjectOf,
    async onGone(delivery) {
      await endChannel({ schedules, clock, sealer }, delivery);
      await accountWebhooks.endGone(delivery);
      await endGoneWatch({ store, clock, webhooks }, delivery);
    },
  });
  const accountWebhooks = createAccountWebhooks({ ...sales, webhooks, sealer, clock, ids, log });
  const impairmentWindowMs = config.impairmentWindowSeconds * 1000;
  return {
    webhooks,
    accountWebhooks,
    reporting: createReporting({
      ...{ ...sales, schedules, webhooks, clock, ids, log, impairmentWindowMs },
      inDialect: buyNotifier(sales),
    }),
  };
}

/** Where the operator's own webhooks go: any address (rule S4.operator-addresses). @throws {ConfigError} for a URL that is none. */
function operatorUrl({ operatorWebhookUrl: url }: Config): string | undefined {
  if (url === undefined) return undefined;
  try {
    checkWebhookUrl(url, 'OPERATOR_WEBHOOK_URL', { allowLoopback: true, trustsUrls: true });
  } catch (error) {
    if (error instanceof AppError) throw new ConfigError([error.message]);
    throw error;
  }
  return url;
}
