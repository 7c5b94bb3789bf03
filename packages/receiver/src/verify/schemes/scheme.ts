import type { HeaderReader, ReceivedRequest } from '../../wire/received-request.ts';
import type { WebhookNames } from '../../wire/webhook-names.ts';
import type { Refusal } from '../refusal.ts';
import type { RegistrationOf, WebhookMode } from '../registration.ts';
import type { Verified, VerifyRules } from '../verify-rules.ts';

/** What a receiver does for webhooks of one mode. */
export interface ReceiverScheme<Mode extends WebhookMode> {
  /** Whether it is deprecated, as the sender's half says too. */
  legacy: boolean;
  /** Whether the headers show a proof of this scheme, good or bad. */
  isShown(header: HeaderReader, names: WebhookNames): boolean;
  /** Whether its headers say nothing beside those of another scheme, since a gateway may have added them. */
  yields: boolean;
  /** The secret, or several, that a registration agreed on; null for a scheme of published keys. */
  secretOf(registration: RegistrationOf<Mode>): string | readonly string[] | null;
  /** Verifies what has passed the checks of content type, size and mode. May throw when something is not to be had. */
  verify(request: ReceivedRequest, registration: RegistrationOf<Mode>, rules: VerifyRules): Promise<Verified | Refusal>;
}
