import { cancelTask, nudgeTask } from '../../operator/tasks/actions.ts';
import { showTask } from '../../operator/tasks/operations.ts';
import type { TaskInFullView } from '../../operator/tasks/operations.ts';
import { FAULTS_KEPT } from '../../../runtime/fault-log.ts';
import { listDeliveries } from '../../operator/webhooks/deliveries.ts';
import type { ConsolePage } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { BuyerFact } from '../parts/buyer-of.tsx';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { queryOf } from '../parts/paging.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { passagesOf } from '../parts/task-passages.ts';
import { Timeline } from '../parts/timeline.tsx';
import { registrationsTable } from './registrations.tsx';
import { Data, headingOf, IdLink, pageOfId, State, Said, When } from '../parts/words.tsx';

/** The most that there are in one list. */
const WEBHOOKS_SHOWN = 100;

/** One task: what was asked, and all that it went through. */
export const taskPage: ConsolePage = {
  path: '/tasks/:task_id',
  topics: ['tasks', 'deliveries'],
  async show(call) {
    const { params, read, now } = call;
    const [task, { deliveries, cursor }] = await Promise.all([
      read(showTask, { params: { ...params } }),
      read(listDeliveries, { query: { task_id: params['task_id'], limit: String(WEBHOOKS_SHOWN) } }),
    ]);
    const { task_id, task_type, spoken } = task;
    const isOver = ['completed', 'failed', 'canceled', 'rejected'].includes(task.state);
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/tasks">Tasks</a>
          {` / ${task_id}`}
        </p>
        <h1>{headingOf(task_type)}</h1>
        {isOver && (
          <p class="note">
            It is over, as the buyer reads when they ask: it is never done again. A new request does it anew. Whether a
            webhook has told them stands in the timeline.
          </p>
        )}
        <Facts
          of={[
            ['State', <State of={task.state} />],
            ['Buyer', <BuyerFact of={task} />],
            ['Media buy', buyOf(task)],
            ['Asked by', <Said>{task.principal_id}</Said>],
            ['In the words of', spoken && `${spoken.dialect} ${spoken.release}, ${spoken.skill}`],
            ['Begun', <When at={task.created_at} now={now} />],
            ['Changed', <When at={task.updated_at} now={now} />],
            ['Waits for', task.waits_for?.replaceAll('_', ' ')],
            ['Owed a turn since', task.owed_since && <When at={task.owed_since} now={now} />],
            ['Faults in a row', task.faults > 0 && String(task.faults)],
            ['Cannot be canceled since', task.committed_at && <When at={task.committed_at} now={now} />],
            ['Idempotency key', task.idempotency_key !== null && <Said>{task.idempotency_key}</Said>],
            [
              'Trace',
              task.trace_url === undefined ? (
                task.trace_id && <IdLink of={task.trace_id} />
              ) : (
                <a class="id" href={task.trace_url} rel="noreferrer">
                  {task.trace_id}
                </a>
              ),
            ],
            ['Webhooks', <a href={`/admin/webhooks${queryOf({ task_id })}`}>those of this task</a>],
          ]}
        />
        {!isOver && (
          <div class="forms">
            {task.owed_since !== undefined && (
              <ActionForm call={call} operation={nudgeTask} of={{ task_id }} label="Run now">
                <p>Its next try is now, and not after the time that it waits.</p>
              </ActionForm>
            )}
            {task.committed_at === null && (
              <ActionForm call={call} operation={cancelTask} of={{ task_id }} label="Cancel the task" isFinal>
                <WordsField name="reason" label="Reason" hint="The buyer is told it." isNeeded />
              </ActionForm>
            )}
          </div>
        )}
        <h2>Timeline</h2>
        <Timeline passages={passagesOf(task, deliveries)} now={now} />
        <p class="quiet">
          {'When turns begin and end is not kept: a fault has the turn that it broke down in.'}
          {cursor !== undefined && ` Of its webhooks only the newest ${WEBHOOKS_SHOWN} are here.`}
        </p>
        {task.fault_log.length > 0 && (
          <>
            <h2>Faults</h2>
            <Table
              caption={`The last ${FAULTS_KEPT} at most, oldest first`}
              rows={task.fault_log}
              empty=""
              columns={[
                { heading: 'Turn', isNumber: true, cell: (fault) => fault.turn },
                { heading: 'When', cell: (fault) => <When at={fault.at} now={now} /> },
                { heading: 'What', isWide: true, cell: (fault) => <Said>{fault.message}</Said> },
                { heading: 'In the log by', cell: (fault) => <IdLink of={fault.error_id} /> },
              ]}
            />
          </>
        )}
        {task.result !== undefined && (
          <>
            <h2>Result</h2>
            <Data of={task.result} />
          </>
        )}
        {await registrationsTable(call, task_id)}
        <h2>Input</h2>
        <Data of={task.input} />
        {task.said && (
          <>
            <h2>Said besides</h2>
            <Data of={task.said} />
          </>
        )}
      </>
    );
    return { title: `${task_type} ${task_id}`, body };
  },
};

/** The media buy that it made or changes, as far as its answer or its input names one. */
function buyOf({ result, input }: TaskInFullView): Markup | undefined {
  const named = [result, input].find(namesBuy);
  return named && <IdLink of={named.media_buy_id} to={pageOfId('/buys', named.media_buy_id)} />;
}

function namesBuy(one: unknown): one is { media_buy_id: string } {
  return typeof one === 'object' && one !== null && 'media_buy_id' in one && typeof one.media_buy_id === 'string';
}
