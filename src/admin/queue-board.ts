import type { RequestHandler } from 'express';
import type { SecurityLog } from '../platform/security/security-log.ts';

export interface QueueBoardOptions {
  basePath: string;
  /** Asked again as queues come into use. */
  bullQueues: () => unknown[];
  security: SecurityLog;
}

/** Its own files alone run and style it, and it reads its own API. */
const QUEUES_POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["font-src 'self'", "base-uri 'self'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

/**
 * The job queues, by bull-board, at `basePath`, to be looked at: jobs are derived from rows, so whoever added, edited or removed one
 * there would only confuse workers. Pausing is the operator API's, on record.
 */
export function queueBoard({ basePath, bullQueues, security }: QueueBoardOptions): RequestHandler {
  /** Loaded when somebody looks: it takes a tenth of a server's start. */
  let board: Promise<RequestHandler> | undefined;
  return async (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      security.record('console.queue_refused', { reason: req.method });
      res.status(403).json({ error: 'queues are not changed here; see npm run agent -- queues --help' });
      return;
    }
    board ??= import('./job-board.ts').then(({ jobBoard }) => jobBoard(basePath, bullQueues));
    const show = await board;
    res.set('Content-Security-Policy', QUEUES_POLICY);
    await show(req, res, next);
  };
}
