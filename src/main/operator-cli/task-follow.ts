import { Command } from 'commander';
import { showTask } from '../../admin/operator/tasks/operations.ts';
import type { TaskInFullView } from '../../admin/operator/tasks/operations.ts';
import { isTerminal, TaskState } from '../../runtime/states.ts';
import { AgentAway } from './agent-away.ts';
import type { OperatorClient } from './operator-client.ts';
import type { Pause, Run } from './session.ts';
import { printable } from './table.ts';

type Event = TaskInFullView['events'][number];

/** How often the task is looked at, in milliseconds. */
const LOOK_MS = 1_000;
/** So many looks in a row may find nobody there before the agent counts as away: an agent that starts anew is waited for. */
const LOOKS_AT_NOBODY = 60;

/** `tasks follow ID`: each event as it comes, until the task is over. */
export function followCommand(run: Run): Command {
  return run.following(
    new Command('follow')
      .description(
        'Print each event of a task as it comes, until it is over: status 0 where it has completed, 1 where not.',
      )
      .argument('<task_id>'),
    {
      follow: (client, [task_id]: [string], pause) => eventsOf(client, task_id, pause),
      show: ({ at, state = '', message }) => `${printable([at, state.padEnd(STATE_WIDTH), message].join('  '))}\n`,
    },
  );
}

const STATE_WIDTH = Math.max(...TaskState.options.map((state) => state.length));

/** Those that are there, then those that come; returns whether the task has completed. */
async function* eventsOf(client: OperatorClient, task_id: string, pause: Pause): AsyncGenerator<Event, boolean> {
  const look = () => client.call(showTask, { params: { task_id } });
  let seen = 0;
  for (let task = await look(); ; task = await patiently(look, pause)) {
    const news = task.events.filter(({ sequence }) => sequence > seen);
    yield* news;
    seen = news.at(-1)?.sequence ?? seen;
    if (isTerminal(task.state)) return task.state === 'completed';
    await pause(LOOK_MS);
  }
}

/** @throws {AgentAway} where nobody is there for as long as is waited. */
async function patiently<T>(look: () => Promise<T>, pause: Pause): Promise<T> {
  for (let looks = 1; ; looks += 1) {
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof AgentAway) || looks === LOOKS_AT_NOBODY) throw error;
    }
    await pause(LOOK_MS);
  }
}
