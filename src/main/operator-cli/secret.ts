import { Command } from 'commander';
import { moveOutSecret, resealStore } from '../../admin/operator/secret/operations.ts';
import type { Resealed } from '../../admin/operator/secret/resealed.ts';
import type { Run } from './session.ts';

/** `secret …`: what seals is kept apart from what it sealed, and taken back when it has leaked. */
export function secretCommands(run: Run): Command {
  const secret = new Command('secret').description('The secret that seals what is stored.');
  for (const [name, operation] of [
    ['move-out', moveOutSecret],
    ['reseal', resealStore],
  ] as const) {
    secret.addCommand(
      run(new Command(name).description(operation.summary), {
        ask: (client) => client.call(operation, {}),
        show: (resealed) => shown(resealed),
      }),
    );
  }
  return secret;
}

function shown({ was_in_store, rows, stuck, unread }: Resealed): string {
  const left = was_in_store
    ? "the secret of 0.1.0 is out of the store, and the operator's key and the access tokens' keys that it sealed are ended: start every process again\n"
    : '';
  const then = stuck + unread === 0 ? 'nothing stored needs the former secret' : 'keep the former secret';
  return `${left}${rows} rows sealed anew, ${stuck} values are not and ${unread} rows cannot be read; ${then}\n`;
}
