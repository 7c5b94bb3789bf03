import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Express, RequestHandler } from 'express';
import type { SecurityLog } from '../platform/security/security-log.ts';

export interface QueueBoardOptions {
  basePath: string;
  /** Asked again as queues come into use. */
  bullQueues: () => unknown[];
  security: SecurityLog;
}

/**
 * The job queues, by bull-board, at `basePath`, to be looked at: jobs are derived from rows, so whoever added, edited or removed one
 * there would only confuse workers. Pausing is the operator API's, on record.
 */
export function queueBoard({ basePath, bullQueues, security }: QueueBoardOptions): RequestHandler {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(basePath);
  const board = createBullBoard({
    queues: [],
    serverAdapter,
    options: {
      uiConfig: {
        boardTitle: 'Job queues',
        miscLinks: [{ text: 'Sign out', url: '/admin/sign-out' }],
        hideRedisDetails: true,
      },
    },
  });
  const app = serverAdapter.getRouter() as Express;
  app.disable('x-powered-by');

  let shown = new Set<unknown>();
  return (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      security.record('console.queue_refused', { reason: req.method });
      res.status(403).json({ error: 'queues are not changed here; see npm run agent -- queues --help' });
      return;
    }
    const current = bullQueues();
    if (current.length !== shown.size || current.some((queue) => !shown.has(queue))) {
      shown = new Set(current);
      board.setQueues(current.map((queue) => new BullMQAdapter(queue as BullQueue, { readOnlyMode: true })));
    }
    app(req, res, next);
  };
}

type BullQueue = ConstructorParameters<typeof BullMQAdapter>[0];
