import { Command } from 'commander';
import { createLink } from '../../admin/operator/sign-in/operations.ts';
import type { Run } from './session.ts';

/** `sign-in`: a new one-time link into the console. */
export function signInCommand(run: Run): Command {
  return run(new Command('sign-in').description('Make a one-time link into the console, good for 15 minutes.'), {
    ask: (client) => client.call(createLink, {}),
    show: (answer) => `${answer.sign_in_url}\n`,
  });
}
