import { Command } from 'commander';
import { listActions } from '../../admin/operator/actions/operations.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { table } from './table.ts';

interface LogOptions extends PagingOptions {
  of?: string;
  target?: string;
}

/** `log`: who did what and when. */
export function logCommand(run: Run): Command {
  const command = new Command('log')
    .description('Show what operators did, newest first.')
    .option('--of <name>', "one operator's deeds only")
    .option('--target <path>', 'what was done to one thing, such as /approvals/apr_1');
  return run(paged(command), {
    ask: (client, _args, { of, target, limit, cursor }: LogOptions) =>
      client.call(listActions, { query: { by: of, target, limit, cursor } }),
    show(answer) {
      const rows = answer.actions.map(({ at, by, action, target, outcome, error_code }) => [
        ...[at, by, action, target],
        error_code === null ? outcome : `${outcome}: ${error_code}`,
      ]);
      return table(['AT', 'BY', 'ACTION', 'TARGET', 'OUTCOME'], rows) + more(answer);
    },
  });
}
