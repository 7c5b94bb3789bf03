import { Command } from 'commander';
import { moveOutSecret, resealStore } from '../../admin/operator/secret/operations.ts';
import type { Run } from './session.ts';

/** `secret …`: what seals is kept apart from what it sealed, and taken back when it has leaked. */
export function secretCommands(run: Run): Command {
  const secret = new Command('secret').description('The secret that seals what is stored.').addCommand(
    run(new Command('move-out').description(moveOutSecret.summary), {
      ask: (client) => client.call(moveOutSecret, {}),
      show: ({ rows, was_in_store }) =>
        `${rows} rows sealed anew; ${was_in_store ? 'the secret of 0.1.0 is out of the store' : 'no secret lay in the store'}\n`,
    }),
  );
  return secret.addCommand(
    run(new Command('reseal').description(resealStore.summary), {
      ask: (client) => client.call(resealStore, {}),
      show: ({ rows, stuck, unread }) => {
        const rest = stuck + unread;
        const then = rest === 0 ? 'the former secret can be taken away' : 'keep the former secret';
        return `${rows} rows sealed anew, ${stuck} values are not and ${unread} rows cannot be read; ${then}\n`;
      },
    }),
  );
}
