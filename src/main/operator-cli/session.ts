import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { NotDone } from '../buyer-cli/not-done.ts';
import { ConfigError } from '../config/config-error.ts';
import { readConfig } from '../config/config.ts';
import { addressOf } from '../process/listen.ts';
import { readRunning } from '../process/running-file.ts';
import { operatorClient } from './operator-client.ts';
import type { OperatorClient } from './operator-client.ts';
import { outputFormOf, nextPage, rowsText, withForms } from './output-form.ts';
import type { FormOptions } from './output-form.ts';
import { jsonLine } from './table.ts';

/** Where commands are run. */
export interface Terminal {
  /** What is typed before the command; default: `npm run agent --`. */
  name?: string;
  /** How wide it is; default, as where there is no terminal: 80. */
  columns?: number;
  env: NodeJS.ProcessEnv;
  write: (text: string) => void;
  writeError: (text: string) => void;
  /** Default: lets so many milliseconds pass; for tests that do not wait. */
  pause?: Pause;
}

/** Waits so many milliseconds before the next look at something. */
export type Pause = (ms: number) => Promise<unknown>;

/** What a command does with an agent, and how its answer reads to people. */
export interface Deed<A extends readonly string[], O, T> {
  ask: (client: OperatorClient, args: A, options: O) => Promise<T>;
  show: (answer: T) => string;
  /** What of the answer is a list, row by row; absent: it is none. */
  rows?: (answer: T) => readonly object[];
  /** Whether what was answered is to end it with status 1; default: it is not. */
  isBad?: (answer: T) => boolean;
}

/** What a command looks at until it has ended, and how each piece of it reads to people. */
export interface Pursuit<A extends readonly string[], T> {
  /** Returns whether it has ended well; if not, the command ends with status 1. */
  follow: (client: OperatorClient, args: A, pause: Pause) => AsyncGenerator<T, boolean>;
  show: (piece: T) => string;
}

export interface Run {
  /** Gives a command the options that all have, and what it does. */
  <A extends readonly string[], O extends object, T>(command: Command, deed: Deed<A, O, T>): Command;
  /** The same for one that prints as it goes: each piece when it comes, as JSON in a line of its own with `--json`. */
  following: <A extends readonly string[], T>(command: Command, pursuit: Pursuit<A, T>) => Command;
}

/** Commands of this terminal: each connects, asks, and prints its answer, as JSON in one line with `--json`. */
export function session({ env, write, writeError, columns, pause = delay }: Terminal): Run {
  const run = <A extends readonly string[], O extends object, T>(command: Command, deed: Deed<A, O, T>) =>
    withConnection(deed.rows === undefined ? command : withForms(command), 'the answer').action(async () => {
      const options = command.opts<ConnectionOptions & FormOptions>();
      const client = await connect(env, options);
      const answer = await deed.ask(client, command.args as never, options as never);
      const form = outputFormOf(options);
      if (form === 'json') write(jsonLine(answer));
      else if (form === 'table' || deed.rows === undefined) write(deed.show(answer));
      else {
        write(rowsText(deed.rows(answer), form, columns !== undefined));
        writeError(nextPage(answer));
      }
      if (deed.isBad?.(answer) === true) throw new NotDone();
    });
  const following = <A extends readonly string[], T>(command: Command, { follow, show }: Pursuit<A, T>) =>
    withConnection(command, 'each').action(async () => {
      const options = command.opts<ConnectionOptions & FormOptions>();
      const pieces = follow(await connect(env, options), command.args as never, pause);
      let next = await pieces.next();
      for (; next.done !== true; next = await pieces.next()) {
        write(options.json === true ? jsonLine(next.value) : show(next.value));
      }
      if (!next.value) throw new NotDone();
    });
  return Object.assign(run, { following });
}

function withConnection(command: Command, printed: string): Command {
  return command
    .option('--url <url>', 'the agent; default: the one that runs on DATA_DIR')
    .option('--key <key>', "its operator key; default: OPERATOR_API_KEY, or the running agent's")
    .option('--by <name>', 'who acts, a note on record beside the name of the key; default: your name on this machine')
    .option('--json', `print ${printed} as one line of JSON`);
}

/** What the command line says of the agent to talk to, and of who talks. */
interface ConnectionOptions {
  url?: string | undefined;
  key?: string | undefined;
  by?: string | undefined;
}

/**
 * The agent that is named, or the one that runs on DATA_DIR. The key of the latter goes to no other.
 * @throws {ConfigError} for a wrong setting, a URL that is none, or a key that cannot be found.
 */
async function connect(env: NodeJS.ProcessEnv, { url, key, by }: ConnectionOptions): Promise<OperatorClient> {
  const config = readConfig(env, { allowLoopback: true });
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new ConfigError(['--url must be an http or https URL']);
  }
  const running = await readRunning(config.dataDir);
  const named = url?.replace(/\/+$/, '');
  const baseUrl = named ?? running?.base_url ?? config.publicUrl ?? addressOf(config.host, config.port);
  const itsKey = running?.base_url === baseUrl ? running.operator_key : undefined;
  const operatorKey = key ?? config.operatorApiKey ?? itsKey;
  if (operatorKey === undefined) {
    const where = named === undefined ? `no agent runs on ${config.dataDir}; start one, or name it with --url` : '';
    throw new ConfigError([where === '' ? '--key or OPERATOR_API_KEY is needed with this --url' : where]);
  }
  return operatorClient({ baseUrl, key: operatorKey, by: by ?? whoIsHere() });
}

/** The person at this terminal, as the system knows them. */
function whoIsHere(): string {
  try {
    return userInfo().username;
  } catch {
    return 'operator';
  }
}
