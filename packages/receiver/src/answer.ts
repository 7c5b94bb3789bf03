import type { OutcomeKind, WebhookOutcome } from './outcome.ts';
import { BODY_ALREADY_PARSED } from './read-body.ts';
import { challenge } from './verify/refusal.ts';

/** The status of every outcome but `refused`, whose code has its own. Senders try again after 429 and 5xx alone. */
export const STATUS_OF: Readonly<Record<Exclude<OutcomeKind, 'refused'>, number>> = {
  handled: 200,
  duplicate: 200,
  stale: 200,
  agreed: 200,
  unreadable: 400,
  unknown_endpoint: 404,
  unexpected: 404,
  not_a_post: 405,
  full: 429,
  failed: 500,
  body_already_parsed: 500,
  busy: 503,
};

const RETRY_AFTER_SECONDS = '5';

/** What the sender is told: the outcome's name or the refusal's code, and nothing more. */
export function answerOf({ outcome, status, code, challenge: asked }: WebhookOutcome): Response {
  const headers = new Headers({ 'content-type': 'application/json' });
  if (status === 401 && code !== undefined) headers.set('www-authenticate', challenge(code));
  if (status === 405) headers.set('allow', 'POST');
  if (status === 429 || status === 503) headers.set('retry-after', RETRY_AFTER_SECONDS);
  const message = outcome === 'body_already_parsed' ? { message: BODY_ALREADY_PARSED } : {};
  const agreed = asked === undefined ? {} : { challenge: asked };
  const body = status === 200 ? { received: true, outcome, ...agreed } : { error: code ?? outcome, ...message };
  return new Response(JSON.stringify(body), { status, headers });
}
