import { invalidRequest } from '../../platform/errors.ts';
import type { WebhookMode } from '../../runtime/webhook-modes.ts';
import { strongestNamed } from './named-schemes.ts';
import type { SchemePolicy } from './scheme.ts';

/** What an `authentication` block asks for, of any channel. */
export interface AskedAuthentication {
  schemes: readonly string[];
  credentials: string | undefined;
}

/** The scheme that a block selects, and the credentials it is to prove with. */
export interface AskedScheme {
  mode: WebhookMode;
  /** As the buyer spelled it. */
  scheme: string;
  credentials: string;
}

/**
 * The strongest scheme that a block names, with its credentials checked (rule W4).
 * @throws {AppError} `INVALID_REQUEST` naming `field.schemes` or `field.credentials`; never with the credentials.
 */
export function askedScheme(asked: AskedAuthentication, field: string, policy: SchemePolicy): AskedScheme {
  const named = strongestNamed(asked.schemes);
  if (named === undefined) {
    throw invalidRequest(`${field}.schemes`, 'send HMAC-SHA256, or leave authentication out for signed webhooks');
  }
  const { mode, scheme, spelling } = named;
  const unavailable = scheme.unavailable(policy);
  if (unavailable !== undefined) throw invalidRequest(`${field}.schemes`, unavailable);
  const { credentials = '' } = asked;
  const fault = scheme.credentialsFault(credentials);
  if (fault !== undefined) throw invalidRequest(`${field}.credentials`, fault);
  return { mode, scheme: spelling, credentials };
}
