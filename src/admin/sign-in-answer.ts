import type { Request } from 'express';
import type { SignInAsked } from '../directory/oauth/oidc-client.ts';
import type { Budgets } from '../platform/budget/budgets.ts';
import { addressKey } from '../platform/client-address.ts';
import { AppError } from '../platform/errors.ts';
import { HTTP_STATUS } from '../platform/http-status.ts';
import { noPendingCookie, STATE_FORM, takeSignIn } from './pending-sign-in.ts';
import type { PendingDeps, SignInTo } from './pending-sign-in.ts';

/** What a browser brings back from a sign-in elsewhere, and what can have gone wrong with it. */

type Fields = Partial<Record<'state' | 'code' | 'iss' | 'error', string>>;

/** What the provider sent along; what came twice, or is too long to be one, is none. */
function fieldsOf({ query }: Request): Fields {
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

/** A sign-in that came back to the browser that began it, and what it brought. */
export interface CameBack {
  asked: SignInAsked;
  answer: Omit<Fields, 'state'>;
  /** Counts as a failed sign-in until it is given back. */
  attempt: TakenBudget;
  /** By which it is under way no more. */
  cookie: string;
}

/** Why what came back is none of this browser's sign-ins, or may not be looked at now. */
export interface NotBack {
  status: 400 | 429;
  /** For the record. */
  reason: string;
  /** For the person. */
  words: string;
  headers: Record<string, string>;
  /** Of one that was looked at. */
  attempt?: TakenBudget;
}

type TakenBudget = Awaited<ReturnType<Budgets['take']>>;

const STALE =
  'This sign-in was begun in another browser, more than ten minutes ago, or has been used already. Begin again here.';

/** Takes what a browser brought back, once, and counts it. Nothing is stored for whoever has failed too often. */
export async function cameBack(
  to: SignInTo,
  { budgets, ...pending }: PendingDeps & { budgets: Budgets },
  request: Request,
): Promise<CameBack | { refused: NotBack }> {
  const stale = (reason: string) => ({ status: 400, reason, words: STALE, headers: {} }) as const;
  const { state, ...answer } = fieldsOf(request);
  if (state === undefined || !STATE_FORM.test(state)) return { refused: stale('no state') };
  // Before anything is stored: strangers come here at will.
  const attempt = await budgets.take('failed_sign_ins', addressKey(request.ip ?? '')).catch(waitOfRefusal);
  if ('waitSeconds' in attempt) {
    const minutes = Math.ceil(attempt.waitSeconds / 60);
    const words = `Too many sign-ins have failed. Try again in ${minutes} minutes.`;
    const headers = { 'Retry-After': String(attempt.waitSeconds) };
    return { refused: { status: 429, reason: 'too many failed sign-ins', words, headers } };
  }
  const asked = await takeSignIn(to, pending, state, request.get('cookie'));
  if (asked === undefined) return { refused: { ...stale('state of another browser, too old, or used'), attempt } };
  return { asked, answer, attempt, cookie: noPendingCookie(to, state, pending.isSecure) };
}

/** How long to wait, for a refusal by a budget. @throws whatever is none. */
function waitOfRefusal(error: unknown): { waitSeconds: number } {
  if (error instanceof AppError) return { waitSeconds: error.details.retry_after ?? 1 };
  throw error;
}
