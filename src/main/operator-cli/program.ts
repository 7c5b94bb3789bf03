import { Command, CommanderError, Help, Option } from 'commander';
import { listActions } from '../../admin/operator/actions/operations.ts';
import { undoAction } from '../../admin/operator/actions/undo.ts';
import { verifyRecord } from '../../admin/operator/actions/verify-record.ts';
import { createLink } from '../../admin/operator/sign-in/operations.ts';
import { ConfigError } from '../config/config-error.ts';
import { messageOf } from '../process/process.ts';
import { OPERATOR_ROLES } from '../../directory/operator/operator.ts';
import { approvalCommands } from './approvals.ts';
import { backupCommand, restoreCommand, verifyBackupCommand } from './backup.ts';
import { buyerAccountCommands } from './buyer-accounts.ts';
import { buyerCommands } from './buyers.ts';
import { buyCommands } from './buys.ts';
import { callCommand } from '../buyer-cli/call.ts';
import { cardCommands } from '../buyer-cli/card.ts';
import { NotDone } from '../buyer-cli/not-done.ts';
import { verifyCommand } from '../buyer-cli/verify.ts';
import { catalogCommands } from './catalog.ts';
import { completionCommand } from './completion/completion.ts';
import { creativeCommands } from './creatives.ts';
import { deliveryCommands } from './deliveries.ts';
import { destinationCommands } from './destinations.ts';
import { configCommands, doctorCommand, settingsCommand } from './doctor.ts';
import { grantCommands } from './grants.ts';
import { keyCommands } from './keys.ts';
import { operatorKeyCommands } from './operator-keys.ts';
import { AgentAway } from './agent-away.ts';
import { OperatorError } from './operator-client.ts';
import { migrateCommand } from './migrate.ts';
import { orderCommands } from './orders.ts';
import { asksForJson } from './output-form.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
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
import type { Run, Terminal } from './session.ts';
import { statsCommand } from './stats.ts';
import { statusCommand } from './status.ts';
import { facts, jsonLine, printable, table } from './table.ts';
import { taskCommands } from './tasks.ts';

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

/** `webhooks …`: what is sent to buyers, and what became of it. */
function webhookCommands(run: Run): Command {
  const webhooks = new Command('webhooks').description('What is sent to buyers, and what became of it.');
  for (const command of [...deliveryCommands(run), ...destinationCommands(run)]) webhooks.addCommand(command);
  return webhooks;
}

/** `sign-in`: a new one-time link into the console. */
function signInCommand(run: Run): Command {
  const command = new Command('sign-in')
    .description(createLink.summary)
    .option('--person <id>', 'whom it signs in; default: whose key it is made with')
    .addOption(
      new Option('--role <role>', "of a link made with the shared key, which is nobody's").choices(OPERATOR_ROLES),
    );
  return run(command, {
    ask: (client, _args, { person, role }: { person?: string; role?: string }) =>
      client.call(createLink, { body: { person_id: person, role } }),
    show: (answer) => `${answer.sign_in_url}\n`,
  });
}

interface LogOptions extends PagingOptions {
  of?: string;
  target?: string;
  action?: string;
  since?: string;
  until?: string;
}

/** `log`: who did what and when. */
function logCommand(run: Run): Command {
  const command = new Command('log')
    .description(listActions.summary)
    .option('--of <name>', "one operator's deeds only, by the name of their credential")
    .option('--target <path>', 'what was done to one thing, such as /approvals/apr_1')
    .option('--action <name>', 'what was done, such as approvals.approve')
    .option('--since <day>', 'from this day of UTC on, such as 2026-01-31')
    .option('--until <day>', 'to this day, with it');
  return run(paged(command), {
    ask: (client, _args, { of, target, action, since, until, limit, cursor }: LogOptions) =>
      client.call(listActions, { query: { by: of, target, action, since, until, limit, cursor } }),
    rows: (answer) => answer.actions,
    show(answer) {
      const rows = answer.actions.map(({ action_id, at, by, said_name, action, target, outcome, error_code }) => [
        ...[at, said_name === undefined ? by : `${by} (says ${said_name})`, action, target],
        ...[error_code === null ? outcome : `${outcome}: ${error_code}`, action_id],
      ]);
      return table(['AT', 'BY', 'ACTION', 'TARGET', 'OUTCOME', 'ID'], rows) + more(answer);
    },
  });
}

/** `verify-log`: whether the record is as it was written; ends with status 1 where it is not. */
function verifyLogCommand(run: Run): Command {
  return run(new Command('verify-log').description(verifyRecord.summary), {
    ask: (client) => client.call(verifyRecord, {}),
    rows: ({ faults }) => faults,
    show: ({ faults, is_whole, actions, without_hash, chains }) =>
      (is_whole
        ? ''
        : `${table(
            ['KIND', 'ID', 'AT', 'FOUND'],
            faults.map(({ kind, action_id, at, found }) => [kind, action_id, at ?? '', found]),
          )}\n`) +
      facts([
        ['whole', is_whole ? 'yes' : 'no'],
        ['actions', String(actions)],
        ['without a hash', String(without_hash)],
        ['processes', String(chains)],
      ]),
    isBad: ({ is_whole }) => !is_whole,
  });
}

/** `undo`: the opposite of what was done. */
function undoCommand(run: Run): Command {
  return run(new Command('undo').description(undoAction.summary).argument('<action-id>'), {
    ask: (client, [action_id]: [string]) => client.call(undoAction, { params: { action_id } }),
    show: ({ action, target }) => `done: ${action} of ${target}\n`,
  });
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
