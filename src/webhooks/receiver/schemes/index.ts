import type { Refusal } from '../codes.ts';
import type { ReceivedRequest } from '../received-request.ts';
import type { RegistrationOf, WebhookMode } from '../registration.ts';
import type { Authenticated, VerifyRules } from '../verify-rules.ts';
import { bearer } from './bearer.ts';
import { hmacSha256 } from './hmac-sha256.ts';
import { rfc9421 } from './rfc9421.ts';
import type { ReceiverScheme } from './scheme.ts';

const schemes = {
  rfc9421,
  'hmac-sha256': hmacSha256,
  bearer,
} as const satisfies { [Mode in WebhookMode]: ReceiverScheme<Mode> };

/** Every mode's scheme, as the receiver has it. The sender's half is `src/webhooks/schemes`. */
export const RECEIVER_SCHEMES: Readonly<{ [Mode in WebhookMode]: ReceiverScheme<Mode> }> = schemes;

/** The modes that are deprecated, as their schemes say. */
export type LegacyMode = {
  [Mode in WebhookMode]: (typeof schemes)[Mode]['legacy'] extends true ? Mode : never;
}[WebhookMode];

/** The same schemes: those of the deprecated modes verify without anything that has to be waited for. */
export const LEGACY_SCHEMES: Readonly<{ [Mode in LegacyMode]: VerifiesAtOnce<Mode> }> = schemes;

interface VerifiesAtOnce<Mode extends WebhookMode> {
  verify(
    request: ReceivedRequest,
    registration: RegistrationOf<Mode>,
    rules: Pick<VerifyRules, 'names' | 'now'>,
  ): Authenticated | Refusal;
}
