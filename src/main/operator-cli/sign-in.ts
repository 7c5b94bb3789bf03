import { Command } from 'commander';
import type { Run } from './session.ts';

/** `sign-in`: a new one-time link into the console. */
export function signInCommand(run: Run): Command {
  return run(new Command('sign-in').description('Make a one-time link into the console, good for 15 minutes.'), {
    ask: (client) => client.post('/sign-in-links/create'),
    show: (answer) => `${String(answer['sign_in_url'])}\n`,
  });
}
