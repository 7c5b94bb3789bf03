import type { Request } from 'express';
import { AppError } from '../platform/errors.ts';
import { HTTP_STATUS } from '../platform/http-status.ts';

/** What a browser brings back from a sign-in elsewhere, and what can have gone wrong with it. */

type Fields = Partial<Record<'state' | 'code' | 'iss' | 'error', string>>;

/** What the provider sent along; what came twice, or is too long to be one, is none. */
export function fieldsOf({ query }: Request): Fields {
  const fields: Fields = {};
  for (const name of ['state', 'code', 'iss', 'error'] as const) {
    const value = query[name];
    if (typeof value === 'string' && value !== '' && value.length <= 4096) fields[name] = value;
  }
  return fields;
}

/** A code of RFC 6749 or OpenID Connect, and no other words of a stranger. */
export function errorOfProvider(error: string | undefined): string {
  return CODES.find((code) => code === error) ?? 'nothing that is known';
}

const CODES = [
  ...['access_denied', 'login_required', 'consent_required', 'interaction_required', 'account_selection_required'],
  ...['invalid_request', 'invalid_scope', 'unauthorized_client', 'unsupported_response_type', 'server_error'],
  'temporarily_unavailable',
];

/** Undefined for what says that the provider is away. @throws whatever else it is. */
export function unavailable(error: unknown): undefined {
  if (error instanceof AppError && HTTP_STATUS[error.code] === 503) return undefined;
  throw error;
}

/** How long to wait, for a refusal by a budget. @throws whatever is none. */
export function waitOfRefusal(error: unknown): { waitSeconds: number } {
  if (error instanceof AppError) return { waitSeconds: error.details.retry_after ?? 1 };
  throw error;
}
