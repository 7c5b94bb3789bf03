import type { ProtocolNames } from '../../platform/protocol-name.ts';
import { bearerTokenOf } from '../signing/bearer.ts';
import type { HeaderReader } from './received-request.ts';

/** How the webhooks of one registration are authenticated: `rfc9421` unless it carried a legacy `authentication` block. */
export type WebhookMode = 'rfc9421' | 'hmac-sha256' | 'bearer';

/**
 * Whether the headers show another mode than the registered one, so that nothing is tried that was not agreed
 * (rule W12). Both signatures at once never agree with any registration (rule W4). Headers that show no mode at all do
 * not disagree: the registered mode's own checks refuse them. A bearer token beside a signature says nothing: a gateway
 * may have added it.
 */
export function isModeMismatch(registered: WebhookMode, header: HeaderReader, names: ProtocolNames): boolean {
  const isSigned = header('signature-input') !== undefined || header('signature') !== undefined;
  const isHmac =
    header(names.hmacSignatureHeader.toLowerCase()) !== undefined ||
    header(names.hmacTimestampHeader.toLowerCase()) !== undefined;
  const isBearer = !isSigned && !isHmac && bearerTokenOf(header('authorization')) !== undefined;
  return (
    (registered !== 'rfc9421' && isSigned) ||
    (registered !== 'hmac-sha256' && isHmac) ||
    (registered !== 'bearer' && isBearer)
  );
}
