import { listDestinations, MOST_WITH_FIGURES } from '../../operator/webhooks/destination-list.ts';
import type { DestinationInList } from '../../operator/webhooks/destination-list.ts';
import type { DestinationView } from '../../operator/webhooks/destinations.ts';
import { stateOfReceiver } from '../../operator/webhooks/receiver-state.ts';
import { MOST_OF_EACH } from '../../../webhooks/delivery/destination-figures.ts';
import type { ConsolePage } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { attemptWords } from '../parts/attempt-words.ts';
import { BuyerLink } from '../parts/buyer-of.tsx';
import { tookIn } from '../parts/receiver-words.ts';
import { Table } from '../parts/table.tsx';
import type { Column } from '../parts/table.tsx';
import { pageOfId, Said, State, When } from '../parts/words.tsx';

/** The receivers that are paused or have webhooks waiting, and how each did of late. */
export const receiversPage: ConsolePage = {
  path: '/webhooks/receivers',
  async show({ read, now }) {
    const { destinations } = await read(listDestinations, { query: { figures: 'true' } });
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/webhooks">Webhooks</a>
          {' / receivers'}
        </p>
        <h1>Receivers</h1>
        <Table
          caption="Receivers, the most waiting first"
          rows={destinations}
          empty="None is paused, and nothing waits for any. A receiver stands here while webhooks to it wait."
          columns={[
            {
              heading: 'Receiver',
              cell: (one) => (
                <a href={`/admin${pageOfId('/webhooks/receivers', one.destination)}`}>
                  <Said>{one.destination}</Said>
                </a>
              ),
            },
            { heading: 'Buyers', cell: (one) => <Buyers of={one.buyers} /> },
            { heading: 'State', cell: (one) => <State of={stateOfReceiver(one, one.last_attempt)} /> },
            { heading: 'Waiting', isNumber: true, cell: (one) => one.waiting },
            { heading: 'Failing', isNumber: true, cell: (one) => <Failing of={one} now={now} /> },
            { heading: `Success of ${MOST_OF_EACH}`, isNumber: true, cell: successOf },
            {
              heading: 'p50',
              isNumber: true,
              cell: ({ last_24_hours: of }) => of?.p50_ms != null && tookIn(of.p50_ms),
            },
            {
              heading: 'p95',
              isNumber: true,
              cell: ({ last_24_hours: of }) => of?.p95_ms != null && tookIn(of.p95_ms),
            },
            { heading: 'Last answer', cell: (one) => <LastAnswer of={one} now={now} /> },
            ...whyPaused(destinations),
          ]}
        />
        <p class="quiet">
          {`Failing: how often in a row. Success and times, until half and 95 of 100 were delivered, are of each one’s newest ${MOST_OF_EACH} webhooks of the last 24 hours, for the ${MOST_WITH_FIGURES} with the most waiting; its own page looks at more.`}
        </p>
      </>
    );
    return { title: 'Receivers', body };
  },
};

/** Where one is paused, why; no column for nothing. */
export function whyPaused(all: readonly DestinationView[]): Column<DestinationView>[] {
  if (!all.some(({ reason }) => reason !== null)) return [];
  return [{ heading: 'Why paused', cell: (one) => <Said>{one.reason}</Said> }];
}

/** More are told by number. */
const MOST_NAMED = 2;

function Buyers({ of }: { of: DestinationInList['buyers'] }): Markup {
  return (
    <>
      {of.slice(0, MOST_NAMED).map((one) => (
        <>
          <BuyerLink of={one} />{' '}
        </>
      ))}
      {of.length > MOST_NAMED && <span class="quiet">{`and ${of.length - MOST_NAMED} more`}</span>}
    </>
  );
}

/** How often in a row, and when the next try is. */
function Failing({ of: { consecutive_failures, closed_until }, now }: { of: DestinationInList; now: number }): Markup {
  return (
    <>
      {consecutive_failures}
      {closed_until !== null && (
        <p class="below">
          <When at={closed_until} now={now} />
        </p>
      )}
    </>
  );
}

function successOf({ last_24_hours }: DestinationInList): string {
  const percent = last_24_hours?.success_percent;
  return percent === null || percent === undefined ? '' : `${percent.toFixed(1)} %`;
}

function LastAnswer({ of: { last_attempt }, now }: { of: DestinationInList; now: number }): Markup {
  if (last_attempt === null) return <></>;
  return (
    <>
      <Said>{attemptWords(last_attempt)}</Said>
      <p class="below">
        <When at={last_attempt.started_at} now={now} />
      </p>
    </>
  );
}
