import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Express, RequestHandler } from 'express';
import { RUN_QUEUE } from '../runtime/dependencies.ts';
import { pageOfJob } from './page-of-job.ts';

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
        miscLinks: [
          { text: 'Back to the console', url: '/admin' },
          { text: 'Pause and resume', url: '/admin/job-queues' },
          { text: 'Sign out', url: '/admin/sign-out' },
        ],
        hideRedisDetails: true,
        hideDocsLink: true,
      },
    },
  });
  const app = serverAdapter.getRouter() as Express;
  app.disable('x-powered-by');
  const render = app.render.bind(app);
  app.render = ((name, values, done) => {
    render(name, values, (error: Error, html?: string) => {
      done(error, html?.replaceAll(ELSEWHERE, '').replace(UNTIL_IT_RUNS, ROOT));
    });
  }) satisfies Rendering as Express['render'];

  let shown = new Set<unknown>();
  return (req, res, next) => {
    const current = bullQueues();
    if (current.length !== shown.size || current.some((queue) => !shown.has(queue))) {
      shown = new Set(current);
      board.setQueues(current.map((queue) => adapterOf(queue as BullQueue)));
    }
    app(req, res, next);
  };
}

type Rendering = (name: string, values: object, done: (error: Error, html?: string) => void) => void;

/** A font that its page would load from elsewhere, which the page's policy forbids and a browser complains of. */
const ELSEWHERE = /<link href="https:[^>]*>/g;

/** What it shows until its script runs, in styles of its own that the policy forbids as well. */
const UNTIL_IT_RUNS = /<div id="root">.*?<\/div>\s*(?=<script)/s;
const ROOT = '<div id="root">Loading</div>\n';

type BullQueue = ConstructorParameters<typeof BullMQAdapter>[0];

function adapterOf(queue: BullQueue): BullMQAdapter {
  return new BullMQAdapter(queue, {
    readOnlyMode: true,
    description: keptOf(queue.name),
    externalJobUrl: ({ data }) => pageOfJob(data),
  });
}

function keptOf(name: string): string {
  const { keeps } = RUN_QUEUE;
  if (name !== RUN_QUEUE.name || keeps === undefined) return 'Of jobs that have ended none is kept.';
  const [finished, failed] = [keeps.finished, keeps.failed].map((count) => new Intl.NumberFormat('en').format(count));
  return `Keeps the last ${finished} jobs that finished and the last ${failed} that failed.`;
}
