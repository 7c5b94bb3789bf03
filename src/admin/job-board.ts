import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Express, RequestHandler } from 'express';

/** bull-board's pages at `basePath`, reading only. `bullQueues` is asked again at each request, as queues come into use. */
export function jobBoard(basePath: string, bullQueues: () => unknown[]): RequestHandler {
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
    const current = bullQueues();
    if (current.length !== shown.size || current.some((queue) => !shown.has(queue))) {
      shown = new Set(current);
      board.setQueues(current.map((queue) => new BullMQAdapter(queue as BullQueue, { readOnlyMode: true })));
    }
    app(req, res, next);
  };
}

type BullQueue = ConstructorParameters<typeof BullMQAdapter>[0];
