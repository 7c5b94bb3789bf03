import { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { migrateStore } from '../wiring/migrate.ts';
import type { Terminal } from './session.ts';
import { table } from './table.ts';

/** `migrate`: what the first start of a release does to the store, before that start. Talks to no agent. */
export function migrateCommand({ env, write }: Terminal): Command {
  return new Command('migrate')
    .description('Bring the store to this release, rows and indexes, as its first start would, and end.')
    .option('--json', 'print the answer as one line of JSON')
    .action(async ({ json }: { json?: true }) => {
      const { store, migrated } = await migrateStore(readConfig(env, { allowLoopback: true }));
      if (json === true) {
        write(`${JSON.stringify({ store, migrated })}\n`);
        return;
      }
      const rows = migrated.map(({ collection, from, to }) => [collection, String(from), String(to)]);
      if (rows.length > 0) write(table(['COLLECTION', 'FROM', 'TO'], rows));
      write(`The ${store} store is as this release needs it.\n`);
    });
}
