import { AppError } from '../../platform/errors.ts';
import { checkUrl } from '../../platform/outbound/url-guard.ts';
import type { UrlRules } from '../../platform/outbound/url-guard.ts';
import { canonicalTargetUri } from '#receiver/wire/target-uri';

/** Where webhooks may be sent. */
export type WebhookPlaces = Pick<UrlRules, 'allowLoopback' | 'places' | 'trustsUrls'>;

/**
 * Checks the URL of a registration. Where loopback is allowed, http is so to hosts that are this machine by their spelling:
 * to what any other name leads is known only when a webhook is sent, and then it would be retried for a day.
 * @throws {AppError} `ADDRESS_REFUSED` for a URL that no request may be sent to (rule W16), `INVALID_REQUEST` for
 * one that cannot be signed.
 */
export function checkWebhookUrl(
  url: string,
  field: string,
  { allowLoopback, places, trustsUrls = false }: WebhookPlaces,
): void {
  const verdict = checkUrl(url, { allowLoopback, places, trustsUrls });
  const isPlain = verdict.ok && !trustsUrls && !verdict.target.isSecure && !verdict.target.isThisMachine;
  if (!verdict.ok || isPlain) {
    const why = verdict.ok ? 'http is for this machine alone' : verdict.reason;
    const at = why.startsWith('port ') ? ' at port 443 or 8443' : '';
    const here = allowLoopback ? ', or one of this machine such as http://127.0.0.1:3000/webhooks' : '';
    throw new AppError('ADDRESS_REFUSED', `${field}: no webhook can be sent there: ${why}`, {
      field,
      suggestion: `send a public https URL${at} without user name and password${here}`,
    });
  }
  if (canonicalTargetUri(url) === undefined) {
    throw new AppError('INVALID_REQUEST', `${field}: not a well-formed URL: percent-encode what is not plain ASCII`, {
      field,
    });
  }
}

/**
 * The destination of a registered URL: scheme, host and port, which share one queue discipline. A registration that an
 * earlier release took is sent to, or refused, as every request is.
 * @throws {Error} for a URL that was never registered.
 */
export function destinationOf(url: string): string {
  const target = canonicalTargetUri(url);
  if (target === undefined) throw new Error('a registered URL is not well-formed');
  return target.origin;
}

/** What sealed credentials of a target are bound to, so that they open for no other URL. */
export function sealedFor(url: string): string {
  return `webhook ${url}`;
}
