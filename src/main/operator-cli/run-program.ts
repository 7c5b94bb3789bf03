import { CommanderError } from 'commander';
import { NotDone } from '../buyer-cli/not-done.ts';
import { ConfigError } from '../config/config-error.ts';
import { messageOf } from '../process/process.ts';
import { AgentAway } from './agent-away.ts';
import { OperatorError } from './operator-client.ts';
import { asksForJson } from './output-form.ts';
import { agentProgram } from './program.ts';
import type { Terminal } from './session.ts';
import { jsonLine, printable } from './table.ts';

/** Runs a command line at a terminal; answers the exit status: 0 done, 1 refused or failed, 2 wrong usage, 3 agent away. */
export async function runProgram(terminal: Terminal, argv: readonly string[]): Promise<number> {
  const { write, writeError } = terminal;
  try {
    await agentProgram(terminal).parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has told what is wrong with the usage already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    // Told while it went.
    if (error instanceof NotDone) return 1;
    if (asksForJson(argv)) write(jsonLine({ error: bodyOf(error) }));
    else writeError(`${describe(error)}\n`);
    if (error instanceof AgentAway) return 3;
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
