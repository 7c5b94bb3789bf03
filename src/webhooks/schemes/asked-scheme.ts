import { invalidRequest } from '../../platform/errors.ts';
import type { WebhookMode } from '../../runtime/webhook-modes.ts';
import { advertisedSchemes, strongestNamed } from './named-schemes.ts';
import type { Scheme, SchemePolicy } from './scheme.ts';

/** What an `authentication` block asks for, of any channel. */
export interface AskedAuthentication {
  schemes: readonly string[];
  credentials: string | undefined;
}

/** The scheme that a block selects, and the credentials it is to prove with, where it proves with such. */
export interface AskedScheme {
  mode: WebhookMode;
  /** As the buyer spelled it. */
  scheme: string;
  credentials?: string;
}

/**
 * The strongest scheme that a block names, with its credentials checked (rule W4).
 * @throws {AppError} `INVALID_REQUEST` naming `field.schemes` or `field.credentials`; never with the credentials.
 */
export function askedScheme(asked: AskedAuthentication, field: string, policy: SchemePolicy): AskedScheme {
  const named = strongestNamed(asked.schemes);
  if (named === undefined) {
    const known = advertisedSchemes(policy).join(' or ');
    const choice = known === '' ? 'leave' : `send ${known}, or leave`;
    throw invalidRequest(`${field}.schemes`, `${choice} authentication out for signed webhooks`);
  }
  const { mode, scheme, spelling } = named;
  const unavailable = scheme.unavailable(policy);
  if (unavailable !== undefined) throw invalidRequest(`${field}.schemes`, unavailable);
  return { mode, scheme: spelling, ...credentialsFor(scheme, asked.credentials, `${field}.credentials`) };
}

/**
 * The credentials that a scheme is to prove with: the asked ones, or none where it needs none.
 * @throws {AppError} `INVALID_REQUEST` at `field`, without the credentials.
 */
export function credentialsFor(
  scheme: Scheme,
  credentials: string | undefined,
  field: string,
): Pick<AskedScheme, 'credentials'> {
  switch (scheme.secret) {
    case 'signing-key':
      if (credentials === undefined) return {};
      throw invalidRequest(field, "leave credentials out: this scheme proves with the agent's own key");
    case 'credentials': {
      const fault = scheme.credentialsFault(credentials ?? '');
      if (fault !== undefined) throw invalidRequest(field, fault);
      return credentials === undefined ? {} : { credentials };
    }
  }
}
