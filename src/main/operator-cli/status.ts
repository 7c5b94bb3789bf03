import { Command } from 'commander';
import { showOverview } from '../../admin/operator/overview/operations.ts';
import { listDestinations } from '../../admin/operator/webhooks/destination-list.ts';
import { isInTrouble } from '../../admin/operator/webhooks/receiver-state.ts';
import type { Run } from './session.ts';
import { facts } from './table.ts';

/** `status`: what waits for somebody, and what runs. */
export function statusCommand(run: Run): Command {
  return run(new Command('status').description(showOverview.summary), {
    async ask(client) {
      const [counts, { destinations }] = await Promise.all([
        client.call(showOverview, {}),
        client.call(listDestinations, {}),
      ]);
      return { ...counts, receivers_in_trouble: destinations.filter(isInTrouble).length };
    },
    show: ({
      approvals_open,
      creatives_in_review,
      receivers_in_trouble,
      orders_waiting,
      tasks_with_faults,
      media_buys,
    }) =>
      facts([
        ['approvals that wait', counted(approvals_open)],
        ['creatives in review', counted(creatives_in_review)],
        ['receivers in trouble', counted(receivers_in_trouble)],
        ['orders waiting for the ad server', counted(orders_waiting)],
        ['tasks with faults', counted(tasks_with_faults)],
        ...media_buys.map(({ status, count }) => [`media buys ${status}`, counted(count)] as const),
      ]),
  });
}

function counted(count: number): string {
  return count >= 1_000 ? '1000 or more' : String(count);
}
