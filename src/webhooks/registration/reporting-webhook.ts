import { z } from 'zod';
import { GRANULARITIES } from '../../sales/delivery/granularity.ts';
import { METRICS } from '../../sales/delivery/metrics.ts';
import { MAX_SECRET, MAX_WEBHOOK_URL, WebhookAuthentication } from './push-notification-config.ts';

/** `reporting_webhook` of a media buy: where, how often and of what its delivery is reported (rule W10). */
export const ReportingWebhook = z.strictObject({
  url: z.string().min(1).max(MAX_WEBHOOK_URL).describe("The buyer's webhook URL; https."),
  operation_id: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe('Echoed in every report; delivery_report_{media_buy_id} when it is left out.'),
  reporting_frequency: z.enum(GRANULARITIES).describe('Periods of UTC; each is reported when it is over.'),
  requested_metrics: z
    .array(z.enum(METRICS))
    .min(1, 'name at least one metric, or leave it out')
    .max(METRICS.length, 'name each metric once')
    .optional()
    .describe('Only these are reported; impressions, spend and clicks when it is left out.'),
  authentication: WebhookAuthentication.optional(),
  token: z.string().min(1).max(MAX_SECRET).optional().describe('Echoed in every report as it is.'),
});
export type ReportingWebhook = z.infer<typeof ReportingWebhook>;
