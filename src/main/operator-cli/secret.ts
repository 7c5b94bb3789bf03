import { Command } from 'commander';
import { moveOutSecret } from '../../admin/operator/secret/operations.ts';
import type { Run } from './session.ts';

/** `secret move-out`: what seals is kept apart from what it sealed. */
export function secretCommands(run: Run): Command {
  return new Command('secret').description('The secret that seals what is stored.').addCommand(
    run(new Command('move-out').description(moveOutSecret.summary), {
      ask: (client) => client.call(moveOutSecret, {}),
      show: ({ rows, was_in_store }) =>
        `${rows} rows sealed anew; ${was_in_store ? 'the secret of 0.1.0 is out of the store' : 'no secret lay in the store'}\n`,
    }),
  );
}
