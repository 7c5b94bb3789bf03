import { z } from 'zod';
import type { JsonObject } from '../../../platform/json-object.ts';
import { METRICS } from '../../../sales/delivery/metrics.ts';

/** `reporting_webhook`, as far as it is read here; that it fits is for the task to judge. */
export const AdcpReportingWebhook = z.looseObject({
  requested_metrics: z.array(z.string().max(64)).max(100).optional(),
});
export type AdcpReportingWebhook = z.infer<typeof AdcpReportingWebhook>;

/** What every report of the public protocol holds. */
const ALWAYS_TOLD = ['impressions', 'spend'];

/** Where reports go, in our own words: of the metrics asked for, those that are measured here. Pure. */
export function reportingAsked(webhook: AdcpReportingWebhook): JsonObject {
  const { url, operation_id, reporting_frequency, requested_metrics: asked = [], authentication, token } = webhook;
  const wanted = asked.length === 0 ? [] : METRICS.filter((name) => ALWAYS_TOLD.includes(name) || asked.includes(name));
  return present({
    ...{ url, operation_id, reporting_frequency, authentication, token },
    ...(wanted.length > 0 && { requested_metrics: wanted }),
  });
}

/** A task's own webhook, in our own words; the id that its events repeat is made where the caller has none (rule D5.operation). Pure. */
export function pushAsked(config: JsonObject, newId: () => string): JsonObject {
  const { url, operation_id, authentication, token } = config;
  return present({ url, operation_id: operation_id ?? newId(), authentication, token });
}

function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
