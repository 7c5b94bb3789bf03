import { Command, Option } from 'commander';
import { cancelTask, nudgeTask } from '../../admin/operator/tasks/actions.ts';
import {
  listTasksOfAll,
  showTask,
  TASK_STATES_ASKED,
  TASK_TYPES_LISTED,
} from '../../admin/operator/tasks/operations.ts';
import type { TaskInFullView, TaskRowView } from '../../admin/operator/tasks/operations.ts';
import { BUYER_ASKED, more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { followCommand } from './task-follow.ts';
import { age, facts, printableJson, table } from './table.ts';

interface Filters extends PagingOptions {
  state: (typeof TASK_STATES_ASKED)[number];
  buyer?: string;
  type?: (typeof TASK_TYPES_LISTED)[number];
  withFaults?: true;
}

/** `tasks …`: what buyers have asked for, and what became of it. */
export function taskCommands(run: Run): Command {
  return new Command('tasks')
    .description('Tasks: what buyers have asked for, and what became of it.')
    .addCommand(
      run(
        paged(
          new Command('list')
            .description(listTasksOfAll.summary)
            .option('--buyer <buyer>', BUYER_ASKED)
            .addOption(new Option('--type <task_type>', 'default: of all types').choices(TASK_TYPES_LISTED))
            .option('--with-faults', 'those alone that had a fault')
            .addOption(new Option('--state <state>').choices(TASK_STATES_ASKED).default('failed')),
        ),
        {
          ask: (client, _args, { buyer, type: task_type, withFaults, state, limit, cursor }: Filters) =>
            client.call(listTasksOfAll, {
              query: {
                ...{ organization_id: buyer, task_type, state, limit, cursor },
                ...(withFaults && { has_faults: 'true' }),
              },
            }),
          rows: (answer) => answer.tasks,
          show: (answer) => listed(answer.tasks) + more(answer),
        },
      ),
    )
    .addCommand(
      run(new Command('show').description(showTask.summary).argument('<task_id>'), {
        ask: (client, [task_id]: [string]) => client.call(showTask, { params: { task_id } }),
        show: shown,
      }),
    )
    .addCommand(followCommand(run))
    .addCommand(
      run(new Command('nudge').description(nudgeTask.summary).argument('<task_id>'), {
        ask: (client, [task_id]: [string]) => client.call(nudgeTask, { params: { task_id } }),
        show: shown,
      }),
    )
    .addCommand(
      run(
        new Command('cancel')
          .description(cancelTask.summary)
          .argument('<task_id>')
          .requiredOption('--reason <words>', 'why; told to the buyer'),
        {
          ask: (client, [task_id]: [string], { reason }: { reason: string }) =>
            client.call(cancelTask, { params: { task_id }, body: { reason } }),
          show: shown,
        },
      ),
    );
}

function listed(tasks: readonly TaskRowView[]): string {
  return table(
    ['TASK', 'TYPE', 'BUYER', 'CHANGED', 'TOOK', 'FAULTS', 'MESSAGE'],
    tasks.map((one) => [
      ...[one.task_id, one.task_type, one.organization_name ?? one.organization_id, one.updated_at],
      ...[took(one), String(one.faults), one.message],
    ]),
  );
}

/** Nothing of one that is not over. */
function took({ created_at, ended_at }: TaskRowView): string {
  return ended_at === undefined ? '' : age(Math.floor((Date.parse(ended_at) - Date.parse(created_at)) / 1_000));
}

function shown(task: TaskInFullView): string {
  const head = facts([
    ['task', task.task_id],
    ['type', task.task_type],
    ['state', task.state],
    ['buyer', `${task.organization_name ?? ''} ${task.organization_id}`.trim()],
    ['asked by', task.principal_id],
    ['in the words of', task.spoken && `${task.spoken.dialect} ${task.spoken.release}`],
    ['waits for', task.waits_for],
    ['over since', task.ended_at],
    ['owed since', task.owed_since],
    ['faults', task.faults === 0 ? '' : String(task.faults)],
  ]);
  const events = table(
    ['AT', 'STATE', 'MESSAGE'],
    task.events.map(({ at, state = '', message }) => [at, state, message]),
  );
  const faults = table(
    ['FAULT AT', 'TURN', 'WHAT', 'IN THE LOG BY'],
    task.fault_log.map(({ at, turn, message, error_id }) => [at, String(turn), message, error_id]),
  );
  const told = task.fault_log.length === 0 ? events : `${events}\n${faults}`;
  const result = task.result === undefined ? '' : `\nresult\n${printableJson(task.result)}\n`;
  return `${head}\n${told}\ninput\n${printableJson(task.input)}\n${result}`;
}
