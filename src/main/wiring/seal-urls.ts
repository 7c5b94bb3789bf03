import { isUrlOpen, storedUrl } from '../../platform/crypto/sealed-url.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import type { Row } from '../../platform/store/collection.ts';
import { withoutWebhookSecrets } from '../../runtime/webhook-secrets.ts';

/** Where webhooks' URLs stand in the rows of 0.1.0, unsealed; `*` is every item of a list. */
const WEBHOOK_URLS: Readonly<Partial<Record<string, readonly string[]>>> = {
  task_runs: [
    'registrations.*.url',
    'endings.*.registration.url',
    'input.reporting_webhook.url',
    'input.updates.reporting_webhook.url',
    'input.updates.push_notification_config.url',
  ],
  deliveries: ['url'],
  media_buys: [
    'reporting.push.registration.url',
    'reporting.reporting.registration.url',
    'reporting.unsent.*.news.registration.url',
  ],
  buy_schedules: ['push.registration.url', 'reporting.registration.url', 'unsent.*.news.registration.url'],
};

/** What stands there to be shown, with queries of webhooks' URLs in it. */
const SHOWN: Readonly<Partial<Record<string, readonly string[]>>> = {
  task_runs: ['messages'],
  approvals: ['request'],
};

/** A row with the queries of its webhooks' URLs sealed; the very same object when nothing in it is open. Pure but for chance. */
export function sealedUrls<R extends Row>(sealer: Sealer, collection: string, row: R): R {
  const sealed = (value: unknown) => (typeof value === 'string' && isUrlOpen(value) ? storedUrl(sealer, value) : value);
  const changes = [
    ...(WEBHOOK_URLS[collection] ?? []).map((path) => ({ path, change: sealed })),
    ...(SHOWN[collection] ?? []).map((path) => ({ path, change: withoutWebhookSecrets })),
  ];
  return changes.reduce<unknown>((value, { path, change }) => changedAt(value, path.split('.'), change), row) as R;
}

function changedAt(value: unknown, [name, ...rest]: readonly string[], change: (value: unknown) => unknown): unknown {
  if (name === undefined) return change(value);
  if (Array.isArray(value)) {
    const items = name === '*' ? value.map((item) => changedAt(item, rest, change)) : value;
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value;
  const before = (value as Readonly<Record<string, unknown>>)[name];
  const after = changedAt(before, rest, change);
  return after === before ? value : { ...value, [name]: after };
}
