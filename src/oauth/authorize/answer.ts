import type { Response } from 'express';
import { AUTHORIZE_STYLE_SOURCE } from './pages.ts';

/** Whom an authorization request is answered to. */
export interface AnswerTo {
  redirect_uri: string;
  state: string | undefined;
}

/** Sends the person back to the application with an answer; `iss` says whose it is (RFC 9207). */
export function answerClient(
  res: Response,
  baseUrl: string,
  { redirect_uri, state }: AnswerTo,
  parameters: Record<string, string>,
): void {
  const answer = new URLSearchParams({ ...parameters, ...(state !== undefined && { state }), iss: baseUrl });
  const separator = redirect_uri.includes('?') ? '&' : '?';
  res.redirect(303, `${redirect_uri}${separator}${answer.toString()}`);
}

/**
 * Sends a page that nothing may frame, cache or load into. `redirectUri`: where its form may lead in the end, since
 * browsers hold redirects after a form to the same policy.
 */
export function sendPage(res: Response, status: number, html: string, redirectUri?: string): void {
  const target = redirectUri === undefined ? '' : ` ${formTarget(redirectUri)}`;
  res.set({
    'Content-Security-Policy': `default-src 'none'; style-src ${AUTHORIZE_STYLE_SOURCE}; form-action 'self'${target}; base-uri 'none'; frame-ancestors 'none'`,
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  });
  res.status(status).type('html').send(html);
}

function formTarget(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol;
}
