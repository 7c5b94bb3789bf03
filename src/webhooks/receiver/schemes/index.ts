import type { WebhookMode } from '../registration.ts';
import { bearer } from './bearer.ts';
import { hmacSha256 } from './hmac-sha256.ts';
import { rfc9421 } from './rfc9421.ts';
import type { ReceiverScheme } from './scheme.ts';

/** Every mode's scheme, as the receiver has it. The sender's half is `src/webhooks/schemes`. */
export const RECEIVER_SCHEMES: Readonly<{ [Mode in WebhookMode]: ReceiverScheme<Mode> }> = {
  rfc9421,
  'hmac-sha256': hmacSha256,
  bearer,
};
