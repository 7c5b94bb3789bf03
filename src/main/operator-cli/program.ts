import { Command } from 'commander';
import { approvalCommands } from './approvals.ts';
import { creativeCommands } from './creatives.ts';
import { keyCommands } from './keys.ts';
import { logCommand } from './log.ts';
import { propertyCommands } from './properties.ts';
import { rowCommands } from './rows.ts';
import { session } from './session.ts';
import type { Terminal } from './session.ts';
import { signInCommand } from './sign-in.ts';
import { webhookCommands } from './webhooks.ts';

/** `npm run agent -- …`: what an operator does at a terminal, by the operator API of a running agent. */
export function agentProgram(terminal: Terminal): Command {
  const program = new Command('npm run agent --')
    .description('What people at the seller see and do. Talks to the agent that runs on DATA_DIR, or to --url.')
    .addHelpText('after', '\nExit status: 0 done, 1 refused or failed, 2 wrong usage.')
    .showSuggestionAfterError()
    .exitOverride();
  const run = session(terminal);
  const commands = [
    ...[approvalCommands, creativeCommands, propertyCommands],
    ...[webhookCommands, keyCommands, rowCommands, signInCommand, logCommand],
  ];
  for (const make of commands) program.addCommand(make(run));
  for (const command of allOf(program)) command.exitOverride();
  return program;
}

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}
