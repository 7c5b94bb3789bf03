import type { ProtocolNames } from '../../../platform/protocol-name.ts';
import type { Refusal } from '../codes.ts';
import type { HeaderReader, ReceivedRequest } from '../received-request.ts';
import type { RegistrationOf, WebhookMode } from '../registration.ts';
import type { Authenticated, VerifyRules } from '../verify-rules.ts';

/** What a receiver does for webhooks of one mode. */
export interface ReceiverScheme<Mode extends WebhookMode> {
  /** Whether it is deprecated, as the sender's half says too. */
  legacy: boolean;
  /** Whether the headers show a proof of this scheme, good or bad. */
  isShown(header: HeaderReader, names: ProtocolNames): boolean;
  /** Whether its headers say nothing beside those of another scheme, since a gateway may have added them. */
  yields: boolean;
  /** Verifies what has passed the checks of content type, size and mode. May throw when something is not to be had. */
  verify(
    request: ReceivedRequest,
    registration: RegistrationOf<Mode>,
    rules: VerifyRules,
  ): Authenticated | Refusal | Promise<Authenticated | Refusal>;
}
