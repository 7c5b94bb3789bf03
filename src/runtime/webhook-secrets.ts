/** Where a request tells a webhook, whatever task it is of. */
const WEBHOOKS: ReadonlySet<string> = new Set(['push_notification_config', 'reporting_webhook']);

/** No request holds a webhook deeper than this. */
const DEEPEST = 10;

/** A request or message without the secrets of its webhooks: `token` and `authentication.credentials`. Pure. */
export function withoutWebhookSecrets(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutWebhookSecrets(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      WEBHOOKS.has(name) ? withoutSecrets(inner) : withoutWebhookSecrets(inner, depth + 1),
    ]),
  );
}

function withoutSecrets(webhook: unknown): unknown {
  if (typeof webhook !== 'object' || webhook === null) return webhook;
  const { token: _token, authentication, ...config } = webhook as Record<string, unknown>;
  if (typeof authentication !== 'object' || authentication === null) return config;
  const { credentials: _credentials, ...scheme } = authentication as Record<string, unknown>;
  return { ...config, authentication: scheme };
}
