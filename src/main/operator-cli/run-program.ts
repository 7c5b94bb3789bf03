import { CommanderError } from 'commander';
import type { Command } from 'commander';
import { ConfigError } from '../config/config.ts';
import { messageOf } from '../process/process.ts';
import { OperatorError } from './operator-client.ts';
import { printable } from './table.ts';

export interface Output {
  write: (text: string) => void;
  writeError: (text: string) => void;
}

/** Runs a command line; answers the exit status: 0 done, 1 refused or failed, 2 wrong usage. */
export async function runProgram(program: Command, argv: readonly string[], output: Output): Promise<number> {
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has told what is wrong with the usage already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (argv.includes('--json')) output.write(`${JSON.stringify({ error: bodyOf(error) })}\n`);
    else output.writeError(`${describe(error)}\n`);
    return error instanceof ConfigError ? 2 : 1;
  }
}

function bodyOf(error: unknown): Record<string, unknown> {
  return error instanceof OperatorError ? error.body : { message: messageOf(error) };
}

function describe(error: unknown): string {
  if (!(error instanceof OperatorError)) return messageOf(error).split('\n').map(printable).join('\n');
  const { suggestion, issues = [] } = error.body;
  const others = issues.slice(1).map(({ pointer, message }) => `  ${pointer}: ${message}`);
  const hint = suggestion === undefined ? [] : [`  ${suggestion}`];
  return [error.message, ...others, ...hint].map(printable).join('\n');
}
