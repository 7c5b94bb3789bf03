import { z } from 'zod';
import { createLogger } from '../../../src/platform/log.ts';
import { createQueues } from '../../../src/platform/queue/queue-bullmq.ts';

/** A process of its own that takes jobs of a queue and never ends them: `queue-worker.ts URL PREFIX QUEUE`. */
const [connection = '', prefix = '', name = ''] = process.argv.slice(2);
const queues = createQueues({ connection, prefix, logger: createLogger('warn') });
queues.work(
  { name, schema: z.unknown() },
  (job) => {
    console.log(job.id);
    return new Promise(() => undefined);
  },
  { concurrency: 10 },
);
