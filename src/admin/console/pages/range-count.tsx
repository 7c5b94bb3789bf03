import { mayAct } from '../../../directory/operator/operator.ts';
import { countOneRange, MOST_RANGE_COUNTED, resendRange } from '../../operator/webhooks/ranges.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { countedWords, instantInUtc, RangeFields, RangeMakeUp, WhichRange } from '../parts/ranges.tsx';
import { IdLink, pageOfId, Said } from '../parts/words.tsx';

/** Of whose webhooks a range without a receiver is. */
export const ALL_RECEIVERS = 'all there are';

/** How many webhooks a range would send again, and the form that does it; first of all, which. */
export const rangeCountPage: ConsolePage = {
  path: '/webhooks/range-count',
  async show(call) {
    const title = 'Send many again';
    return { title, body: call.query['state'] === undefined ? asking() : await counted(call) };
  },
};

function asking() {
  return (
    <>
      <p class="crumbs">
        <a href="/admin/webhooks">Webhooks</a>
      </p>
      <h1>Send many again</h1>
      <div class="forms">
        <form class="act" method="get" action="/admin/webhooks/range-count">
          <p>They are counted first; nothing is sent yet.</p>
          <RangeFields all={ALL_RECEIVERS} />
          <button>Count them</button>
        </form>
      </div>
    </>
  );
}

async function counted(call: PageCall) {
  const { query, read, now } = call;
  const asked = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(instantInUtc(value))]));
  const count = await read(countOneRange, { query: asked });
  const { state = '', destination, task_id, organization_id, from } = asked;
  const many = count.is_more
    ? `more than ${MOST_RANGE_COUNTED.toLocaleString('en')}`
    : count.count.toLocaleString('en');
  const range = { state, destination, task_id, organization_id, from, until: count.until };
  return (
    <>
      <p class="crumbs">
        <a href="/admin/webhooks">Webhooks</a>
        {' / '}
        <a href="/admin/webhooks/range-count">Send many again</a>
      </p>
      <h1>{count.is_more ? `More than ${countedWords(MOST_RANGE_COUNTED)}` : countedWords(count.count)}</h1>
      <WhichRange
        of={range}
        all={ALL_RECEIVERS}
        more={[
          ['Task', task_id !== undefined && <IdLink of={task_id} to={pageOfId('/tasks', task_id)} />],
          ['Buyer', organization_id !== undefined && <Said>{organization_id}</Said>],
        ]}
      />
      <RangeMakeUp of={count} now={now} />
      {count.count > 0 && (
        <div class="forms more">
          <ActionForm
            call={call}
            operation={resendRange}
            of={{}}
            label={count.count === 1 ? 'Send it again' : `Send all ${many} again`}
          >
            <p>
              Oldest first, each once, as fast as their receivers take them. It goes on by itself, whatever restarts.
            </p>
            <p>The same bytes; after 24 hours as new events, under keys of their own.</p>
            {Object.entries(range).map(
              ([name, value]) => value !== undefined && <input type="hidden" name={name} value={value} />,
            )}
          </ActionForm>
        </div>
      )}
      {!mayAct(call.operator.role, resendRange.role) && <p class="note">Only operators and admins send them again.</p>}
      <p class="pages">
        <a href="/admin/webhooks/range-count">Choose others</a>
      </p>
    </>
  );
}
