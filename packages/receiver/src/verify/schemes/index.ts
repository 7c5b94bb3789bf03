import type { WebhookMode } from '../registration.ts';
import { bearer } from './bearer.ts';
import { hmacSha256 } from './hmac-sha256.ts';
import { rfc9421 } from './rfc9421.ts';
import type { ReceiverScheme } from './scheme.ts';

const schemes = {
  rfc9421,
  'hmac-sha256': hmacSha256,
  bearer,
} as const satisfies { [Mode in WebhookMode]: ReceiverScheme<Mode> };

/** Every mode's scheme, as the receiver has it. */
export const RECEIVER_SCHEMES: Readonly<{ [Mode in WebhookMode]: ReceiverScheme<Mode> }> = schemes;

/** The modes that are deprecated, as their schemes say. */
export type LegacyMode = {
  [Mode in WebhookMode]: (typeof schemes)[Mode]['legacy'] extends true ? Mode : never;
}[WebhookMode];
