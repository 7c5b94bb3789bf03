/** Where a request tells a webhook, whatever task it is of. */
const WEBHOOKS: ReadonlySet<string> = new Set(['push_notification_config', 'reporting_webhook']);

/** No request holds a webhook deeper than this. */
const DEEPEST = 10;

/**
 * A request or message without the secrets of its webhooks: `token` and `authentication.credentials`. Pure; what holds none is
 * answered as it is, uncopied.
 */
export function withoutWebhookSecrets(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutWebhookSecrets(item, depth + 1));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  const object = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(object);
  const members = names.map((name) =>
    WEBHOOKS.has(name) ? withoutSecrets(object[name]) : withoutWebhookSecrets(object[name], depth + 1),
  );
  const isChanged = names.some((name, i) => members[i] !== object[name]);
  return isChanged ? Object.fromEntries(names.map((name, i) => [name, members[i]])) : value;
}

function withoutSecrets(webhook: unknown): unknown {
  if (typeof webhook !== 'object' || webhook === null) return webhook;
  const { token: _token, authentication, ...config } = webhook as Record<string, unknown>;
  if (typeof authentication !== 'object' || authentication === null) return config;
  const { credentials: _credentials, ...scheme } = authentication as Record<string, unknown>;
  return { ...config, authentication: scheme };
}
