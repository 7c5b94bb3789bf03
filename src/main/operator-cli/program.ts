import { Command, Help } from 'commander';
import { approvalCommands } from './approvals.ts';
import { backupCommand, restoreCommand, verifyBackupCommand } from './backup.ts';
import { buyerAccountCommands } from './buyer-accounts.ts';
import { buyerCommands } from './buyers.ts';
import { buyCommands } from './buys.ts';
import { callCommand } from '../buyer-cli/call.ts';
import { cardCommands } from '../buyer-cli/card.ts';
import { verifyCommand } from '../buyer-cli/verify.ts';
import { catalogCommands } from './catalog.ts';
import { completionCommand } from './completion/completion.ts';
import { creativeCommands } from './creatives.ts';
import { configCommands, doctorCommand, settingsCommand } from './doctor.ts';
import { grantCommands } from './grants.ts';
import { keyCommands } from './keys.ts';
import { logCommand, undoCommand, verifyLogCommand } from './log.ts';
import { operatorKeyCommands } from './operator-keys.ts';
import { migrateCommand } from './migrate.ts';
import { orderCommands } from './orders.ts';
import { peopleCommands, sessionCommands } from './people.ts';
import { performanceFeedbackCommands } from './performance-feedback.ts';
import { portalCommands } from './portal.ts';
import { programCommands } from './programs.ts';
import { propertyCommands } from './properties.ts';
import { queueCommands } from './queues.ts';
import { registryCommands } from './registry.ts';
import { rowCommands } from './rows.ts';
import { searchCommand } from './search.ts';
import { secretCommands } from './secret.ts';
import { session } from './session.ts';
import type { Terminal } from './session.ts';
import { signInCommand } from './sign-in.ts';
import { statsCommand } from './stats.ts';
import { statusCommand } from './status.ts';
import { taskCommands } from './tasks.ts';
import { webhookCommands } from './webhooks.ts';

/** What is typed before a command in a checkout, and, where the package is installed, in its place. */
const [IN_CHECKOUT, IN_PACKAGE] = ['npm run agent --', 'media-buy-agent'];

/** `npm run agent -- …`: what an operator does at a terminal, by the operator API of a running agent. */
export function agentProgram(terminal: Terminal): Command {
  const name = terminal.name ?? IN_CHECKOUT;
  const program = new Command(name)
    .description('What people at the seller see and do. Talks to the agent that runs on DATA_DIR, or to --url.')
    .addHelpText('after', `\n${sameAs(name)}\nExit status: 0 done, 1 refused or failed, 2 wrong usage, 3 agent away.`);
  const { write, writeError } = terminal;
  const run = session(terminal);
  const commands = [
    ...[
      statusCommand,
      statsCommand,
      doctorCommand,
      settingsCommand,
      configCommands,
      searchCommand,
      buyCommands,
      taskCommands,
      approvalCommands,
      creativeCommands,
      orderCommands,
      propertyCommands,
    ],
    performanceFeedbackCommands,
    ...[
      buyerCommands,
      portalCommands,
      buyerAccountCommands,
      grantCommands,
      peopleCommands,
      operatorKeyCommands,
      sessionCommands,
    ],
    ...[
      webhookCommands,
      keyCommands,
      queueCommands,
      secretCommands,
      registryCommands,
      rowCommands,
      signInCommand,
      logCommand,
      verifyLogCommand,
      undoCommand,
    ],
  ];
  for (const make of commands) program.addCommand(make(run));
  program.addCommand(catalogCommands(terminal, run));
  for (const make of [backupCommand, restoreCommand, verifyBackupCommand, migrateCommand])
    program.addCommand(make(terminal));
  for (const make of [callCommand, cardCommands, verifyCommand]) program.addCommand(make(terminal));
  for (const command of programCommands(name)) program.addCommand(command);
  program.addCommand(completionCommand(write, () => program));
  const width = () => terminal.columns ?? 80;
  for (const command of allOf(program)) {
    command
      .exitOverride()
      .showSuggestionAfterError()
      .showHelpAfterError(
        `${command.commands.length === 0 ? 'How it is used' : 'All commands'}: ${wordsOf(command)} --help`,
      )
      .configureHelp({ minWidthToWrap: 20, styleUsage: folded })
      .configureOutput({ writeOut: write, writeErr: writeError, getOutHelpWidth: width, getErrHelpWidth: width });
  }
  return program;
}

/** All that is typed to come to a command. */
function wordsOf(command: Command): string {
  return command.parent === null ? command.name() : `${wordsOf(command.parent)} ${command.name()}`;
}

/** That the command which papers and messages call otherwise is this one. */
function sameAs(name: string): string {
  return name === IN_CHECKOUT
    ? `The package brings the same as ${IN_PACKAGE}, or npx ${IN_PACKAGE}.`
    : `Papers and messages say ${IN_CHECKOUT} for it, or npx ${IN_PACKAGE}.`;
}

/** A long usage in lines of 70 at most, after its heading of seven. */
function folded(usage: string): string {
  return new Help().boxWrap(usage, 70).split('\n').join('\n         ');
}

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}
