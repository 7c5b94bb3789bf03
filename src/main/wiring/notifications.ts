import { endChannel } from '../../reporting/end-channel.ts';
import { createReporting } from '../../reporting/reporting.ts';
import type { Reporting } from '../../reporting/reporting.ts';
import { BuySchedules } from '../../reporting/schedule.ts';
import { subjectOf } from '../../tasks/subject-of.ts';
import { createWebhooks } from '../../webhooks/webhooks.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import type { Sales } from './sales.ts';
import { readKeySetOptions } from '../config/signing-keys.ts';
import type { Infrastructure } from './infrastructure.ts';

/** What buyers are told: of tasks by webhooks, of buys by reports. */
export interface Notifications {
  webhooks: Webhooks;
  reporting: Reporting;
}

export async function composeNotifications(infrastructure: Infrastructure, sales: Sales): Promise<Notifications> {
  const { config, baseUrl, catalog, store, queues, gate, outbound, clock, ids, log, names, sealer } = infrastructure;
  const schedules = store.collection(BuySchedules);
  const webhooks = createWebhooks({
    ...{ store, queues, gate, outbound, clock, ids, log, names, sealer },
    keyOptions: await readKeySetOptions(config.signing),
    identity: { publicBaseUrl: baseUrl, name: catalog.publisher.name },
    allowLoopback: config.allowLoopback,
    allowLegacyBearer: config.allowLegacyBearer,
    subjectOf,
    onGone: (delivery) => endChannel({ schedules, clock }, delivery),
  });
  const impairmentWindowMs = config.impairmentWindowSeconds * 1000;
  return {
    webhooks,
    reporting: createReporting({ ...sales, schedules, webhooks, clock, ids, log, impairmentWindowMs }),
  };
}
