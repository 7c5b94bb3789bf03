/**
 * How a webhook proves where it comes from: the one list that everything else derives from, strongest first. Where a
 * buyer names several schemes, the first of them here is used. What each is stands in `src/webhooks/schemes`.
 */
export const WEBHOOK_MODES = ['rfc9421', 'hmac-sha256', 'bearer'] as const;
export type WebhookMode = (typeof WEBHOOK_MODES)[number];
