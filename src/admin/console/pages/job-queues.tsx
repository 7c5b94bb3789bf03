import { listQueues, pauseQueue, resumeQueue } from '../../operator/queues/operations.ts';
import { RUN_QUEUE } from '../../../runtime/dependencies.ts';
import type { ConsolePage } from '../console-page.ts';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { Table } from '../parts/table.tsx';
import { Count, State } from '../parts/words.tsx';

/** The job queues, and what may be done to one; the jobs themselves are bull-board's. */
export const jobQueuesPage: ConsolePage = {
  path: '/job-queues',
  menu: 'Queues',
  async show(call) {
    const { queues } = await call.read(listQueues);
    const { finished, failed } = RUN_QUEUE.keeps ?? { finished: 0, failed: 0 };
    const body = (
      <>
        <h1>Queues</h1>
        <p class="quiet">
          {'Jobs say only what is due; what is owed is on record, and nothing hangs on them. '}
          {`Of ${RUN_QUEUE.name} the last `}
          <Count of={finished} />
          {' that finished and the last '}
          <Count of={failed} />
          {' that failed are kept to be looked at; of the others none. '}
          <a href="/admin/queues">Look at the jobs</a>
        </p>
        <Table
          caption="Queues"
          rows={queues}
          empty="No queue is in use yet."
          columns={[
            {
              heading: 'Queue',
              cell: ({ queue }) => <a href={`/admin/queues/queue/${encodeURIComponent(queue)}`}>{queue}</a>,
            },
            { heading: 'State', cell: ({ is_paused }) => <State of={is_paused ? 'paused' : 'active'} /> },
            { heading: 'Waiting', isNumber: true, cell: ({ waiting }) => <Count of={waiting} /> },
            { heading: 'At work', isNumber: true, cell: ({ active }) => <Count of={active} /> },
            { heading: 'Later', isNumber: true, cell: ({ delayed }) => <Count of={delayed} /> },
          ]}
        />
        <h2>Pause and resume</h2>
        {call.operator.role !== 'admin' && <p class="quiet">This takes the role admin; you look on.</p>}
        <div class="forms">
          {queues.map(({ queue, is_paused }) =>
            is_paused ? (
              <ActionForm call={call} operation={resumeQueue} of={{ queue }} label={`Resume ${queue}`}>
                <p>{`Jobs of ${queue} are taken again, by all workers.`}</p>
              </ActionForm>
            ) : (
              <ActionForm call={call} operation={pauseQueue} of={{ queue }} label={`Pause ${queue}`}>
                <WordsField name="reason" label={`Why ${queue} is paused`} hint="shown on every page" isNeeded />
              </ActionForm>
            ),
          )}
        </div>
      </>
    );
    return { title: 'Queues', body };
  },
};
