import { Command } from 'commander';
import { listSetAside } from '../../admin/operator/rows/operations.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { table } from './table.ts';

/** `rows set-aside`: what is stored and cannot be read. */
export function rowCommands(run: Run): Command {
  const setAside = new Command('set-aside').description(listSetAside.summary);
  return new Command('rows').description('Look after stored rows.').addCommand(
    run(paged(setAside), {
      ask: (client, _args, { limit, cursor }: PagingOptions) => client.call(listSetAside, { query: { limit, cursor } }),
      rows: (answer) => answer.rows,
      show(answer) {
        const { rows } = answer;
        if (rows.length === 0) return 'Every stored row can be read.\n';
        const lines = rows.map(({ noted_at, collection_name, key, problems }) => [
          ...[noted_at, collection_name, key, problems.join('; ')],
        ]);
        return table(['NOTED', 'COLLECTION', 'KEY', 'WHAT DOES NOT FIT'], lines) + more(answer);
      },
    }),
  );
}
