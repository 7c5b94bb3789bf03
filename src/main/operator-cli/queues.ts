import { Command } from 'commander';
import { listQueues, pauseQueue, resumeQueue } from '../../admin/operator/queues/operations.ts';
import type { QueueView } from '../../admin/operator/queues/operations.ts';
import type { Run } from './session.ts';
import { table } from './table.ts';

/** `queues …`: the job queues. */
export function queueCommands(run: Run): Command {
  return new Command('queues')
    .description('The job queues.')
    .addCommand(
      run(new Command('list').description(listQueues.summary), {
        ask: (client) => client.call(listQueues, {}),
        rows: (answer) => answer.queues,
        show: (answer) => listed(answer.queues),
      }),
    )
    .addCommand(
      run(
        new Command('pause')
          .description(pauseQueue.summary)
          .argument('<queue>')
          .requiredOption('--reason <words>', 'why, for the record'),
        {
          ask: (client, [queue]: [string], { reason }: { reason: string }) =>
            client.call(pauseQueue, { params: { queue }, body: { reason } }),
          show: (answer) => listed([answer]),
        },
      ),
    )
    .addCommand(
      run(new Command('resume').description(resumeQueue.summary).argument('<queue>'), {
        ask: (client, [queue]: [string]) => client.call(resumeQueue, { params: { queue } }),
        show: (answer) => listed([answer]),
      }),
    );
}

function listed(queues: readonly QueueView[]): string {
  const rows = queues.map(({ queue, is_paused, waiting, active, delayed }) => [
    ...[queue, is_paused ? 'paused' : 'open', String(waiting), String(active), String(delayed)],
  ]);
  return table(['QUEUE', 'STATE', 'WAITING', 'ACTIVE', 'DELAYED'], rows);
}
