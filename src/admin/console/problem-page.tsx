import type { ErrorRequestHandler, Request, Response } from 'express';
import { HTTP_STATUS } from '../../platform/http-status.ts';
import type { ErrorBody } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { currentRequest } from '../../platform/request-context.ts';
import { errorBodyFor } from '../operator/error-response.ts';
import type { Markup } from './html/markup.ts';
import { problemBody } from './problem.tsx';
import type { RefusedForm } from './refused-form.ts';
import { consoleShell } from './shell.tsx';

/** Nothing runs but our one script, nothing is loaded from elsewhere, nothing is written into a page's tags. */
export const CONSOLE_POLICY = [
  ...["default-src 'none'", "style-src 'self'", "script-src 'self'", "connect-src 'self'", "img-src 'self'"],
  ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join('; ');

/** The same for a page that holds a frame: its document is the console's own answer, wherever a link in it would lead. */
export const FRAMING_POLICY = `${CONSOLE_POLICY}; frame-src 'self'`;

interface ProblemPageDeps {
  log: Logger;
  /** Below what its pages are; default: the console. */
  home?: string;
  /** The form that was refused, where it can be mended; default: none is. */
  formOf?: (request: Request, problem: ErrorBody) => Promise<RefusedForm | undefined>;
}

/** Answers what was thrown by a page that says so, under its status, and tells the log of a fault. `send` knows who asks. */
export function problemHandler(
  { log, home = '/admin', formOf }: ProblemPageDeps,
  send: (request: Request, response: Response, page: { title: string; body: Markup }) => void,
): ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const problem = errorBodyFor(error);
    if (problem.code === 'INTERNAL_ERROR' || problem.code === 'SERVICE_UNAVAILABLE')
      log.error({ err: error, path: request.originalUrl.replace(/\?.*/, '') }, 'a page could not be shown');
    if (problem.retry_after !== undefined) response.set('Retry-After', String(problem.retry_after));
    response.status(HTTP_STATUS[problem.code]);
    const isOfForm = request.method === 'POST';
    const again = !isOfForm && problem.recovery === 'transient' ? request.originalUrl : undefined;
    const request_id = currentRequest()?.request_id;
    const refused = await formOf?.(request, problem);
    const body = problemBody(problem, { request_id, refused, back: request.get('referer'), home, isOfForm, again });
    send(request, response, { title: 'That did not work', body });
  };
}

/** The same where it is not known who asks, such as while that cannot be looked up: never blank, and of nobody. */
export function problemHandlerOfNobody(deps: ProblemPageDeps): ErrorRequestHandler {
  return problemHandler(deps, (_request, response, page) => {
    response.type('html').send(consoleShell(page));
  });
}
