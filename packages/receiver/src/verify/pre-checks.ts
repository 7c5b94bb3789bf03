import type { HeaderReader } from '../wire/received-request.ts';
import type { WebhookNames } from '../wire/webhook-names.ts';
import { isModeMismatch } from './mode.ts';
import { refusal } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { WebhookMode } from './registration.ts';

/** The largest body taken (rule C.errors.too-large: 1 MB). */
export const MAX_BODY_BYTES = 1_048_576;

/** What is looked at before any signature (rule W12): content type, size, mode; in this order. */
export function preCheck(
  header: HeaderReader,
  bodyBytes: number,
  mode: WebhookMode,
  names: WebhookNames,
): Refusal | undefined {
  if (!isJson(header)) return refusal('webhook_content_type_unsupported');
  if (bodyBytes > MAX_BODY_BYTES) return refusal('webhook_body_too_large');
  if (isModeMismatch(mode, header, names)) return refusal('webhook_mode_mismatch', `registered for ${mode}`);
  return undefined;
}

/** `application/json`, in UTF-8 if it says so, and not compressed: what is signed is the bytes of the envelope. */
export function isJson(header: HeaderReader): boolean {
  const contentType = (header('content-type') ?? '').toLowerCase();
  const encoding = (header('content-encoding') ?? 'identity').toLowerCase();
  const [type, ...params] = contentType.split(';').map((part) => part.trim());
  const isUtf8 = params.every((param) => !param.startsWith('charset=') || /^charset="?utf-8"?$/.test(param));
  return type === 'application/json' && isUtf8 && !contentType.includes(',') && encoding === 'identity';
}
