import { Router } from 'express';
import type { ErrorRequestHandler, Response } from 'express';
import { hashToken } from '../../platform/crypto/one-time-token.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import { HTTP_STATUS } from '../../platform/http-status.ts';
import type { UrlRules } from '../../platform/outbound/url-guard.ts';
import { showCreative } from '../operator/creatives/operations.ts';
import { errorBodyFor } from '../operator/error-response.ts';
import { filledIn } from '../operator/filled-in.ts';
import type { OperatorDeps } from '../operator/operation.ts';
import { perform } from '../operator/perform.ts';
import type { WaysIn } from '../pages.ts';
import { operatorOfSessionHash, sessionFrom } from '../session.ts';
import { hasDocument, noPreviewDocument, previewDocument } from './preview-document.tsx';
import { previewPolicy } from './preview-policy.ts';
import { openPreview } from './preview-token.ts';

/** What previews work with: who looks, what is shown, and where its pictures may come from. */
export interface PreviewDeps extends OperatorDeps {
  sealer: Sealer;
  urlRules: UrlRules;
}

const UNKNOWN = 'There is no such preview. Open it from the page of its creative.';
const OVER = 'This preview is over. Load the page of its creative anew.';
const CHANGED = 'The creative has been changed since. Load its page anew.';

/**
 * What creatives look like (rule O1.preview), for the frame on their pages. The token is the way in, since whether a frame without an origin brings a
 * cookie is the browser's affair: it is as good as the session it was made for, which it does not prolong, and another's cookie beside it is refused.
 */
export function previewRoutes(deps: PreviewDeps, { hasLinks }: Pick<WaysIn, 'hasLinks'>): Router {
  const router = Router();
  const { allowLoopback } = deps.urlRules;
  const isHttps = deps.baseUrl.startsWith('https:');

  router.get('/preview/:token', async (request, response) => {
    const { token } = request.params;
    const looked = openPreview(deps, token);
    const cookie = sessionFrom(request.get('cookie'), isHttps);
    if (looked === undefined || (cookie !== undefined && hashToken(cookie) !== looked.session_hash)) {
      sendWords(response, 404, UNKNOWN);
      return;
    }
    const { organization_id, creative_id, version, session_hash, until } = looked;
    const operator =
      deps.clock.now() < until ? await operatorOfSessionHash(deps, session_hash, { isUse: false }) : undefined;
    // Only a link begins a session that is nobody's.
    if (operator === undefined || (operator.person_id === null && !hasLinks)) {
      sendWords(response, 410, OVER);
      return;
    }
    const params = { organization_id, creative_id };
    const path = filledIn(showCreative.path, params);
    const creative = await perform(deps, showCreative, { operator, path, params, click: {} });
    if (creative.version !== version) {
      sendWords(response, 410, CHANGED);
      return;
    }
    const policy = previewPolicy({ isLoading: true, hasStyles: hasDocument(creative), allowLoopback });
    send(response, policy, previewDocument(creative, deps.urlRules));
  });
  router.use('/preview', refused(deps));
  return router;
}

/** What went wrong, in words that fit into the frame. The address is not told to the log: it opens something. */
function refused({ log }: Pick<OperatorDeps, 'log'>): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { code, message, retry_after } = errorBodyFor(error);
    if (code === 'INTERNAL_ERROR' || code === 'SERVICE_UNAVAILABLE')
      log.error({ err: error }, 'a preview could not be shown');
    if (retry_after !== undefined) response.set('Retry-After', String(retry_after));
    sendWords(response, HTTP_STATUS[code], message);
  };
}

function sendWords(response: Response, status: number, words: string): void {
  const policy = previewPolicy({ isLoading: false, hasStyles: false, allowLoopback: false });
  send(response.status(status), policy, noPreviewDocument(words));
}

function send(response: Response, policy: string, html: string): void {
  response.set({
    'Content-Security-Policy': policy,
    'X-Frame-Options': 'SAMEORIGIN',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-DNS-Prefetch-Control': 'off',
    'Cache-Control': 'no-store',
  });
  response.type('html').send(html);
}
