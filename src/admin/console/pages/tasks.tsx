import { listTasksOfAll, TASK_STATES_ASKED, TASK_TYPES_LISTED } from '../../operator/tasks/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import { BuyerLink } from '../parts/buyer-of.tsx';
import { BUYER_FIELD, FilterBar } from '../parts/filter-bar.tsx';
import type { FilterField } from '../parts/filter-bar.tsx';
import { Pages, Tabs } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { tookInAll, waitingColumns } from '../parts/task-columns.tsx';
import { Count, IdLink, pageOfId, State, Said, When } from '../parts/words.tsx';

const FIELDS: readonly FilterField[] = [
  BUYER_FIELD,
  {
    ...{ name: 'task_type', label: 'Type', kind: 'choice' },
    choices: TASK_TYPES_LISTED.map((type) => [type, type.replaceAll('_', ' ')] as const),
  },
  { name: 'has_faults', label: 'Faults', kind: 'choice', choices: [['true', 'had some']] },
];

/** What buyers have asked for, by its state; what failed first. */
export const tasksPage: ConsolePage = {
  path: '/tasks',
  menu: 'Tasks',
  topics: ['tasks'],
  list: { of: listTasksOfAll, rows: 'tasks' },
  async show({ query, read, now }) {
    const { state = 'failed', organization_id, task_type, has_faults } = query;
    const { tasks, cursor } = await read(listTasksOfAll, { query: { ...query, state } });
    const body = (
      <>
        <h1>Tasks</h1>
        <Tabs
          label="Which tasks"
          path="/tasks"
          name="state"
          choices={TASK_STATES_ASKED}
          chosen={state}
          keeping={{ organization_id, task_type, has_faults }}
        />
        <FilterBar path="/tasks" query={query} fields={FIELDS} keeping={{ state: query['state'] }} />
        <Table
          caption="Tasks"
          rows={tasks}
          empty={`${state === 'all' ? 'There is no such task.' : `No such task is ${state}.`} What only reads is not listed.`}
          columns={[
            { heading: 'Task', cell: (task) => <IdLink of={task.task_id} to={pageOfId('/tasks', task.task_id)} /> },
            { heading: 'Type', cell: (task) => task.task_type.replaceAll('_', ' ') },
            { heading: 'Buyer', cell: (task) => <BuyerLink of={task} /> },
            { heading: 'State', cell: (task) => <State of={task.state} /> },
            { heading: 'Asked', cell: (task) => <When at={task.created_at} now={now} /> },
            { heading: 'Took', isNumber: true, cell: tookInAll },
            { heading: 'Changed', cell: (task) => <When at={task.updated_at} now={now} /> },
            { heading: 'Faults', isNumber: true, cell: (task) => <Count of={task.faults} /> },
            ...waitingColumns(tasks, now),
            { heading: 'Message', isWide: true, cell: (task) => <Said>{task.message}</Said> },
          ]}
        />
        <Pages path="/tasks" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Tasks', body };
  },
};
