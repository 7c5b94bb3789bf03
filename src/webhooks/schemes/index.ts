import type { WebhookMode } from '../../runtime/webhook-modes.ts';
import type { WebhookMode as ReceivedMode } from '#receiver/verify/registration';
import type { LegacyMode as ReceivedLegacyMode } from '#receiver/verify/schemes/index';
import { bearer } from './bearer.ts';
import { hmacSha256 } from './hmac-sha256.ts';
import { rfc9421 } from './rfc9421.ts';
import type { Scheme } from './scheme.ts';

/** Every mode's scheme, as the sender has it. The receiver's half is `packages/receiver/src/verify/schemes`. */
export const SCHEMES = {
  rfc9421,
  'hmac-sha256': hmacSha256,
  bearer,
} as const satisfies Record<WebhookMode, Scheme>;

/**
 * Compiles only where the receiver's kit knows the modes that are sent, all of them and no other.
 * @assertion
 */
export type ModesOfBothHalves = Same<WebhookMode, ReceivedMode>;

type Same<_Sent extends ReceivedMode, _Received extends WebhookMode> = WebhookMode;

/** The modes whose scheme says that it is deprecated. */
type LegacyMode = { [Mode in WebhookMode]: (typeof SCHEMES)[Mode]['legacy'] extends true ? Mode : never }[WebhookMode];

/**
 * Compiles only where both halves hold the same modes for deprecated.
 * @assertion
 */
export type LegacyOfBothHalves = SameLegacy<LegacyMode, ReceivedLegacyMode>;

type SameLegacy<_Sent extends ReceivedLegacyMode, _Received extends LegacyMode> = LegacyMode;
