import { Command } from 'commander';
import { listActions } from '../../admin/operator/actions/operations.ts';
import { undoAction } from '../../admin/operator/actions/undo.ts';
import { verifyRecord } from '../../admin/operator/actions/verify-record.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

interface LogOptions extends PagingOptions {
  of?: string;
  target?: string;
  action?: string;
  since?: string;
  until?: string;
}

/** `log`: who did what and when. */
export function logCommand(run: Run): Command {
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
export function verifyLogCommand(run: Run): Command {
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
export function undoCommand(run: Run): Command {
  return run(new Command('undo').description(undoAction.summary).argument('<action-id>'), {
    ask: (client, [action_id]: [string]) => client.call(undoAction, { params: { action_id } }),
    show: ({ action, target }) => `done: ${action} of ${target}\n`,
  });
}
