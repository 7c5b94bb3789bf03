import { mayAct } from '../../../directory/operator/operator.ts';
import { pauseDestination, resumeDestination, showDestination } from '../../operator/webhooks/destinations.ts';
import type { DestinationInFull, DestinationView } from '../../operator/webhooks/destinations.ts';
import { stateOfReceiver } from '../../operator/webhooks/receiver-state.ts';
import { adviceFor } from '../../../webhooks/buyer/advice.ts';
import { MOST_LOOKED_AT } from '../../../webhooks/delivery/destination-figures.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { Advice } from '../parts/advice.tsx';
import { attemptWords } from '../parts/attempt-words.ts';
import { BuyerLink } from '../parts/buyer-of.tsx';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { queryOf } from '../parts/paging.tsx';
import { emptyAnswer } from '../parts/receiver-said.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { tookIn } from '../parts/receiver-words.ts';
import { IdLink, pageOfId, Said, State, When, Who } from '../parts/words.tsx';

/** One receiver: what waits for it, and whether anything goes there. */
export const receiverPage: ConsolePage = {
  path: '/webhooks/receivers/:destination',
  async show(call) {
    const { destination: asked = '' } = call.params;
    const one = await call.read(showDestination, { params: { destination: asked } });
    const { destination } = one;
    const last = one.last_24_hours.last_attempt;
    const state = stateOfReceiver(one, last);
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/webhooks">Webhooks</a>
          {' / '}
          <a href="/admin/webhooks/receivers">receivers</a>
        </p>
        <h1>
          <Said>{destination}</Said>
        </h1>
        {state !== 'ok' && last !== null && <Advice of={adviceFor(last)} last={last} />}
        <Facts
          of={[
            ['State', <State of={state} />],
            ['Paused', one.paused_at !== null && <When at={one.paused_at} now={call.now} />],
            ['By', one.paused_by !== null && <Who of={one.paused_by} />],
            ['Why', one.reason !== null && <Said>{one.reason}</Said>],
            ['Waiting', String(one.waiting)],
            ['On their way now', String(one.in_flight)],
            ['Tried again', one.closed_until !== null && <When at={one.closed_until} now={call.now} />],
            ['Has taken one before', one.is_known ? 'yes' : 'no; until then it gets one a second'],
            ['Its webhooks', <a href={`/admin/webhooks${queryOf({ destination })}`}>all</a>],
          ]}
        />
        <LastDay of={one.last_24_hours} now={call.now} />
        {one.receiver_answers.length > 0 && <Answers of={one.receiver_answers} now={call.now} />}
        <h2>What fails there</h2>
        <p class="quiet">
          A 401 is no failure in a row: who refuses us answers, and is sent to as before. In a path, * stands for a part
          that has a digit or is long.
        </p>
        <Table
          caption="Targets, those that fail most first"
          rows={one.targets}
          empty="Nothing has been sent there within a day."
          columns={[
            { heading: 'Buyer', cell: (target) => <BuyerLink of={target} /> },
            { heading: 'Path', cell: (target) => <Said>{target.path ?? 'all'}</Said> },
            { heading: 'Failures in a row', isNumber: true, cell: (target) => target.consecutive_failures },
            {
              heading: 'Tried again',
              cell: (target) => target.closed_until !== null && <When at={target.closed_until} now={call.now} />,
            },
          ]}
        />
        <h2>{one.is_paused ? 'Go on' : 'Send or hold back'}</h2>
        <RoleNote call={call} role={pauseDestination.role} />
        <Hold call={call} of={one} />
      </>
    );
    return { title: destination, body };
  },
};

/** What it said when it last failed each buyer, with stars for what is secret. */
function Answers({ of, now }: { of: DestinationInFull['receiver_answers']; now: number }): Markup {
  return (
    <>
      <h2>What it said last when it failed</h2>
      <Table
        caption="Its own words to each buyer, kept for 7 days, the newest first"
        rows={of}
        empty="Nothing of late."
        columns={[
          { heading: 'Buyer', cell: (one) => <BuyerLink of={one} /> },
          {
            heading: 'Webhook',
            cell: (one) => <IdLink of={one.delivery_id} to={pageOfId('/webhooks', one.delivery_id)} />,
          },
          { heading: 'When', cell: (one) => <When at={one.answered_at} now={now} /> },
          { heading: 'Status', isNumber: true, cell: (one) => one.http_status_code },
          {
            heading: 'What it said',
            isWide: true,
            cell: (one) => (one.text === '' ? emptyAnswer(one) : <Said>{one.is_cut ? `${one.text}…` : one.text}</Said>),
          },
        ]}
      />
    </>
  );
}

function LastDay({ of, now }: { of: DestinationInFull['last_24_hours']; now: number }): Markup {
  const { delivered, failed, success_percent, p50_ms, p95_ms, last_attempt } = of;
  return (
    <>
      <h2>The last 24 hours</h2>
      {of.is_cut && (
        <p class="note">{`Of the newest ${MOST_LOOKED_AT.toLocaleString('en')} webhooks alone: there are more.`}</p>
      )}
      <Facts
        of={[
          ['Delivered', String(delivered)],
          ['Failed for good', String(failed)],
          ['Success', success_percent === null ? 'none has ended' : `${success_percent.toFixed(1)} %`],
          ['Half are there within', p50_ms !== null && tookIn(p50_ms)],
          ['95 of 100 within', p95_ms !== null && tookIn(p95_ms)],
          ['Last answer', last_attempt !== null && <Said>{attemptWords(last_attempt)}</Said>],
          ['Asked last', last_attempt !== null && <When at={last_attempt.started_at} now={now} />],
        ]}
      />
    </>
  );
}

function Hold({ call, of: { destination, is_paused, waiting } }: { call: PageCall; of: DestinationView }): Markup {
  if (!mayAct(call.operator.role, pauseDestination.role)) return <></>;
  return (
    <div class="forms">
      {!is_paused && waiting > 0 && (
        <ActionForm call={call} operation={resumeDestination} of={{ destination }} label="Send what waits now">
          <p>{`Once the receiver is mended: ${waiting} of its webhooks wait. Without this each is tried again by itself, ever more seldom.`}</p>
        </ActionForm>
      )}
      {is_paused ? (
        <ActionForm call={call} operation={resumeDestination} of={{ destination }} label="Resume">
          <p>{`What waits is sent at once: ${waiting}.`}</p>
        </ActionForm>
      ) : (
        <ActionForm call={call} operation={pauseDestination} of={{ destination }} label="Pause" isFinal>
          <p>Nothing is sent there, of any buyer, until somebody resumes it. No attempt is spent.</p>
          <WordsField name="reason" label="Reason" isNeeded />
        </ActionForm>
      )}
    </div>
  );
}
