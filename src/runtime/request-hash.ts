import { canonicalDigest } from '../platform/crypto/canonical-json.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { withoutWebhookCredentials } from './webhook-secrets.ts';

/**
 * What makes two requests the same (rule B7): SHA-256 over the RFC 8785 form of the request without its
 * `idempotency_key`, `context` and webhook credentials.
 */
export function requestHash(task_type: string, input: JsonObject): string {
  const { idempotency_key: _key, context: _context, ...request } = input;
  return canonicalDigest({ task_type, request: withoutWebhookCredentials(request) });
}
