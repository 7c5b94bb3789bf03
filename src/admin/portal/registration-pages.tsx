import type { BuyerRegistration } from '../../webhooks/buyer/registrations.ts';
import type { TestOutcome } from '../../webhooks/buyer/test-event.ts';
import type { Child, Markup } from '../console/html/markup.ts';
import { channelWords } from '../console/parts/channel-words.ts';
import { Pages, queryOf } from '../console/parts/paging.tsx';
import { Facts, Table } from '../console/parts/table.tsx';
import { TestedEvent } from '../console/parts/tested-event.tsx';
import { Said, State, When } from '../console/parts/words.tsx';
import { PORTAL } from './portal-shell.tsx';
import type { PortalPage } from './portal-shell.tsx';

const MENU = '/registrations';

interface ListOptions {
  query: { task_id?: string | undefined; cursor?: string | undefined };
  cursor: string | undefined;
  now: number;
  placeOf: (one: BuyerRegistration) => string;
}

/** Where the news of an organization's tasks goes. */
export function portalRegistrationsPage(
  rows: readonly BuyerRegistration[],
  { query, cursor, now, placeOf }: ListOptions,
): PortalPage {
  const body = (
    <>
      <h1>Registrations</h1>
      {query.task_id !== undefined && (
        <p class="note">
          {'Of the task '}
          <Said>{query.task_id}</Said>
          {' alone. '}
          <a href={`${PORTAL}${MENU}`}>Show all</a>
        </p>
      )}
      <p class="quiet">
        Where the news of your tasks goes, those that changed last first. Report webhooks of a media buy are changed by
        update_media_buy.
      </p>
      <Table
        caption="Registrations"
        rows={rows}
        empty={
          cursor === undefined
            ? 'There are none. Name one in a task’s push_notification_config, or by the protocol’s own mechanism.'
            : 'None of the newest tasks has one; look at the next page.'
        }
        columns={[
          {
            heading: 'Address',
            isWide: true,
            cell: (one) => (
              <a href={`${PORTAL}${placeOf(one)}`}>
                <Said>{one.url}</Said>
              </a>
            ),
          },
          { heading: 'State', cell: (one) => <State of={stateOf(one)} /> },
          { heading: 'Task', cell: (one) => <TaskLink of={one} /> },
          { heading: 'Type', cell: (one) => one.task_type.replaceAll('_', ' ') },
          { heading: 'Proved by', cell: (one) => one.mode },
          { heading: 'Since', cell: (one) => <When at={one.created_at} now={now} /> },
          { heading: 'Ended', cell: (one) => one.ended_at !== null && <When at={one.ended_at} now={now} /> },
        ]}
      />
      <Pages base={PORTAL} path={MENU} query={{ ...query }} cursor={cursor} />
    </>
  );
  return { title: 'Registrations', body, menu: MENU };
}

interface OneOptions {
  place: string;
  /** What its form needs; undefined where whoever looks may not. */
  test: Markup | undefined;
  isDone: boolean;
  now: number;
}

/** One registration, with what may be done about it. */
export function portalRegistrationPage(one: BuyerRegistration, { place, test, isDone, now }: OneOptions): PortalPage {
  const isActive = one.ended_at === null;
  const body = (
    <>
      <Crumbs>{one.registration_id}</Crumbs>
      <h1>
        <Said>{one.url}</Said>
      </h1>
      {isDone && (
        <p class="note" role="status" tabindex={-1} autofocus>
          It has ended, and what was pending for it has, too.
        </p>
      )}
      <Facts
        of={[
          ['State', <State of={stateOf(one)} />],
          ['Task', <TaskLink of={one} />],
          ['Type', one.task_type.replaceAll('_', ' ')],
          ['Task is', <State of={one.task_state} />],
          ['Registered by', channelWords(one.channel)],
          ['Operation', one.operation_id !== null && <Said>{one.operation_id}</Said>],
          ['Proved by', one.mode],
          ['Since', <When at={one.created_at} now={now} />],
          ['Ended', !isActive && <When at={one.ended_at} now={now} />],
        ]}
      />
      {isActive && test !== undefined && (
        <div class="forms">
          <form class="act" method="post" action={`${PORTAL}${place}/test`}>
            {test}
            <h2>Try it</h2>
            <p>A signed event that means nothing, proved as this registration has it. 60 an hour.</p>
            <button>Send a test event</button>
          </form>
          <div class="card">
            <h2>No more of this task</h2>
            <p class="pages">
              <a href={`${PORTAL}${place}/end`}>End this registration…</a>
            </p>
          </div>
        </div>
      )}
    </>
  );
  return { title: 'Registration', body, menu: MENU };
}

/** What ending one means, before it is done. `end`: what the form needs. */
export function portalEndPage(
  one: BuyerRegistration,
  { place, end }: { place: string; end: Markup | undefined },
): PortalPage {
  const body = (
    <>
      <Crumbs>{one.registration_id}</Crumbs>
      <h1>End this registration?</h1>
      <p>
        {'Nothing more of this task is sent to '}
        <Said>{one.url}</Said>
        {
          '. What is pending ends, but for an attempt that is on its way, and cannot be sent again. You can register anew, and read the task meanwhile.'
        }
      </p>
      {one.ended_at !== null ? (
        <p class="note">It has ended already.</p>
      ) : end === undefined ? (
        <p class="note">The API key that you signed in with lacks the scope webhooks:write.</p>
      ) : (
        <div class="forms">
          <form class="act" method="post" action={`${PORTAL}${place}/end`}>
            {end}
            <p>This cannot be taken back.</p>
            <button class="final">End it for good</button>
          </form>
        </div>
      )}
      <p class="pages">
        <a href={`${PORTAL}${place}`}>Leave it as it is</a>
      </p>
    </>
  );
  return { title: 'End a registration', body, menu: MENU };
}

/** What happened to a test event, phase by phase. */
export function portalTestedPage(outcome: TestOutcome, place: string): PortalPage {
  const body = (
    <>
      <Crumbs>Test event</Crumbs>
      <TestedEvent of={outcome} receiver="Your receiver" />
      <p class="pages">
        <a href={`${PORTAL}${place}`}>Back to the registration</a>
      </p>
    </>
  );
  return { title: 'Test event', body, menu: MENU };
}

function Crumbs({ children }: { children?: Child }): Markup {
  return (
    <p class="crumbs">
      <a href={`${PORTAL}${MENU}`}>Registrations</a>
      {' / '}
      <Said>{children}</Said>
    </p>
  );
}

function TaskLink({ of: { task_id } }: { of: BuyerRegistration }): Markup {
  return (
    <a class="id" href={`${PORTAL}${queryOf({ task_id })}`}>
      {task_id}
    </a>
  );
}

function stateOf({ ended_at }: BuyerRegistration): string {
  return ended_at === null ? 'active' : 'ended';
}
