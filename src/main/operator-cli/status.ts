import { Command } from 'commander';
import { showOverview } from '../../admin/operator/overview/operations.ts';
import { listQueues } from '../../admin/operator/queues/operations.ts';
import { listDestinations } from '../../admin/operator/webhooks/destination-list.ts';
import { isInTrouble } from '../../admin/operator/webhooks/receiver-state.ts';
import { within } from '../../platform/within.ts';
import type { Run } from './session.ts';
import { facts } from './table.ts';

/** For how long the queues are waited for, in milliseconds: Redis may be away, and the rest is known without. */
const QUEUES_MS = 1_000;

/** `status`: what waits for somebody, and what runs. */
export function statusCommand(run: Run): Command {
  return run(new Command('status').description(showOverview.summary), {
    async ask(client) {
      const [counts, { destinations }, { queues }] = await Promise.all([
        client.call(showOverview, {}),
        client.call(listDestinations, {}),
        within(QUEUES_MS, client.call(listQueues, {}), away).catch(away),
      ]);
      const queues_paused = queues?.filter(({ is_paused }) => is_paused).map(({ queue }) => queue) ?? null;
      return { ...counts, receivers_in_trouble: destinations.filter(isInTrouble).length, queues_paused };
    },
    show: ({
      approvals_open,
      creatives_in_review,
      receivers_in_trouble,
      orders_waiting,
      tasks_with_faults,
      media_buys,
      queues_paused,
    }) =>
      facts([
        ['approvals that wait', counted(approvals_open)],
        ['creatives in review', counted(creatives_in_review)],
        ['receivers in trouble', counted(receivers_in_trouble)],
        ['orders waiting for the ad server', counted(orders_waiting)],
        ['tasks with faults', counted(tasks_with_faults)],
        [
          'queues paused',
          queues_paused === null ? 'unknown: the queues do not answer' : queues_paused.join(', ') || 'none',
        ],
        ...media_buys.map(({ status, count }) => [`media buys ${status}`, counted(count)] as const),
      ]),
  });
}

const away = (): { queues?: undefined } => ({});

function counted(count: number): string {
  return count >= 1_000 ? '1000 or more' : String(count);
}
