import { AppError } from '../../platform/errors.ts';
import { checkUrl } from '../../platform/outbound/url-guard.ts';
import { canonicalTargetUri } from '../signing/target-uri.ts';

/**
 * Checks the URL of a registration and answers its destination: scheme, host and port, which share one queue discipline.
 * @throws {AppError} `ADDRESS_REFUSED` for a URL that no request may be sent to (rule W16), `INVALID_REQUEST` for
 * one that cannot be signed.
 */
export function checkWebhookUrl(url: string, field: string, options: { allowLoopback: boolean }): string {
  const verdict = checkUrl(url, options);
  if (!verdict.ok) {
    throw new AppError('ADDRESS_REFUSED', `${field}: no webhook can be sent there: ${verdict.reason}`, {
      field,
      suggestion: 'send a public https URL without user name and password',
    });
  }
  const target = canonicalTargetUri(url);
  if (target === undefined) {
    throw new AppError('INVALID_REQUEST', `${field}: not a well-formed URL: percent-encode what is not plain ASCII`, {
      field,
    });
  }
  return target.origin;
}

/** What sealed credentials of a target are bound to, so that they open for no other URL. */
export function sealedFor(url: string): string {
  return `webhook ${url}`;
}
