import { showRange } from '../../operator/webhooks/ranges.ts';
import type { RangeView } from '../../operator/webhooks/ranges.ts';
import type { ConsolePage } from '../console-page.ts';
import { leftOutWords, WhichRange } from '../parts/ranges.tsx';
import { Facts } from '../parts/table.tsx';
import { IdLink, pageOfId, State, When, Who } from '../parts/words.tsx';
import { ALL_RECEIVERS } from './range-count.tsx';

/** How far a range of webhooks that is sent again has come, as it comes on. */
export const rangePage: ConsolePage = {
  path: '/webhooks/ranges/:range_id',
  topics: ['ranges'],
  async show({ params, read, now }) {
    const range = await read(showRange, { params: { ...params } });
    const { range_id, by, asked_at, resent, failed, is_over, total, left_out, filter } = range;
    const { task_id, organization_id } = filter;
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/webhooks">Webhooks</a>
          {' / '}
          <a href="/admin/webhooks/range-count">Send many again</a>
          {` / ${range_id}`}
        </p>
        <h1>{soFar(range)}</h1>
        {total !== null && (
          <progress value={is_over ? total : Math.min(resent, total)} max={Math.max(total, 1)} aria-label="Done" />
        )}
        <Facts
          of={[
            ['State', <State of={is_over ? 'done' : 'working'} />],
            ['Left out', leftOutWords(left_out)],
            ['Given up', failed > 0 && `${failed}, which cannot be sent for a fault that is ours; the log names them`],
            ['Asked for', <When at={asked_at} now={now} />],
            ['By', <Who of={by} />],
          ]}
        />
        {!is_over && <p class="quiet">It goes on by itself, whatever restarts; this page follows it.</p>}
        <h2>Which</h2>
        <WhichRange
          of={filter}
          all={ALL_RECEIVERS}
          more={[
            ['Task', task_id !== undefined && <IdLink of={task_id} to={pageOfId('/tasks', task_id)} />],
            [
              'Buyer',
              organization_id !== undefined && (
                <IdLink of={organization_id} to={pageOfId('/buyers', organization_id)} />
              ),
            ],
          ]}
        />
      </>
    );
    return { title: 'Send many again', body };
  },
};

/** Pure. */
function soFar({ resent, total, is_over }: RangeView): string {
  const sent = resent.toLocaleString('en');
  const of = total === null ? '' : ` of ${total.toLocaleString('en')}`;
  return is_over ? `Done: ${sent}${of} sent again` : `${sent}${of} sent again so far`;
}
