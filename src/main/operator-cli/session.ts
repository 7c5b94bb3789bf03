import type { Command } from 'commander';
import { connect } from './connection.ts';
import type { ConnectionOptions } from './connection.ts';
import type { OperatorClient } from './operator-client.ts';

/** Where commands are run. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  write: (text: string) => void;
}

/** What a command does with an agent, and how its answer reads to people. */
export interface Deed<A extends readonly string[], O, T> {
  ask: (client: OperatorClient, args: A, options: O) => Promise<T>;
  show: (answer: T) => string;
}

/** Gives a command the options that all have, and what it does. */
export type Run = <A extends readonly string[], O extends object, T>(command: Command, deed: Deed<A, O, T>) => Command;

/** Commands of this terminal: each connects, asks, and prints its answer, as JSON in one line with `--json`. */
export function session({ env, write }: Terminal): Run {
  return (command, deed) =>
    command
      .option('--url <url>', 'the agent; default: the one that runs on DATA_DIR')
      .option('--key <key>', "its operator key; default: OPERATOR_API_KEY, or the running agent's")
      .option('--by <name>', 'who acts, for the record; default: your name on this machine')
      .option('--json', 'print the answer as one line of JSON')
      .action(async () => {
        const options = command.opts<ConnectionOptions & { json?: true }>();
        const client = await connect(env, options);
        const answer = await deed.ask(client, command.args as never, options as never);
        write(options.json === true ? `${JSON.stringify(answer)}\n` : deed.show(answer));
      });
}
