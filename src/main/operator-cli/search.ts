import { Command } from 'commander';
import { search } from '../../admin/operator/search/operations.ts';
import type { Run } from './session.ts';
import { table } from './table.ts';

/** `search WORDS`: what has an id, a reference or a name. */
export function searchCommand(run: Run): Command {
  return run(new Command('search').description(search.summary).argument('<words>'), {
    ask: (client, [q]: [string]) => client.call(search, { query: { q } }),
    rows: ({ found }) => found,
    show: ({ found }) =>
      found.length === 0
        ? 'nothing has this id, reference or name\n'
        : table(
            ['KIND', 'ID', 'NAME'],
            found.map(({ kind, id, name = '' }) => [kind, id, name]),
          ),
  });
}
