import { AppError } from '../platform/errors.ts';
import type { Registration } from '../runtime/registration.ts';

/** How a webhook proves where it comes from. */
export type WebhookMode = Registration['mode'];

/** What a legacy `authentication` block asks for, of any channel. */
export interface LegacyAuthentication {
  schemes: readonly string[];
  credentials: string | undefined;
}

export interface LegacyPolicy {
  /** Whether the callbacks tell of something that changes what the buyer has. */
  mutates: boolean;
  /** `ALLOW_LEGACY_BEARER`. */
  allowLegacyBearer: boolean;
}

/**
 * The mode that a legacy block selects, HMAC before Bearer since it protects the body (rules C.webhook.hmac,
 * C.webhook.bearer, W4).
 * @throws {AppError} `INVALID_REQUEST` naming `field.schemes` or `field.credentials`; never with the credentials.
 */
export function legacyMode(
  asked: LegacyAuthentication,
  field: string,
  policy: LegacyPolicy,
): { mode: WebhookMode; scheme: string; credentials: string } {
  const named = (name: string) => asked.schemes.find((scheme) => scheme.toLowerCase() === name);
  const hmac = named('hmac-sha256');
  const bearer = named('bearer');
  const scheme = hmac ?? bearer;
  if (scheme === undefined) {
    throw refusal(`${field}.schemes`, 'send HMAC-SHA256, or leave authentication out for signed webhooks');
  }
  if (hmac === undefined && policy.mutates && !policy.allowLegacyBearer) {
    throw refusal(
      `${field}.schemes`,
      'a bearer token does not protect what the webhook says, so this task refuses it; leave authentication out for signed webhooks',
    );
  }
  const { credentials } = asked;
  if (credentials === undefined || credentials.length < SHORTEST_CREDENTIALS) {
    throw refusal(`${field}.credentials`, `send at least ${SHORTEST_CREDENTIALS} characters`);
  }
  if (/^(.)\1*$/s.test(credentials)) {
    throw refusal(`${field}.credentials`, 'one repeated character is no secret; send random characters');
  }
  if (hmac === undefined && !/^[!-~]+$/.test(credentials)) {
    throw refusal(`${field}.credentials`, 'a bearer token is visible ASCII without spaces');
  }
  return { mode: hmac === undefined ? 'bearer' : 'hmac-sha256', scheme, credentials };
}

const SHORTEST_CREDENTIALS = 32;

function refusal(field: string, message: string): AppError {
  return new AppError('INVALID_REQUEST', `${field}: ${message}`, { field });
}
