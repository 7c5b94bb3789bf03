import { Command } from 'commander';
import { showOverview } from '../../admin/operator/overview/operations.ts';
import type { Run } from './session.ts';
import { facts } from './table.ts';

/** `status`: what waits for somebody, and what runs. */
export function statusCommand(run: Run): Command {
  return run(new Command('status').description(showOverview.summary), {
    ask: (client) => client.call(showOverview, {}),
    show: ({ approvals_open, creatives_in_review, orders_waiting, media_buys }) =>
      facts([
        ['approvals that wait', counted(approvals_open)],
        ['creatives in review', counted(creatives_in_review)],
        ['orders waiting for the ad server', counted(orders_waiting)],
        ...media_buys.map(({ status, count }) => [`media buys ${status}`, counted(count)] as const),
      ]),
  });
}

function counted(count: number): string {
  return count >= 1_000 ? '1000 or more' : String(count);
}
