import { createHash } from 'node:crypto';
import { canonicalJson } from '../platform/canonical-json.ts';
import type { JsonObject } from './content.ts';

/**
 * What makes two requests the same (decisions B7): SHA-256 over the RFC 8785 form of the request without its
 * `idempotency_key`, `context` and webhook credentials.
 */
export function requestHash(task_type: string, input: JsonObject): string {
  const { idempotency_key: _key, context: _context, ...request } = input;
  const told = Object.fromEntries(Object.entries(request).map(([name, value]) => [name, withoutSecrets(name, value)]));
  return createHash('sha256')
    .update(canonicalJson({ task_type, request: told }))
    .digest('hex');
}

function withoutSecrets(name: string, value: unknown): unknown {
  if (name !== 'push_notification_config' && name !== 'reporting_webhook') return value;
  if (typeof value !== 'object' || value === null) return value;
  const { token: _token, authentication, ...config } = value as JsonObject;
  if (typeof authentication !== 'object' || authentication === null) return config;
  const { credentials: _credentials, ...scheme } = authentication as JsonObject;
  return { ...config, authentication: scheme };
}
