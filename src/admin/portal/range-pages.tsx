import { MOST_IN_RANGE } from '../../webhooks/buyer/resend-range.ts';
import type { BuyerRangeView, RangeCount, RangeRequest } from '../../webhooks/buyer/resend-range.ts';
import type { Markup } from '../console/html/markup.ts';
import { countedWords, leftOutWords, RangeFields, RangeMakeUp, WhichRange } from '../console/parts/ranges.tsx';
import { Facts, Table } from '../console/parts/table.tsx';
import { pageOfId, Said, State, When } from '../console/parts/words.tsx';
import { PORTAL } from './portal-shell.tsx';
import type { PortalPage } from './portal-shell.tsx';

const MENU = '/ranges';

/** Of whose webhooks a range without a receiver is. */
const ALL = 'all of yours';

/** What was sent again by the range, and the form that counts another. */
export function portalRangesPage(
  ranges: readonly BuyerRangeView[],
  { mayAsk, now }: { mayAsk: boolean; now: number },
): PortalPage {
  const body = (
    <>
      <h1>Send many again</h1>
      {mayAsk ? (
        <div class="forms">
          <form class="act" method="get" action={`${PORTAL}${MENU}/count`}>
            <p>{`What your receiver missed, up to ${MOST_IN_RANGE.toLocaleString('en')} at a time. They are counted first; nothing is sent yet.`}</p>
            <RangeFields all={ALL} />
            <button>Count them</button>
          </form>
        </div>
      ) : (
        <p class="note">The API key that you signed in with lacks the scope webhooks:write.</p>
      )}
      <h2>Asked for before</h2>
      <Table
        caption="Ranges, newest first"
        rows={ranges}
        empty="Nothing was sent again by the range in the last 30 days."
        columns={[
          {
            heading: 'Range',
            cell: ({ range_id }) => (
              <a class="id" href={`${PORTAL}${pageOfId(MENU, range_id)}`}>
                {range_id}
              </a>
            ),
          },
          { heading: 'State', cell: (one) => <State of={stateOf(one)} /> },
          { heading: 'Sent again', isNumber: true, cell: ({ resent, total }) => `${resent} of ${total}` },
          { heading: 'Which', cell: ({ filter }) => filter.state },
          { heading: 'Receiver', isWide: true, cell: ({ filter }) => <Said>{filter.destination ?? 'all'}</Said> },
          { heading: 'Asked for', cell: ({ asked_at }) => <When at={asked_at} now={now} /> },
        ]}
      />
    </>
  );
  return { title: 'Send many again', body, menu: MENU };
}

/** How many a range would be, and the form that asks for it. `ask`: what that form needs. */
export function portalCountPage(
  asked: RangeRequest,
  { count: counted, ask, now }: { count: RangeCount; ask: Markup | undefined; now: number },
): PortalPage {
  const { count, is_too_many, hours } = counted;
  const { state, destination, from, until } = asked;
  const body = (
    <>
      <Crumbs>Count</Crumbs>
      <h1>{is_too_many ? `More than ${MOST_IN_RANGE.toLocaleString('en')} webhooks` : countedWords(count)}</h1>
      <WhichRange of={asked} all={ALL} />
      <RangeMakeUp of={counted} now={now} />
      {is_too_many && <p class="note">That is too much for one range. Choose a shorter time, or one receiver.</p>}
      {count > 0 && !is_too_many && ask !== undefined && (
        <div class="forms">
          <form class="act" method="post" action={`${PORTAL}${MENU}`}>
            {ask}
            {Object.entries({ state, destination, from, until }).map(
              ([name, value]) => value !== undefined && <input type="hidden" name={name} value={value} />,
            )}
            <p>
              {`Oldest first, each once, 60 an hour with all else that you send again: ${hours === 1 ? 'within the hour' : `at least ${hours} hours`}, once there is room.`}
            </p>
            <p>The same bytes; after 24 hours as new events.</p>
            <button>{`Send ${count === 1 ? 'it' : 'all of them'} again`}</button>
          </form>
        </div>
      )}
      <p class="pages">
        <a href={`${PORTAL}${MENU}`}>Choose others</a>
      </p>
    </>
  );
  return { title: 'Send many again', body, menu: MENU };
}

/** How far a range has come. `stop`: what the form needs that stops it. */
export function portalRangePage(
  range: BuyerRangeView,
  { stop, now }: { stop: Markup | undefined; now: number },
): PortalPage {
  const { range_id, filter, asked_at, total, resent, failed, left_out, is_over, stopped_at, next_at } = range;
  const body = (
    <>
      <Crumbs>{range_id}</Crumbs>
      <h1>{`${resent} of ${total} sent again`}</h1>
      <progress value={resent} max={total} aria-label="Sent again" />
      <Facts
        of={[
          ['State', <State of={stateOf(range)} />],
          ['Asked for', <When at={asked_at} now={now} />],
          ['Goes on', next_at !== null && (Date.parse(next_at) > now ? <When at={next_at} now={now} /> : 'at once')],
          ['Left out', leftOutWords(left_out)],
          ['Given up', failed > 0 && `${failed}, which cannot be sent for a fault that is ours`],
          ['Stopped', stopped_at !== null && <When at={stopped_at} now={now} />],
        ]}
      />
      <h2>Which</h2>
      <WhichRange of={filter} all={ALL} />
      {!is_over && (
        <>
          <p class="quiet">It goes on by itself; load this page again to see how far.</p>
          {stop !== undefined && (
            <div class="forms">
              <form class="act" method="post" action={`${PORTAL}${pageOfId(MENU, range_id)}/stop`}>
                {stop}
                <p>What was sent stays sent; the rest is left as it is.</p>
                <button class="final">Stop it</button>
              </form>
            </div>
          )}
        </>
      )}
    </>
  );
  return { title: 'Send many again', body, menu: MENU };
}

function Crumbs({ children }: { children?: string }): Markup {
  return (
    <p class="crumbs">
      <a href={`${PORTAL}${MENU}`}>Send many again</a>
      {` / ${children ?? ''}`}
    </p>
  );
}

function stateOf({ is_over, stopped_at }: BuyerRangeView): string {
  if (!is_over) return 'working';
  return stopped_at === null ? 'done' : 'stopped';
}
